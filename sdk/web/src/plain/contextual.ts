/* The kind `contextual`: docs/contextual.md. */

import { check, needCount, needNumber } from './checks.js';
import { getJson } from './json.js';
import { dot, multiply, writeUnit, type Layer } from './kernels.js';
import { MOST_DIM, readIntegers, type Matrix } from './matrix.js';
import type { ModelFile } from './model_file.js';
import { checkRoom, makeLayer, readVector, readWeights, SEQUENCE } from './networks.js';
import { addItem, readItems, type Encoder, type Table } from './table.js';
import { floatsOf, needTensor, type Tensors } from './tensors.js';
import type { Tokens } from './tokenizer.js';
import { WordCache } from './word_cache.js';

/** New words that are multiplied together. */
const NEW_WORDS = 12;
const MOST_WIDTH = 31;

interface Network {
  readonly hidden: number;
  readonly width: number;
  readonly wordShare: number;
  /** What a word adds to the hidden layers of the words around it, one place after the other. */
  readonly inner: Layer;
  readonly outer: Layer;
  readonly gate: Float32Array;
  readonly hiddenGate: Float32Array;
  readonly gateBias: number;
}

function readContextMatrix(
  tensors: Tensors,
  name: string,
  isInt8: boolean,
  num: number,
  dim: number,
): Float32Array {
  const matrix: Matrix = isInt8
    ? readIntegers(tensors, name)
    : {
        num,
        dim,
        rows: floatsOf(needTensor(tensors, name, 'F32', [num, dim])),
        scales: null,
        book: null,
      };
  return readWeights(matrix, name, num, dim);
}

/** The stored matrix has a row for each hidden unit, with a part for each place of the window; here
 * those of a place are together. */
function orderByPlace(stored: Float32Array, hidden: number, width: number, dim: number) {
  const weights = new Float32Array(stored.length);
  for (let row = 0; row < hidden * width; row++) {
    const place = Math.floor(row / hidden);
    const from = ((row % hidden) * width + place) * dim;
    weights.set(stored.subarray(from, from + dim), row * dim);
  }
  return weights;
}

function readNetwork({ manifest, tensors }: ModelFile, dim: number): Network {
  const entry = manifest.get('network') ?? null;
  const format = getJson(entry, 'weights');
  check(format === 'int8' || format === 'float32', 'the network needs weights, float32 or int8');
  check(
    getJson(entry, 'blocks') === undefined,
    'the network is of an earlier version; build the model again',
  );
  const hasShare = getJson(entry, 'word_share') !== undefined;
  const wordShare = hasShare ? needNumber(entry, 'word_share', 0, 16) : 0;
  const hidden = needCount(entry, 'hidden', 1, MOST_DIM);
  const width = needCount(entry, 'width', 1, MOST_WIDTH);
  checkRoom(hidden * width * dim, SEQUENCE * (dim + width * hidden));
  check(width % 2 === 1, `the width of the network must be odd, not ${width}`);
  const vector = (name: string, size: number): Float32Array =>
    readVector(tensors, `network.${name}`, size, true);
  const matrix = (name: string, num: number, size: number): Float32Array =>
    readContextMatrix(tensors, `network.${name}`, format === 'int8', num, size);
  const inner = orderByPlace(matrix('inner', hidden, width * dim), hidden, width, dim);
  const innerBias = new Float32Array(width * hidden);
  innerBias.set(vector('inner_bias', hidden), ((width - 1) / 2) * hidden);
  return {
    hidden,
    width,
    wordShare,
    inner: makeLayer(inner, innerBias, dim),
    outer: makeLayer(matrix('outer', dim, hidden), new Float32Array(dim), hidden),
    gate: vector('gate', dim),
    hiddenGate: vector('hidden_gate', hidden),
    gateBias: vector('gate_bias', 1)[0]!,
  };
}

/** Changes the vector of each word by its neighbours, and sums them. What a word contributes, whatever
 * its text, is kept: its vector, its products for each place of the window, its part of the gate. */
