/* The table of word vectors, which is the kind `static` and a part of the others. */

import { UnsupportedError } from '../errors.js';
import { check, needCount, needNumber } from './checks.js';
import { getJson, isObject, JsonNumber, type Json, type JsonObject } from './json.js';
import { writeUnit } from './kernels.js';
import { addRow, checkCodebook, readMatrix, type Matrix } from './matrix.js';
import type { ModelFile } from './model_file.js';
import { NUM_BUCKETS, visitNgrams } from './ngrams.js';
import { halvesOf, needTensor } from './tensors.js';
import { MAX_BYTES, type Tokens } from './tokenizer.js';
import { readVocabulary, WordPieces, type Vocabulary } from './vocabulary.js';

const LONGEST_NGRAM = 64;
const MOST_WEIGHT = 1000;

/** Vectors of the n-grams of unknown words. */
interface Ngrams {
  readonly rows: Matrix;
  readonly minN: number;
  readonly maxN: number;
  readonly weight: number;
}

/** The vectors of words. */
export interface Table {
  readonly vocabulary: Vocabulary;
  /** Splits unknown words; null if the tokens are words. */
  readonly pieces: WordPieces | null;
  readonly words: Matrix;
  readonly ngrams: Ngrams | null;
  readonly dim: number;
  /** The weights of the n-gram buckets of `logistic`; null for ones. */
  readonly idf: Float32Array | null;
  /** Whether a text can be corrected by the vocabulary. */
  readonly canCorrect: boolean;
}

/** What makes the vector of a text. */
export interface Encoder {
  readonly table: Table;
  /** The vector of a text with these tokens: unit length, or zeros. Each call writes it again. */
  encode(tokens: Tokens): Float32Array;
}

/** The entry of a manifest that has to be an object. */
export function needObject(parent: Json, key: string): JsonObject {
  const entry = getJson(parent, key);
  check(isObject(entry), `the manifest has no object '${key}'`);
  return entry;
}

/** Whether a number of the manifest, of any form, has a value, as Python compares them. */
function isEqual(value: Json | undefined, wanted: number): boolean {
  return value === true ? wanted === 1 : value instanceof JsonNumber && value.value === wanted;
}

/** Checks the tokenizer: whether it is that of word pieces, and whether the vocabulary is its own. */
function readTokenizer(manifest: Json): { hasPieces: boolean; canCorrect: boolean } {
  const entry = needObject(manifest, 'tokenizer');
  const name = entry.get('name');
  check(
    (name === 'simple' || name === 'word_pieces') &&
      isEqual(entry.get('version'), 1) &&
      isEqual(entry.get('max_chars'), 4096),
    'the tokenizer must be simple or word_pieces, version 1 with max_chars 4096',
  );
  return { hasPieces: name === 'word_pieces', canCorrect: entry.size === 3 };
}

function readNgrams({ manifest, tensors }: ModelFile, dim: number): Ngrams | null {
  if (!manifest.has('ngrams')) return null;
  const rows = readMatrix(tensors, 'ngrams', manifest.get('ngrams'));
  const entry = needObject(manifest, 'ngram_settings');
  const maxN = needCount(entry, 'max_n', 1, LONGEST_NGRAM);
  const minN = needCount(entry, 'min_n', 1, maxN);
  const buckets = needCount(entry, 'num_buckets', 1);
  const weight = needNumber(entry, 'weight', -MOST_WEIGHT, MOST_WEIGHT);
  if (entry.has('hash') && entry.get('hash') !== 'fnv1a') {
    throw new UnsupportedError('the n-gram hash is unknown; this library has fnv1a');
  }
  if (entry.has('num_hashes')) needCount(entry, 'num_hashes', 1, 1);
  check(
    rows.num === buckets && rows.dim === dim,
    `the n-grams have the shape [${rows.num}, ${rows.dim}]; it must be [${buckets}, ${dim}]`,
  );
  return { rows, minN, maxN, weight };
}

/** Checks the counts of words, which only tools read. */
function checkCounts({ manifest, tensors }: ModelFile, numWords: number): void {
  const counts = tensors.get('vocabulary.counts');
  if (manifest.has('counts')) {
    const entry = needObject(manifest, 'counts');
    needCount(entry, 'steps', 8, 255);
    check(
      counts?.dtype === 'U8' && entry.get('coding') === 'log2',
      "the manifest's 'counts' need the coding 'log2', and a tensor U8",
    );
  }
  check(
    !counts || (/^[UI]/.test(counts.dtype) && counts.shape.join() === `${numWords}`),
    `vocabulary.counts must be ${numWords} whole numbers`,
  );
}

