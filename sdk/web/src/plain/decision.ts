/* The decisions: what scores the intents of a text (docs/decision.md, docs/model-file.md). */

import { check, needNumber } from './checks.js';
import { getJson, type Json } from './json.js';
import { dot } from './kernels.js';
import { countNgrams, NUM_BUCKETS } from './ngrams.js';
import type { Table } from './table.js';
import type { TemplateRows } from './template_rows.js';
import { floatsOf, LARGEST, needTensor, type Tensors } from './tensors.js';
import type { Tokens } from './tokenizer.js';
import { encodeUtf8 } from './utf8.js';
import { Words } from './words.js';

/** Features of a text for `logistic`: the length of its n-gram part, and the value of a negation. */
const NGRAM_SCALE = 0.7;
const NEGATION_SCALE = 2.5;

/** An intent, its score, and its nearest template. */
export interface Hit {
  /** Position of the intent among those with a known template. */
  readonly known: number;
  readonly score: number;
  /** Position of the template among the known ones of the intent. */
  readonly template: number;
}

/** Scores the intents of texts. */
export abstract class Decision {
  /** What orders the intents of the latest text as their scores do. */
  protected readonly totals: Float32Array;

  constructor(protected readonly index: TemplateRows) {
    this.totals = new Float32Array(index.known.length);
  }

  /** Writes the totals of a text, of which the tokens and the vector are given. */
  abstract read(tokens: Tokens, vector: Float32Array): void;

  protected abstract scoreOf(total: number): number;

  protected abstract similarity(row: number, vector: Float32Array): number;

  /** Takes the best of the intents that were not taken yet, of equal ones the first. */
  takeBest(vector: Float32Array): Hit {
    const { totals } = this;
    let known = 0;
    for (let n = 1; n < totals.length; n++) if (totals[n]! > totals[known]!) known = n;
    const score = this.scoreOf(totals[known]!);
    totals[known] = -Infinity;
    return { known, score, template: this.nearestTemplate(known, vector) };
  }

  /** The nearest template of an intent, of equally near ones the first. */
  private nearestTemplate(known: number, vector: Float32Array): number {
    const { first, templates } = this.index.known[known]!;
    let nearest = 0;
    let best = -Infinity;
    for (let n = 0; n < templates.length; n++) {
      const similarity = Math.fround(this.similarity(first + n, vector));
      if (similarity > best) {
        best = similarity;
        nearest = n;
      }
    }
    return nearest;
  }
}

/** The similarity of the nearest template, or the mean of that and the one of the centroid. */
class Nearest extends Decision {
  private readonly similarities: Float32Array;

  constructor(
    index: TemplateRows,
    private readonly usesCentroid: boolean,
  ) {
    super(index);
    this.similarities = new Float32Array(index.num);
  }

  read(_: Tokens, vector: Float32Array): void {
    const { index, similarities, totals } = this;
    index.similarities(vector, similarities);
    index.known.forEach(({ first, templates }, n) => {
      const centroid = first + templates.length;
      let best = -Infinity;
      for (let row = first; row < centroid; row++) best = Math.max(best, similarities[row]!);
      totals[n] = this.usesCentroid ? (best + similarities[centroid]!) / 2 : best;
    });
  }

  protected scoreOf(total: number): number {
    return Math.min(1, Math.max(-1, total));
  }

  protected similarity(row: number): number {
    return this.similarities[row]!;
  }
}

/** Weights of the vector, of the n-grams, of a negation and a bias, for each intent. */
class Logistic extends Decision {
  private readonly weights: Float32Array;
  private readonly slope: number;
  private readonly intercept: number;
  private readonly negations: Words | null;
  private readonly counts = new Float32Array(NUM_BUCKETS);
  private readonly buckets = new Int32Array(NUM_BUCKETS);

  constructor(
    index: TemplateRows,
    tensors: Tensors,
    settings: Json,
    private readonly table: Table,
  ) {
    super(index);
    const { length } = index.known;
    if (length === 0) {
      this.weights = new Float32Array();
      this.negations = null;
      this.slope = this.intercept = 0;
      return;
    }
    this.negations = readNegations(settings);
    const size = table.dim + NUM_BUCKETS + (this.negations === null ? 1 : 2);
    this.weights = floatsOf(needTensor(tensors, 'bot.decision.weights', 'F32', [length, size]));
    this.slope = needNumber(settings, 'slope', 0, LARGEST);
    this.intercept = needNumber(settings, 'intercept', -LARGEST, LARGEST);
  }

  read(tokens: Tokens, vector: Float32Array): void {
    const { counts, buckets, weights, totals, table, slope, intercept, negations } = this;
    const { dim } = table;
    const used = this.readCounts(tokens);
    const negation = negations !== null && hasWord(tokens, negations) ? NEGATION_SCALE : 0;
    const size = dim + NUM_BUCKETS + (negations === null ? 1 : 2);
    for (let known = 0, row = 0; known < totals.length; known++, row += size) {
      let total = dot(weights, row, vector, 0, dim) + weights[row + size - 1]!;
      for (let n = 0; n < used; n++) {
        const bucket = buckets[n]!;
        total += counts[bucket]! * weights[row + dim + bucket]!;
      }
      if (negation > 0) total += negation * weights[row + dim + NUM_BUCKETS]!;
      totals[known] = slope * total + intercept;
    }
  }

  /** Writes the weighted n-gram counts of a text, at their length, and the buckets that have some; how
   * many these are. */
  private readCounts(tokens: Tokens): number {
    const { counts, buckets } = this;
    const { idf } = this.table;
    counts.fill(0);
    countNgrams(tokens, counts);
    let used = 0;
    let square = 0;
    for (let bucket = 0; bucket < NUM_BUCKETS; bucket++) {
      if (counts[bucket] === 0) continue;
      if (idf !== null) counts[bucket]! *= idf[bucket]!;
      square += counts[bucket]! ** 2;
      buckets[used++] = bucket;
    }
    const scale = NGRAM_SCALE / (Math.sqrt(square) || 1);
    for (let n = 0; n < used; n++) counts[buckets[n]!]! *= scale;
    return used;
  }

  protected scoreOf(total: number): number {
    return 0.5 * (1 + Math.tanh(0.5 * total)); // the sigmoid
  }

  protected similarity(row: number, vector: Float32Array): number {
    return this.index.similarity(row, vector);
  }
}

function readNegations(settings: Json): Words | null {
  const list = getJson(settings, 'negations');
  if (list === undefined) return null;
  check(
    Array.isArray(list) && list.length > 0 && list.every((token) => typeof token === 'string'),
    'the negations must be a list of at least one token',
  );
  // No token contains a line feed, or is empty.
  const tokens = new Set<string>(list.filter((token) => /^[^\n]+$/.test(token)));
  return new Words(encodeUtf8([...tokens].join('\n')));
}

/** Whether one of the tokens is one of some words. */
export function hasWord({ bytes, starts, count }: Tokens, words: Words): boolean {
  for (let n = 0; n < count; n++) {
    if (words.find(bytes, starts[n]!, starts[n + 1]!) >= 0) return true;
  }
  return false;
}

/** Reads the decision of a bot. */
export function readDecision(
  tensors: Tensors,
  settings: Json,
  index: TemplateRows,
  table: Table,
): Decision {
  const name = getJson(settings, 'name');
  if (name === 'logistic') return new Logistic(index, tensors, settings, table);
  const usesCentroid = name === 'nearest+centroid';
  check(
    usesCentroid || name === 'nearest',
    'the decision must be one of logistic, nearest, nearest+centroid',
  );
  return new Nearest(index, usesCentroid);
}
