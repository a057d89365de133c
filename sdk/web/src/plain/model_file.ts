/* The model file as a whole: its header, its manifest and its hash (docs/model-file.md). */

import { ModelFileError } from '../errors.js';
import {
  canonicalJson,
  canonicalString,
  getJson,
  isObject,
  JsonNumber,
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

/** Runs a step; what is wrong in it is told with a beginning. */
export function within<Result>(start: string, step: () => Result): Result {
  try {
    return step();
  } catch (error) {
    if (error instanceof ModelFileError) error.message = start + error.message;
    throw error;
  }
}

/** Checks that a version of a format is one that this reader has. */
export function checkVersion(version: Json | undefined, owner: string): void {
  if (!(version instanceof JsonNumber) || !version.isWhole || version.value < 1) {
    throw new ModelFileError(`${owner} has no version that is a whole number from 1`);
  }
  if (version.value > 1) {
    throw new ModelFileError(
      `${owner} has a newer version than 1, which this version of pocketintent reads; ` +
        'upgrade pocketintent',
    );
  }
}

function readHeader(bytes: Uint8Array): { header: JsonObject; start: number } {
  if (bytes.length < 8) throw new ModelFileError(`it has only ${bytes.length} bytes`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, 8);
  const length = view.getUint32(0, true) + view.getUint32(4, true) * 0x100000000;
  if (length > MAX_HEADER || bytes[8] !== 0x7b) {
    throw new ModelFileError('it is not a safetensors file');
  }
  const left = bytes.length - 8;
  if (length > left) {
    throw new ModelFileError(
      `it is truncated: the header needs ${length} bytes and ${left} are left`,
    );
  }
  return within('the header is not valid JSON: ', () => {
    const text = decodeUtf8(bytes.subarray(8, 8 + length));
    if (text === null) throw new ModelFileError('it is not UTF-8');
    // It begins with a bracket.
    return { header: readJson(text, { maxDepth: HEADER_DEPTH }) as JsonObject, start: 8 + length };
  });
}

function readManifest(header: JsonObject): JsonObject {
  const text = getJson(header.get('__metadata__'), 'pocketintent');
  if (typeof text !== 'string') {
    throw new ModelFileError(
      "it is a safetensors file of another program: its metadata has no 'pocketintent'",
    );
  }
  const manifest = within('the manifest is not valid JSON: ', () => {
    if (!isWellFormed(text)) throw new ModelFileError('it is not UTF-8');
    return readJson(text, { maxDepth: MANIFEST_DEPTH });
  });
  if (!isObject(manifest)) throw new ModelFileError('its manifest is not a JSON object');
  checkVersion(manifest.get('format_version'), 'its format');
  if (typeof manifest.get('kind') !== 'string') {
    throw new ModelFileError("its manifest does not name the encoder's kind");
  }
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
  if (manifest.get('sha256') !== findDigest(manifest, tensors)) {
    throw new ModelFileError('it was altered or damaged: its SHA-256 does not match its content');
  }
  tensors.forEach(checkNumbers);
  return { manifest, tensors: new Map(tensors.map((tensor) => [tensor.name, tensor])) };
}
