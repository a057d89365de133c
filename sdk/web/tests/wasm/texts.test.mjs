import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { importSource } from '../support/bundle.mjs';
import { readLines, ROOT } from '../support/files.mjs';

const { tokenize, wordsOf } = await importSource('wasm/words.ts');
const { encodeExactly, encodeQuery, QUERY_BYTES } = await importSource('wasm/utf8.ts');
const decode = (bytes) => new TextDecoder().decode(bytes);

test('the tokens of an explanation pass the vectors of the specification', () => {
  const vectors = readLines(path.join(ROOT, 'docs', 'tokenizer_vectors.jsonl'));
  assert.ok(vectors.length > 40);
  for (const { text, tokens } of vectors) {
    assert.deepEqual(tokenize(text), tokens, JSON.stringify(text));
  }
});

test('what follows an apostrophe belongs to its word', () => {
  assert.deepEqual(wordsOf("I don't 'know"), ['i', "don't", 'know']);
  assert.deepEqual(wordsOf(' .,'), []);
});

test('half of a surrogate pair in a query is a space', () => {
  const target = new Uint8Array(QUERY_BYTES);
  for (const [text, expected] of [
    ['la\ud800mp', 'la mp'],
    ['\udc00\ud800', '  '],
    ['🙂 é漢', '🙂 é漢'],
    ['', ''],
  ]) {
    assert.equal(decode(target.subarray(0, encodeQuery(text, target))), expected);
  }
});

test('what the core does not read of a long query is not written', () => {
  const target = new Uint8Array(QUERY_BYTES);
  assert.equal(encodeQuery('漢'.repeat(100_000), target), QUERY_BYTES);
  assert.equal(encodeQuery('🙂'.repeat(100_000), target), 4 * 4096);
  assert.equal(encodeQuery('x'.repeat(100_000), target), 8192);
});

test('half of a surrogate pair in a name or template stays one, which UTF-8 does not allow', () => {
  assert.deepEqual([...encodeExactly('a\ud83dé')], [0x61, 0xed, 0xa0, 0xbd, 0xc3, 0xa9]);
  assert.deepEqual([...encodeExactly('\udc01')], [0xed, 0xb0, 0x81]);
  assert.equal(decode(encodeExactly('🙂 漢')), '🙂 漢');
});
