// Each code point is read as in Python, whatever the engine's version of Unicode is.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { importSource } from '../support/bundle.mjs';
import { WEB } from '../support/files.mjs';

const { tokenize, Tokens } = await importSource('plain/tokenizer.ts');
const BLOCK = 0x1000;
const file = path.join(WEB, 'tests', 'plain', 'characters.json'); // tools/plain_tables.py writes it
const expected = JSON.parse(readFileSync(file, 'utf8'));
const tokens = new Tokens();

function digestOf(first) {
  const digest = createHash('sha256');
  for (let point = first; point < first + BLOCK; point++) {
    const char = String.fromCodePoint(point);
    tokenize(`${char} a${char}Σ Σ${char}b a'${char} 1${char}\u0327\u0301`, tokens);
    digest.update([...tokens.toStrings(), '\n'].join('\n'));
  }
  return digest.digest('hex');
}

test('the tokens of each code point, beside letters, digits, marks and capital sigmas', () => {
  const blocks = Object.entries(expected);
  assert.equal(blocks.length, 67);
  for (const [first, digest] of blocks) {
    assert.equal(digestOf(parseInt(first, 16)), digest, `block ${first}`);
  }
});
