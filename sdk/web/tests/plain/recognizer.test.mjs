import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import vm from 'node:vm';
import { build } from 'esbuild';
import { ClosedError, LoadError, ModelFileError, PlainRecognizer } from 'pocketintent/plain';
import { botFile, DIST, WEB } from '../support/files.mjs';

const TEXT = 'swich teh lihgt off';
const content = readFileSync(botFile());
const buffer = content.buffer.slice(content.byteOffset, content.byteOffset + content.length);
const expected = PlainRecognizer.fromBytes(content).match(TEXT);

test('a bot opens from each sort of source', async () => {
  const sources = [
    botFile(),
    pathToFileURL(botFile()),
    String(pathToFileURL(botFile())),
    buffer,
    new Uint8Array(buffer),
    new DataView(buffer),
    new Blob([buffer]),
    new Response(buffer),
    `data:application/octet-stream;base64,${content.toString('base64')}`,
  ];
  for (const source of sources) {
    const recognizer = await PlainRecognizer.load(source);
    assert.deepEqual(recognizer.match(TEXT), expected);
  }
});

test('bytes at any place, which may be changed later', () => {
  for (let shift = 0; shift < 9; shift++) {
    const bytes = new Uint8Array(content.length + shift);
    bytes.set(content, shift);
    const recognizer = PlainRecognizer.fromBytes(bytes.subarray(shift));
    bytes.fill(0);
    assert.deepEqual(recognizer.match(TEXT), expected);
  }
});

test('a file whose tensors begin at odd places', async (context) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'pocketintent-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const length = Number(content.readBigUInt64LE(0));
  for (const spaces of [1, 2, 3]) {
    const head = Buffer.alloc(8);
    head.writeBigUInt64LE(BigInt(length + spaces));
    const header = content.subarray(8, 8 + length);
    const parts = [head, header, Buffer.alloc(spaces, ' '), content.subarray(8 + length)];
    const file = path.join(folder, `${spaces}.safetensors`);
    writeFileSync(file, Buffer.concat(parts));
    assert.deepEqual((await PlainRecognizer.load(file)).match(TEXT), expected);
  }
});

test('how much of a file has arrived', async () => {
  for (const source of [
    botFile(),
    new Response(buffer),
    new Response(new Blob([buffer]).stream()),
  ]) {
    const steps = [];
    await PlainRecognizer.load(source, { onProgress: (step) => steps.push(step) });
    assert.equal(steps.at(-1).loaded, content.length);
  }
});

test('what cannot be loaded', async () => {
  const { signal } = new AbortController();
  await assert.rejects(PlainRecognizer.load('/no/such.safetensors', { signal }), LoadError);
  await assert.rejects(PlainRecognizer.load('http://127.0.0.1:9/x'), LoadError);
  await assert.rejects(PlainRecognizer.load(new Response('', { status: 404 })), /404/);
  const damaged = PlainRecognizer.load(new Blob(['{}']));
  await assert.rejects(damaged, (error) => error instanceof ModelFileError);
  const reason = new Error('enough');
  const ended = PlainRecognizer.load(botFile(), { signal: AbortSignal.abort(reason) });
  await assert.rejects(ended, (error) => error === reason);
});

test('what a recogniser tells of its bot', () => {
  const recognizer = PlainRecognizer.fromBytes(content);
  const { templates, intents, kind } = recognizer;
  assert.equal(kind, 'contextual');
  assert.deepEqual(Object.keys(templates.intents), [...intents]);
  assert.ok(templates.intents.lights_on.templates.includes('turn on the lights'));
  assert.equal(templates.threshold, 0.5);
  assert.equal(recognizer.read(TEXT), 'switch teh light off');
});

test('a ranking', () => {
  const recognizer = PlainRecognizer.fromBytes(content);
  const ranked = recognizer.rank(TEXT, 100);
  assert.equal(ranked.length, recognizer.intents.length);
  ranked.slice(1).forEach(({ score }, n) => assert.ok(score <= ranked[n].score));
  assert.equal(recognizer.rank(TEXT).length, 5);
  assert.deepEqual(recognizer.rank('', 3), []);
  assert.deepEqual(recognizer.rank(TEXT, Infinity), ranked);
  for (const limit of [0, -1, NaN, 0.5, '2', null])
    assert.throws(() => recognizer.rank(TEXT, limit), RangeError);
});

test('a text that is no string is a TypeError', () => {
  const recognizer = PlainRecognizer.fromBytes(content);
  for (const text of [undefined, null, 5, {}]) {
    for (const call of ['match', 'rank', 'read']) {
      assert.throws(() => recognizer[call](text), /^TypeError: a text must be a string, not /);
    }
  }
});

test('the template set is a copy', () => {
  const recognizer = PlainRecognizer.fromBytes(content);
  const expectedSet = structuredClone(recognizer.templates);
  recognizer.templates.intents.lights_on.templates.length = 0;
  delete recognizer.templates.intents.lights_off;
  assert.deepEqual(recognizer.templates, expectedSet);
});

test('half of a surrogate pair separates words', () => {
  const recognizer = PlainRecognizer.fromBytes(content);
  const [one, other] = ['lights\ud800on', 'lights on'].map((text) => recognizer.match(text));
  assert.deepEqual(one, other);
});

test('more words than the cache has room for', () => {
  const recognizer = PlainRecognizer.fromBytes(content);
  const words = Array.from({ length: 3000 }, (_, n) => `w${n.toString(36)}ord`);
  for (let n = 0; n < words.length; n += 250) recognizer.match(words.slice(n, n + 250).join(' '));
  const known = ['kitchen', 'lamp', 'music', 'heating'].join(' ');
  for (let n = 0; n < 2000; n++) recognizer.match(`${words[n]} ${known}`);
  assert.deepEqual(recognizer.match(TEXT), expected);
});

test('nothing is asked of a closed recogniser', () => {
  const recognizer = PlainRecognizer.fromBytes(content);
  recognizer.close();
  recognizer.close();
  const calls = [
    () => recognizer.match(TEXT),
    () => recognizer.rank(TEXT),
    () => recognizer.read(TEXT),
    () => recognizer.intents,
    () => recognizer.templates,
    () => recognizer.kind,
  ];
  for (const call of calls) {
    assert.throws(call, ClosedError);
    assert.throws(call, { message: 'the recogniser was closed' });
  }
});

test('the module is small, and asks the engine for nothing that some do not have', async () => {
  const file = path.join(DIST, 'plain.js');
  assert.ok(statSync(file).size <= 50_000);
  const code = readFileSync(file, 'utf8');
  assert.doesNotMatch(code, /WebAssembly|TextDecoder|TextEncoder|import\(|import\.meta|eval\(/);
  assert.doesNotMatch(code, /\\p\{|\(\?<|BigInt|structuredClone/);
});

test('an engine with nothing but the language', async () => {
  const { outputFiles } = await build({
    entryPoints: [path.join(WEB, 'src', 'plain.ts')],
    write: false,
    bundle: true,
    format: 'iife',
    globalName: 'plain',
    footer: { js: 'plain' },
  });
  const context = vm.createContext({}, { codeGeneration: { strings: false, wasm: false } });
  const { PlainRecognizer: Foreign } = vm.runInContext(outputFiles[0].text, context);
  const { nearest } = Foreign.fromBytes(content).match(TEXT);
  assert.equal(vm.runInContext('typeof TextDecoder + typeof URL', context), 'undefinedundefined');
  assert.equal(nearest, expected.nearest);
});
