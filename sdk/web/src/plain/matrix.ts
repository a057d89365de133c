/* Matrices of a model file: rows of floats, of codes, or of 8-bit whole numbers. */

import { check, needCount, within } from './checks.js';
import { getJson, isObject, type Json } from './json.js';

import {
  badNumber,
  floatsOf,
  halvesOf,
  LARGEST,
  needTensor,
  wordsOf,
  type Tensors,
} from './tensors.js';

export const MOST_DIM = 65536;
const MOST_BITS = 16;

/** Vectors that are read row by row. Rows of codes stay codes. */
export interface Matrix {
  /** Rows. */
  readonly num: number;
  /** Columns. */
  readonly dim: number;
  /** Numbers, whole numbers of 8 bits, or codes where there is a codebook. */
  readonly rows: Float32Array | Int8Array | Uint8Array | Uint16Array;
  /** The factor of each row; null for 1. */
  readonly scales: Float32Array | null;
  readonly book: Codebook | null;
}

export interface Codebook {
  readonly centroids: Float32Array;
  /** Centroids of a codebook. */
  readonly size: number;
  /** Numbers of a centroid. */
  readonly subDim: number;
  /** Codes of a row. */
  readonly numSub: number;
  /** Numbers from the codebook of a code to that of the next one; 0 for one codebook. */
  readonly step: number;
}

function flag(settings: Json, key: string): boolean {
  const value = getJson(settings, key);
  check(typeof value === 'boolean', `'${key}' must be true or false`);
  return value;
}

/** Checks that sizes make a codebook that vectors of `dim` numbers can have. */
export function checkCodebook(books: number, size: number, subDim: number, dim: number): void {
  const numSub = dim / subDim;
  check(
    size > 0 && size <= 1 << MOST_BITS && numSub > 0 && Number.isInteger(numSub),
    `${size} centroids of sub_dim ${subDim} do not fit vectors of dim ${dim}`,
  );
  check(books === 1 || books === numSub, `${books} codebooks do not fit ${numSub} codes`);
}

/** Codes of a number of bits other than 8 and 16, the lowest bit first, as numbers of their own. */
function unpack(packed: Uint8Array, codes: Uint8Array | Uint16Array, bits: number): void {
  let window = 0;
  let filled = 0;
  let place = 0;
  for (let n = 0; n < codes.length; n++) {
    for (; filled < bits; filled += 8) window |= packed[place++]! << filled;
    codes[n] = window & ((1 << bits) - 1);
    window >>>= bits;
    filled -= bits;
  }
}

function readCodes(
  tensors: Tensors,
  name: string,
  num: number,
  book: Codebook,
  bits: number,
): Uint8Array | Uint16Array {
  const { numSub, size } = book;
  let codes: Uint8Array | Uint16Array;
  if (bits === 8) {
    codes = needTensor(tensors, name, 'U8', [num, numSub]).bytes;
  } else if (bits === 16) {
    codes = wordsOf(needTensor(tensors, name, 'U16', [num, numSub]));
  } else {
    const packed = needTensor(tensors, name, 'U8', [Math.ceil((num * numSub * bits) / 8)]);
    codes = new (bits < 8 ? Uint8Array : Uint16Array)(num * numSub);
    unpack(packed.bytes, codes, bits);
  }
  const isRight = size === 1 << bits || codes.every((code) => code < size);
  check(isRight, `${name}: a code is beyond a codebook of ${size}`);
  return codes;
}

function readQuantised(
  tensors: Tensors,
  prefix: string,
  settings: Json,
  num: number,
  dim: number,
): Matrix {
  const subDim = needCount(settings, 'sub_dim', 1);
  const size = needCount(settings, 'codebook_size', 1);
  const bits = needCount(settings, 'code_bits', 1);
  const needed = Math.max(1, 32 - Math.clz32(size - 1));
  check(bits === needed, `code_bits must be ${needed} for ${size} centroids`);
  const isPerPosition = flag(settings, 'per_position');
  const isNormalised = flag(settings, 'normalised');
  const books = isPerPosition ? Math.floor(dim / subDim) : 1;
  const tensor = needTensor(tensors, `${prefix}.codebook`, 'F16', [books, size, subDim]);
  checkCodebook(books, size, subDim, dim);
  const book: Codebook = {
    centroids: halvesOf(tensor),
    size,
    subDim,
    numSub: dim / subDim,
    step: books === 1 ? 0 : size * subDim,
  };
  const rows = readCodes(tensors, `${prefix}.codes`, num, book, bits);
  const scales = isNormalised
    ? halvesOf(needTensor(tensors, `${prefix}.norms`, 'F16', [num]))
    : null;
  return { num, dim, rows, scales, book };
}