export class ContextualEncoder implements Encoder {
  private readonly network: Network;
  private readonly cache: WordCache;
  private readonly vector: Float32Array;
  private readonly sum: Float64Array;
  private readonly plain: Float64Array;
  private readonly gathered: Float32Array;
  private readonly layer: Float32Array;
  private readonly change: Float32Array;
  private readonly units: Float32Array;
  private readonly items = new Int32Array(SEQUENCE);
  /** Where in the cache the parts of each token are. */
  private readonly places = new Int32Array(SEQUENCE);

  constructor(
    file: ModelFile,
    readonly table: Table,
  ) {
    const { dim, words } = table;
    this.network = readNetwork(file, dim);
    const { hidden, width } = this.network;
    this.cache = new WordCache(dim + width * hidden + 1, SEQUENCE, words.num);
    this.vector = new Float32Array(dim);
    this.sum = new Float64Array(dim);
    this.plain = new Float64Array(dim);
    this.change = new Float32Array(dim);
    this.gathered = new Float32Array(hidden);
    this.layer = new Float32Array(hidden);
    this.units = new Float32Array(NEW_WORDS * dim);
  }

  encode(tokens: Tokens): Float32Array {
    const { sum, plain, gathered, network, vector } = this;
    const count = this.gatherParts(tokens);
    sum.fill(0);
    plain.fill(0);
    gathered.fill(0);
    for (let token = 0; token < count; token++) this.addToken(token, count);
    multiply(network.outer, gathered, 1, this.change, 0, 0);
    for (let n = 0; n < sum.length; n++) sum[n]! += this.change[n]!;
    writeUnit(sum, vector);
    if (network.wordShare !== 0 && count > 0) {
      sum.set(vector);
      writeUnit(plain, vector);
      for (let n = 0; n < sum.length; n++) sum[n]! += network.wordShare * vector[n]!;
      writeUnit(sum, vector);
    }
    return vector;
  }

  /** Finds or makes the parts of the tokens of a text that have a vector; how many these are. */
  private gatherParts(tokens: Tokens): number {
    const { cache, table, items, places } = this;
    const count = readItems(table, tokens, items);
    cache.makeRoom();
    let numNew = 0;
    for (let n = 0; n < count; n++) {
      const item = items[n]!;
      places[n] = cache.find(tokens, item);
      if (places[n]! >= 0) continue;
      places[n] = cache.add(tokens, item);
      addItem(table, tokens, item, cache.parts, places[n]!);
      numNew++;
      if (numNew === NEW_WORDS) numNew = this.readNewWords(numNew);
    }
    this.readNewWords(numNew);
    return count;
  }

  /** Computes, behind the vectors of the words that were added last, what these contribute; no word
   * is new then. */
  private readNewWords(count: number): 0 {
    const { cache, units, table, network } = this;
    const { dim } = table;
    const { parts, size } = cache;
    const first = cache.used * size - count * size;
    for (let n = 0; n < count; n++) {
      const place = first + n * size;
      const root = Math.sqrt(dot(parts, place, parts, place, dim) / dim + 1e-6);
      for (let d = 0; d < dim; d++) units[n * dim + d] = parts[place + d]! / root;
      parts[place + size - 1] = dot(network.gate, 0, units, n * dim, dim) + network.gateBias;
    }
    multiply(network.inner, units, count, parts, first + dim, size);
    return 0;
  }

  /** Adds a token of a text to the sums. */
  private addToken(token: number, count: number): void {
    const { places, layer, network, sum, plain, gathered } = this;
    const { parts, size } = this.cache;
    const { hidden, width } = network;
    const { dim } = this.table;
    layer.fill(0);
    for (let place = 0; place < width; place++) {
      const other = token + place - (width - 1) / 2;
      if (other < 0 || other >= count) continue;
      const from = places[other]! + dim + place * hidden;
      for (let n = 0; n < hidden; n++) layer[n]! += parts[from + n]!;
    }
    for (let n = 0; n < hidden; n++) if (layer[n]! < 0) layer[n] = 0;
    const from = places[token]!;
    const logit = dot(layer, 0, network.hiddenGate, 0, hidden) + parts[from + size - 1]!;
    const gate = 1 + Math.tanh(logit / 2); // 2 * sigmoid
    for (let n = 0; n < dim; n++) {
      sum[n]! += gate * parts[from + n]!;
      plain[n]! += parts[from + n]!;
    }
    for (let n = 0; n < hidden; n++) gathered[n]! += gate * layer[n]!;
  }
}
