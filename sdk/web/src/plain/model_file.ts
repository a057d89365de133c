/* The model file as a whole: its header, its manifest and its hash (docs/model-file.md). */

import { check, needCount, within } from './checks.js';
import {
  canonicalJson,
  canonicalString,
  getJson,
  isObject,
  readJson,
  type Json,
  type JsonObject,
} from './json.js';
import { sha256 } from './sha256.js';
import { checkNumbers, placeTensors, readEntry, type Tensor, type Tensors } from './tensors.js';
import { comparePoints, decodeUtf8, encodeUtf8, isWellFormed } from './utf8.js';

const MAX_HEADER = 100_000_000;
const HEADER_DEPTH = 900;
const MANIFEST_DEPTH = 254;

/** A model file whose hash and numbers are right. */
export interface ModelFile {
  readonly manifest: JsonObject;
  readonly tensors: Tensors;
}

/** Checks that the version of a format is one that this reader has. */
export function checkVersion(object: Json, key: string, owner: string): void {
  const version = needCount(object, key, 1);
  check(version === 1, `${owner} has the version ${version}; upgrade pocketintent`);
}

function readHeader(bytes: Uint8Array): { header: JsonObject; start: number } {
  check(bytes.length > 8 && bytes[8] === 0x7b, 'it is not a safetensors file');
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const length = view.getUint32(0, true) + view.getUint32(4, true) * 0x100000000;
  const start = 8 + length;
  check(length <= MAX_HEADER, 'it is not a safetensors file');
  check(start <= bytes.length, `it is truncated: the header needs ${length} bytes`);
  return within('the header is not valid JSON: ', () => {
    const text = decodeUtf8(bytes.subarray(8, start));
    check(text !== null, 'it is not UTF-8');
    // It begins with a bracket.
    return { header: readJson(text, { maxDepth: HEADER_DEPTH }) as JsonObject, start };
  });
}

function readManifest(header: JsonObject): JsonObject {
  const text = getJson(header.get('__metadata__'), 'pocketintent');
  check(
    typeof text === 'string',
    "it is a safetensors file of another program: its metadata has no 'pocketintent'",
  );
  const manifest = within('the manifest is not valid JSON: ', () => {
    check(isWellFormed(text), 'it is not UTF-8');
    return readJson(text, { maxDepth: MANIFEST_DEPTH });
  });
  check(isObject(manifest), 'its manifest is not a JSON object');
  checkVersion(manifest, 'format_version', 'its format');
  const kind = manifest.get('kind');
  check(typeof kind === 'string', "its manifest does not name the encoder's kind");
  return manifest;
}

/** The hash of a manifest and of tensors, which are sorted by name. */
function findDigest(manifest: JsonObject, tensors: readonly Tensor[]): string {
  const sha = sha256();
  const content = new Map(manifest);
  content.delete('sha256');
  sha.add(encodeUtf8(`${canonicalJson(content)}\n`));
  for (const { name, dtype, shape, bytes } of tensors) {
    sha.add(encodeUtf8(`[${canonicalString(name)},"${dtype}",[${shape.join(',')}]]\n`));
    sha.add(bytes);
  }
  return sha.finish();
}

/** Reads and verifies a model file; its tensors are parts of the bytes. */
export function readModelFile(bytes: Uint8Array): ModelFile {
  const { header, start } = readHeader(bytes);
  const manifest = readManifest(header);
  header.delete('__metadata__');
  const names = [...header.keys()].sort(comparePoints);
  const entries = names.map((name) => readEntry(name, header.get(name)!));
  const tensors = placeTensors(entries, bytes.subarray(start));
  check(
    manifest.get('sha256') === findDigest(manifest, tensors),
    'it was altered or damaged: its SHA-256 does not match its content',
  );
  tensors.forEach(checkNumbers);
  return { manifest, tensors: new Map(tensors.map((tensor) => [tensor.name, tensor])) };
}