/** Reads `prefix`.embedding, or `prefix`.codes and what belongs to it, by their settings. */
export function readMatrix(tensors: Tensors, prefix: string, settings: Json | undefined): Matrix {
  return within(`${prefix} of the model: `, () => {
    check(isObject(settings), `the manifest has no object '${prefix}'`);
    const num = needCount(settings, 'num', 0);
    const dim = needCount(settings, 'dim', 1, MOST_DIM);
    if (settings.has('code_bits')) return readQuantised(tensors, prefix, settings, num, dim);
    const rows = floatsOf(needTensor(tensors, `${prefix}.embedding`, 'F32', [num, dim]));
    return { num, dim, rows, scales: null, book: null };
  });
}

/** Reads `prefix`.codes I8 and `prefix`.scales F16. */
export function readIntegers(tensors: Tensors, prefix: string): Matrix {
  const { shape, bytes } = needTensor(tensors, `${prefix}.codes`, 'I8', [-1, -1]);
  const [num, dim] = shape as [number, number];
  const scales = halvesOf(needTensor(tensors, `${prefix}.scales`, 'F16', [num]));
  const rows = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length);
  return { num, dim, rows, scales, book: null };
}

/** Adds `factor` times a row to the numbers of a sum from a place on. */
export function addRow(
  matrix: Matrix,
  row: number,
  factor: number,
  sum: Float32Array | Float64Array,
  place: number,
): void {
  const { rows, book, dim, scales } = matrix;
  if (scales !== null) factor *= scales[row]!;
  if (book === null) {
    for (let n = 0, from = row * dim; n < dim; n++) sum[place + n]! += factor * rows[from + n]!;
    return;
  }
  const { centroids, numSub, subDim, step } = book;
  for (let sub = 0, from = row * numSub, base = 0; sub < numSub; sub++, base += step) {
    const centroid = base + rows[from + sub]! * subDim;
    for (let n = 0; n < subDim; n++) sum[place++]! += factor * centroids[centroid + n]!;
  }
}

/** The largest magnitude of some numbers. */
function largestOf(numbers: Float32Array): number {
  let largest = 0;
  for (let n = 0; n < numbers.length; n++) largest = Math.max(largest, Math.abs(numbers[n]!));
  return largest;
}

/** All rows, decoded. A decoded number that is too large is an error, which names the tensor. */
export function decodeMatrix(matrix: Matrix, name: string): Float32Array {
  const { num, dim, rows, scales, book } = matrix;
  if (rows instanceof Float32Array) return rows;
  const numbers = new Float32Array(num * dim);
  const bound = book === null ? 128 : largestOf(book.centroids);
  for (let row = 0; row < num; row++) {
    const place = row * dim;
    addRow(matrix, row, 1, numbers, place);
    // Numbers are small in nearly all files, so that they need not be looked at.
    if (
      bound * Math.abs(scales?.[row] ?? 1) > LARGEST &&
      largestOf(numbers.subarray(place, place + dim)) > LARGEST
    ) {
      throw badNumber(name);
    }
  }
  return numbers;
}

/** The dot product of a row, without its scale, and a vector. */
export function dotRow(matrix: Matrix, row: number, vector: Float32Array): number {
  const { rows, book, dim } = matrix;
  let total = 0;
  if (book === null) {
    for (let n = 0, from = row * dim; n < dim; n++) total += rows[from + n]! * vector[n]!;
    return total;
  }
  const { centroids, numSub, subDim, step } = book;
  for (let sub = 0, from = row * numSub, base = 0, place = 0; sub < numSub; sub++, base += step) {
    const centroid = base + rows[from + sub]! * subDim;
    for (let n = 0; n < subDim; n++) total += centroids[centroid + n]! * vector[place++]!;
  }
  return total;
}
