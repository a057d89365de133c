/* The kind `transformer`: docs/transformer.md. */

import { check, needCount } from './checks.js';
import { getJson, type Json } from './json.js';
import { dot, multiply, writeUnit, type Layer } from './kernels.js';
import { MOST_DIM, readIntegers, readMatrix, type Matrix } from './matrix.js';
import type { ModelFile } from './model_file.js';
import { checkRoom, makeLayer, readVector, readWeights, SEQUENCE } from './networks.js';
import { addItem, needObject, readItems, type Encoder, type Table } from './table.js';
import type { Tensors } from './tensors.js';
import type { Tokens } from './tokenizer.js';

const MOST_LAYERS = 64;
const FORMATS = ['codebook', 'float32', 'int8'];

interface Norm {
  readonly weight: Float32Array;
  readonly bias: Float32Array;
}

interface Block {
  readonly input: Layer;
  readonly output: Layer;
  readonly inner: Layer;
  readonly outer: Layer;
  readonly norms: readonly [Norm, Norm];
}

interface Network {
  readonly heads: number;
  readonly feedforward: number;
  readonly start: Float32Array;
  readonly positions: Float32Array;
  readonly norm: Norm;
  readonly blocks: readonly Block[];
}

/** What reads the weights of a network under their names. */
function weightsReader(tensors: Tensors, settings: Json | undefined) {
  const format = getJson(settings, 'format');
  check(
    typeof format === 'string' && FORMATS.includes(format),
    `the manifest's weights must name a format: ${FORMATS.join(', ')}`,
  );
  const readAny = (name: string): Matrix => {
    if (format === 'int8') return readIntegers(tensors, name);
    const matrix = readMatrix(tensors, name, getJson(getJson(settings, 'matrices'), name));
    const isRight = (matrix.book === null) === (format === 'float32');
    check(isRight, `${name} is not stored as ${format}`);
    return matrix;
  };
  const matrix = (name: string, num: number, dim: number): Float32Array =>
    readWeights(readAny(name), name, num, dim);
  const vector = (name: string, size: number): Float32Array => readVector(tensors, name, size);
  const layer = (prefix: string, num: number, dim: number): Layer =>
    makeLayer(matrix(`${prefix}.weight`, num, dim), vector(`${prefix}.bias`, num), dim);
  const norm = (prefix: string, dim: number): Norm => ({
    weight: vector(`${prefix}.weight`, dim),
    bias: vector(`${prefix}.bias`, dim),
  });
  return { matrix, vector, layer, norm };
}

function readNetwork({ manifest, tensors }: ModelFile, dim: number): Network {
  const entry = needObject(manifest, 'network');
  const numLayers = needCount(entry, 'layers', 1, MOST_LAYERS);
  const heads = needCount(entry, 'heads', 1, MOST_DIM);
  const feedforward = needCount(entry, 'feedforward', 1, MOST_DIM);
  check(dim % heads === 0, `the ${heads} heads of the network do not divide its ${dim} numbers`);
  const ofLayer = 4 * dim * dim + 2 * dim * feedforward + 9 * dim + feedforward;
  const length = SEQUENCE + 1;
  checkRoom(
    (SEQUENCE + 3) * dim + numLayers * ofLayer,
    length * Math.max(length * heads, 3 * dim, feedforward),
  );
  const { matrix, vector, layer, norm } = weightsReader(tensors, getJson(entry, 'weights'));
  return {
    heads,
    feedforward,
    start: vector('network.start', dim),
    positions: matrix('network.positions', SEQUENCE, dim),
    norm: norm('network.norm', dim),
    blocks: Array.from({ length: numLayers }, (_, n) => {
      const prefix = `network.layers.${n}`;
      return {
        input: layer(`${prefix}.attention.input`, 3 * dim, dim),
        output: layer(`${prefix}.attention.output`, dim, dim),
        inner: layer(`${prefix}.feedforward.0`, feedforward, dim),
        outer: layer(`${prefix}.feedforward.1`, dim, feedforward),
        norms: [norm(`${prefix}.norm.0`, dim), norm(`${prefix}.norm.1`, dim)],
      };
    }),
  };
}

/** Normalises the states of tokens, one behind the other, in place. */
function applyNorm({ weight, bias }: Norm, states: Float32Array, count: number): void {
  const dim = weight.length;
  for (let token = 0, place = 0; token < count; token++, place += dim) {
    let mean = 0;
    for (let n = 0; n < dim; n++) mean += states[place + n]!;
    mean /= dim;
    let square = 0;
    for (let n = 0; n < dim; n++) square += (states[place + n]! - mean) ** 2;
    const scale = 1 / Math.sqrt(square / dim + 1e-5);
    for (let n = 0; n < dim; n++) {
      states[place + n] = (states[place + n]! - mean) * scale * weight[n]! + bias[n]!;
    }
  }
}

