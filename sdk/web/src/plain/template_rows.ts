/* The index of a bot file: which templates the model knows, and their rows. */

import { ModelFileError } from '../errors.js';
import { getJson, numberOf, type Json } from './json.js';
import { dotRow, readMatrix, type Matrix } from './matrix.js';
import { LARGEST, needTensor, type Tensors } from './tensors.js';
import type { Templates } from './templates.js';

/** With fewer rows a table of look-ups takes longer to fill than rows to decode. */
const FEW = 64;

/** An intent with a template that the model knows. */
export interface Known {
  /** Its position in the set. */
  readonly intent: number;
  readonly templates: readonly string[];
  /** The row of its first template; its centroid is behind the last one. */
  readonly first: number;
}

/** The templates that the model knows, and their rows. */
export class TemplateRows {
  readonly known: readonly Known[];
  private readonly rows: Matrix | null;
  /** One over the length of each row. */
  private readonly scales: Float32Array;
  /** Similarities of the parts of a query and all centroids; null where rows are decoded. */
  private readonly table: Float32Array | null;

  constructor(tensors: Tensors, settings: Json, templates: Templates, dim: number) {
    const search = getJson(settings, 'search');
    if (search !== 'table' && search !== 'exact') {
      throw new ModelFileError("the bot's search must be one of table, exact");
    }
    this.known = findKnown(tensors, templates);
    const entry = getJson(settings, 'rows') ?? null;
    this.rows = entry === null ? null : readMatrix(tensors, 'bot.index.rows', entry);
    const num = this.rows?.num ?? 0;
    if (this.rows !== null && (this.rows.book !== null) !== (search === 'table')) {
      throw new ModelFileError(`the rows of the index do not fit the search '${search}'`);
    }
    if (this.rows?.scales) throw new ModelFileError('the rows of the index must not have norms');
    this.scales = new Float32Array(num);
    if (this.rows !== null) this.scaleRows(this.rows);
    const expected = this.known.reduce((sum, { templates: known }) => sum + known.length + 1, 0);
    if (num !== expected) {
      throw new ModelFileError(`the index has ${num} rows; ${expected} are expected`);
    }
    if (this.rows !== null && this.rows.dim !== dim) {
      throw new ModelFileError(
        `the index has ${this.rows.dim} dimensions, but the model has ${dim}`,
      );
    }
    needTensor(tensors, 'bot.index.errors', 'F32', [this.known.length]);
    readBotNumber(settings, 'max_error', 0, 'the index');
    const book = this.rows?.book;
    this.table = book && num >= FEW ? new Float32Array(book.numSub * book.size) : null;
  }

  /** Finds the lengths of rows of codes, and checks those of others. */
  private scaleRows(rows: Matrix): void {
    const row = new Float32Array(rows.dim);
    for (let n = 0; n < rows.num; n++) {
      const length = Math.sqrt(squareOf(rows, n, row));
      if (rows.book === null && !(Math.abs(length - 1) <= 1e-3)) {
        throw new ModelFileError('a row of the index is not of unit length');
      }
      this.scales[n] = rows.book !== null && length > 0 ? 1 / length : 1;
    }
  }

  /** The cosine similarity of a query and a row. */
  similarity(row: number, query: Float32Array): number {
    return this.scales[row]! * dotRow(this.rows!, row, query);
  }

  /** Writes the similarities of a query and all rows. */
  similarities(query: Float32Array, out: Float32Array): void {
    const { rows, table, scales } = this;
    if (table === null || rows === null || rows.book === null) {
      for (let n = 0; n < out.length; n++) out[n] = this.similarity(n, query);
      return;
    }
    this.fillTable(query, table);
    const { numSub, size } = rows.book;
    for (let n = 0, place = 0; n < out.length; n++) {
      let total = 0;
      for (let sub = 0; sub < numSub; sub++) total += table[sub * size + rows.rows[place++]!]!;
      out[n] = scales[n]! * total;
    }
  }

  /** Multiplies the parts of a query with all centroids (asymmetric distance; Jegou et al. 2011). */
  private fillTable(query: Float32Array, table: Float32Array): void {
    const { centroids, numSub, size, subDim, step } = this.rows!.book!;
    for (let sub = 0, place = 0; sub < numSub; sub++) {
      let centroid = sub * step;
      for (let n = 0; n < size; n++) {
        let total = 0;
        for (let d = 0; d < subDim; d++) total += centroids[centroid++]! * query[sub * subDim + d]!;
        table[place++] = total;
      }
    }
  }

  /** Number of rows. */
  get num(): number {
    return this.scales.length;
  }
}

/** The squared length of a row; `decoded` is room for it. */
function squareOf(rows: Matrix, row: number, decoded: Float32Array): number {
  const { book, dim } = rows;
  if (book === null) {
    decoded.set((rows.rows as Float32Array).subarray(row * dim, row * dim + dim));
  } else {
    const { centroids, numSub, subDim, step } = book;
    for (let sub = 0; sub < numSub; sub++) {
      const centroid = sub * step + rows.rows[row * numSub + sub]! * subDim;
      for (let n = 0; n < subDim; n++) decoded[sub * subDim + n] = centroids[centroid + n]!;
    }
  }
  let square = 0;
  for (let n = 0; n < dim; n++) square += decoded[n]! * decoded[n]!;
  return square;
}

/** Finds the known templates of each intent. */
function findKnown(tensors: Tensors, { intents }: Templates): Known[] {
  const total = intents.reduce((sum, { templates }) => sum + templates.length, 0);
  const flags = needTensor(tensors, 'bot.index.known', 'U8', [total]).bytes;
  const known: Known[] = [];
  let place = 0;
  let row = 0;
  intents.forEach((intent, position) => {
    const templates = intent.templates.filter(() => flags[place++] !== 0);
    if (templates.length > 0) {
      known.push({ intent: position, templates, first: row });
      row += templates.length + 1;
    }
  });
  return known;
}

/** A number of the entry `bot`, from `least` on. */
export function readBotNumber(entry: Json, key: string, least: number, place: string): number {
  const number = numberOf(getJson(entry, key));
  if (!(number >= least && number <= LARGEST)) {
    throw new ModelFileError(`${key} of ${place} must be a number from ${least} to ${LARGEST}`);
  }
  return number;
}
