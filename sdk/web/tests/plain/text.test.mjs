// The vectors of the specifications in docs/.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { importSource } from '../support/bundle.mjs';
import { readLines, ROOT } from '../support/files.mjs';

const { Corrector, findOwnWords } = await importSource('plain/correction.ts');
const { hasWord } = await importSource('plain/decision.ts');
const { countNgrams, visitNgrams } = await importSource('plain/ngrams.ts');
const { tokenize, Tokens } = await importSource('plain/tokenizer.ts');
const { isLost, WordPieces } = await importSource('plain/vocabulary.ts');
const { Words } = await importSource('plain/words.ts');

const tokens = new Tokens();
const vectors = (name) => readLines(path.join(ROOT, 'docs', `${name}_vectors.jsonl`));
const wordsOf = (words) => new Words(new TextEncoder().encode(words.join('\n')));

function tokensOf(text) {
  tokenize(text, tokens);
  return tokens.toStrings();
}

test('tokens', () => {
  const lines = vectors('tokenizer');
  assert.ok(lines.length > 40);
  for (const { text, tokens: expected } of lines) assert.deepEqual(tokensOf(text), expected, text);
});

test('word pieces', () => {
  const pieces = new Int32Array(8192);
  const lines = vectors('word_piece');
  assert.ok(lines.length > 20);
  for (const { vocabulary, text, tokens: expected } of lines) {
    const words = wordsOf(vocabulary);
    const splitter = new WordPieces(words);
    tokenize(text, tokens);
    const found = [];
    for (let n = 0; n < tokens.count; n++) {
      const [start, end] = tokens.starts.subarray(n, n + 2);
      const number = words.find(tokens.bytes, start, end);
      const used = number >= 0 ? 0 : splitter.split(tokens.bytes, start, end, pieces, 0);
      found.push(...(number >= 0 ? [number] : pieces.subarray(0, used)));
    }
    assert.deepEqual(
      found.map((number) => vocabulary[number]),
      expected,
      text,
    );
  }
});

test('pieces that have no room are left out', () => {
  const splitter = new WordPieces(wordsOf(['a', '##b']));
  const pieces = new Int32Array(3).fill(-7);
  assert.equal(splitter.split(Buffer.from('abbb'), 0, 4, pieces, 1), 3);
  assert.deepEqual([...pieces], [-7, 0, 1]);
});

test('typing errors', () => {
  const lines = vectors('correction');
  assert.ok(lines.length > 40);
  for (const { own_texts, vocabulary, text, tokens: expected, ...line } of lines) {
    const lost = (line.filters ?? []).map((filter) => Buffer.from(filter, 'hex'));
    const known = { words: wordsOf(vocabulary), lost };
    const own = findOwnWords(own_texts, tokens);
    const corrector = new Corrector(known, own, new Tokens(), wordsOf(line.kept_words ?? []));
    tokenize(text, tokens);
    const read = corrector.correct(text, tokens);
    assert.deepEqual(tokens.toStrings(), expected, text);
    assert.deepEqual(tokensOf(read), expected, text);
  }
});

test('lost words', () => {
  const lines = vectors('correction').filter(({ lost_words }) => lost_words?.length > 0);
  assert.ok(lines.length > 0);
  for (const { filters, lost_words } of lines) {
    filters.forEach((filter, n) => {
      for (const word of lost_words[n]) {
        assert.ok(isLost([Buffer.from(filter, 'hex')], Buffer.from(word)), word);
      }
    });
  }
});

test('n-grams', () => {
  const lines = vectors('ngram');
  assert.ok(lines.length > 20);
  for (const { text, tokens: expected, hashes, counts } of lines) {
    assert.deepEqual(tokensOf(text), expected, text);
    hashes.forEach((wanted, n) => {
      const [start, end] = tokens.starts.subarray(n, n + 2);
      const found = [];
      visitNgrams(tokens.bytes, start, end, 2, 5, (hash) => found.push(hash));
      // The vectors have the shortest first.
      assert.deepEqual(found.sort(), [...wanted].sort(), text);
    });
    const found = new Float32Array(512);
    countNgrams(tokens, found);
    const pairs = [...found.entries()].filter(([, count]) => count !== 0);
    assert.deepEqual(pairs, counts, text);
  }
});

test('negations', () => {
  const specification = [
    ...['not', 'never', 'no', 'nor', 'neither', 'without', 'cannot', "'t", 'aint', 'arent'],
    ...['cant', 'couldnt', 'didnt', 'doesnt', 'dont', 'hadnt', 'hasnt', 'havent', 'isnt'],
    ...['mustnt', 'neednt', 'shouldnt', 'wasnt', 'werent', 'wont', 'wouldnt'],
  ];
  const negations = wordsOf(specification);
  const lines = vectors('negation');
  assert.ok(lines.length > 20);
  for (const { text, tokens: expected, negation } of lines) {
    assert.deepEqual(tokensOf(text), expected, text);
    assert.equal(Number(hasWord(tokens, negations)), negation, text);
  }
});