/** Checks the codebook for templates, which only edits read. */
function checkTemplateCodebook({ tensors }: ModelFile, dim: number): void {
  if (tensors.has('templates.codebook')) {
    const tensor = needTensor(tensors, 'templates.codebook', 'F16', [-1, -1, -1]);
    const [books, size, subDim] = tensor.shape as [number, number, number];
    checkCodebook(books, size, subDim, dim);
  }
}

/** The weights of the n-gram buckets. The lines of the background, which only fits read, are checked. */
function readBackground({ manifest, tensors }: ModelFile, dim: number): Float32Array | null {
  if ((manifest.get('background') ?? null) === null) return null;
  const entry = needObject(manifest, 'background');
  const vectors = readMatrix(tensors, 'background.vectors', entry.get('vectors'));
  const ngrams = readMatrix(tensors, 'background.ngrams', entry.get('ngrams'));
  const idf = needTensor(tensors, 'background.idf', 'F16', [NUM_BUCKETS]);
  check(
    vectors.num === ngrams.num && ngrams.dim === NUM_BUCKETS && vectors.dim === dim,
    'the vectors and n-grams of the background do not fit the model',
  );
  return halvesOf(idf);
}

export function readTable(file: ModelFile): Table {
  const { manifest, tensors } = file;
  const words = readMatrix(tensors, 'words', manifest.get('words'));
  const { dim } = words;
  const ngrams = readNgrams(file, dim);
  const vocabulary = readVocabulary(tensors);
  const { hasPieces, canCorrect } = readTokenizer(manifest);
  checkTemplateCodebook(file, dim);
  const idf = readBackground(file, dim);
  const numWords = vocabulary.words.count;
  check(words.num === numWords, `there are ${numWords} words, but ${words.num} vectors`);
  checkCounts(file, numWords);
  check(isEqual(manifest.get('dim'), dim), `the manifest's dim is not the ${dim} of the vectors`);
  const pieces = hasPieces ? new WordPieces(vocabulary.words) : null;
  return { vocabulary, pieces, words, ngrams, dim, idf, canCorrect };
}

/** Writes what has a vector in a text: the numbers of words and pieces, and for an unknown word, which
 * has n-grams, -1 less the number of its token. How many these are; what has no room is left out. */
export function readItems(table: Table, tokens: Tokens, items: Int32Array): number {
  const { vocabulary, pieces, ngrams } = table;
  const { bytes, starts, count } = tokens;
  let used = 0;
  for (let n = 0; n < count && used < items.length; n++) {
    const start = starts[n]!;
    const end = starts[n + 1]!;
    const number = vocabulary.words.find(bytes, start, end);
    if (number >= 0) items[used++] = number;
    else if (pieces !== null) used = pieces.split(bytes, start, end, items, used);
    else if (ngrams !== null) items[used++] = -1 - n;
  }
  return used;
}

/** Adds the vector of an item of a text to numbers from a place on. */
export function addItem(
  table: Table,
  tokens: Tokens,
  item: number,
  sum: Float32Array | Float64Array,
  place: number,
): void {
  if (item >= 0) return addRow(table.words, item, 1, sum, place);
  const { rows, minN, maxN, weight } = table.ngrams!;
  const start = tokens.starts[-1 - item]!;
  const end = tokens.starts[-item]!;
  let count = 0;
  visitNgrams(tokens.bytes, start, end, minN, maxN, () => count++);
  visitNgrams(tokens.bytes, start, end, minN, maxN, (hash) => {
    addRow(rows, hash % rows.num, weight / count, sum, place);
  });
}

/** The kind `static`: the sum of the vectors of a text's words. */
export class StaticEncoder implements Encoder {
  private readonly vector: Float32Array;
  private readonly sum: Float64Array;
  private readonly items: Int32Array;

  constructor(readonly table: Table) {
    this.vector = new Float32Array(table.dim);
    this.sum = new Float64Array(table.dim);
    this.items = new Int32Array(MAX_BYTES);
  }

  encode(tokens: Tokens): Float32Array {
    const { table, sum, items, vector } = this;
    const count = readItems(table, tokens, items);
    sum.fill(0);
    for (let n = 0; n < count; n++) addItem(table, tokens, items[n]!, sum, 0);
    writeUnit(sum, vector);
    return vector;
  }
}
