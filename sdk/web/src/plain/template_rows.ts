/* The index of a bot file: which templates the model knows, and their rows. */

import { check, needNumber } from './checks.js';
import { getJson, type Json } from './json.js';
import { dot } from './kernels.js';
import { addRow, dotRow, readMatrix, type Matrix } from './matrix.js';
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
    const isTable = search === 'table';
    check(isTable || search === 'exact', "the bot's search must be one of table, exact");
    this.known = findKnown(tensors, templates);
    const entry = getJson(settings, 'rows') ?? null;
    this.rows = entry === null ? null : readMatrix(tensors, 'bot.index.rows', entry);
    const num = this.rows?.num ?? 0;
    this.scales = new Float32Array(num);
    if (this.rows !== null) {
      const { book, scales } = this.rows;
      check((book !== null) === isTable, `the rows of the index do not fit the search '${search}'`);
      check(scales === null, 'the rows of the index must not have norms');
      this.scaleRows(this.rows);
      check(this.rows.dim === dim, 'the index has other dimensions than the model');
    }
    const expected = this.known.reduce((sum, { templates: known }) => sum + known.length + 1, 0);
    check(num === expected, `the index has ${num} rows; ${expected} are expected`);
    needTensor(tensors, 'bot.index.errors', 'F32', [this.known.length]);
    needNumber(settings, 'max_error', 0, LARGEST);
    const book = this.rows?.book;
    this.table = book && num >= FEW ? new Float32Array(book.numSub * book.size) : null;
  }

  /** Finds the lengths of rows of codes, and checks those of others. */
  private scaleRows(rows: Matrix): void {
    const row = new Float32Array(rows.dim);
    for (let n = 0; n < rows.num; n++) {
      row.fill(0);
      addRow(rows, n, 1, row, 0);
      const length = Math.sqrt(dot(row, 0, row, 0, rows.dim));
      check(
        rows.book !== null || Math.abs(length - 1) <= 1e-3,
        'a row of the index is not of unit length',
      );
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