/** GELU of numbers, in place: x / 2 * (1 + tanh(u)) is x / (1 + exp(-2 u)). */
function applyGelu(numbers: Float32Array, count: number): void {
  const slope = -2 * Math.sqrt(2 / Math.PI);
  for (let n = 0; n < count; n++) {
    const x = numbers[n]!;
    numbers[n] = x / (1 + Math.exp(slope * x * (1 + 0.044715 * x * x)));
  }
}

/** Probabilities of scores, in place. */
function applySoftmax(scores: Float64Array, count: number): void {
  let largest = -Infinity;
  let sum = 0;
  for (let n = 0; n < count; n++) largest = Math.max(largest, scores[n]!);
  for (let n = 0; n < count; n++) sum += scores[n] = Math.exp(scores[n]! - largest);
  for (let n = 0; n < count; n++) scores[n]! /= sum;
}

/** Numbers of the tokens of a text, with the start before them. */
class Room {
  readonly states: Float32Array;
  readonly parts: Float32Array;
  readonly mixed: Float32Array;
  readonly inner: Float32Array;

  constructor(
    readonly tokens: number,
    dim: number,
    feedforward: number,
  ) {
    this.states = new Float32Array(tokens * dim);
    this.parts = new Float32Array(tokens * 3 * dim);
    this.mixed = new Float32Array(tokens * dim);
    this.inner = new Float32Array(tokens * feedforward);
  }
}

/** Each token attends to all others. */
export class TransformerEncoder implements Encoder {
  private readonly network: Network;
  private readonly vector: Float32Array;
  private readonly sum: Float64Array;
  private readonly scores = new Float64Array(SEQUENCE + 1);
  private readonly items = new Int32Array(SEQUENCE);
  private room: Room;

  constructor(
    file: ModelFile,
    readonly table: Table,
  ) {
    this.network = readNetwork(file, table.dim);
    this.vector = new Float32Array(table.dim);
    this.sum = new Float64Array(table.dim);
    this.room = this.newRoom(32);
  }

  private newRoom(tokens: number): Room {
    return new Room(tokens, this.table.dim, this.network.feedforward);
  }

  encode(tokens: Tokens): Float32Array {
    const { table, network, items, sum, vector } = this;
    const { dim } = table;
    const count = readItems(table, tokens, items) + 1;
    if (count === 1) return vector.fill(0);
    if (count > this.room.tokens) this.room = this.newRoom(SEQUENCE + 1);
    const { states } = this.room;
    states.set(network.start);
    states.fill(0, dim, count * dim);
    for (let token = 1; token < count; token++) {
      addItem(table, tokens, items[token - 1]!, states, token * dim);
      const position = (token - 1) * dim;
      for (let n = 0; n < dim; n++) states[token * dim + n]! += network.positions[position + n]!;
    }
    applyNorm(network.norm, states, count);
    for (const block of network.blocks) this.applyBlock(block, count);
    sum.fill(0);
    for (let n = 0; n < count * dim; n++) sum[n % dim]! += states[n]!;
    writeUnit(sum, vector);
    return vector;
  }

  private applyBlock({ input, output, inner, outer, norms }: Block, count: number): void {
    const { room, network } = this;
    const { dim } = this.table;
    multiply(input, room.states, count, room.parts, 0, 3 * dim);
    room.mixed.fill(0, 0, count * dim);
    for (let head = 0; head < network.heads; head++) this.attend(head, count);
    // The places of keys and queries are free by now.
    multiply(output, room.mixed, count, room.parts, 0, dim);
    this.addParts(count);
    applyNorm(norms[0], room.states, count);
    multiply(inner, room.states, count, room.inner, 0, network.feedforward);
    applyGelu(room.inner, count * network.feedforward);
    multiply(outer, room.inner, count, room.parts, 0, dim);
    this.addParts(count);
    applyNorm(norms[1], room.states, count);
  }

  private addParts(count: number): void {
    const { states, parts } = this.room;
    const size = count * this.table.dim;
    for (let n = 0; n < size; n++) states[n]! += parts[n]!;
  }

  /** Adds to each state's mixture the values of a head, by how its query fits the keys. */
  private attend(head: number, count: number): void {
    const { scores } = this;
    const { parts, mixed } = this.room;
    const { dim } = this.table;
    const size = dim / this.network.heads;
    const first = head * size;
    const scale = 1 / Math.sqrt(size);
    for (let token = 0; token < count; token++) {
      const query = token * 3 * dim + first;
      for (let other = 0; other < count; other++) {
        const key = other * 3 * dim + dim + first;
        scores[other] = scale * dot(parts, query, parts, key, size);
      }
      applySoftmax(scores, count);
      const place = token * dim + first;
      for (let other = 0; other < count; other++) {
        const value = other * 3 * dim + 2 * dim + first;
        const share = scores[other]!;
        for (let n = 0; n < size; n++) mixed[place + n]! += share * parts[value + n]!;
      }
    }
  }
}
