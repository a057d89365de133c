/* The tensors of a model file: where they are, and what numbers they may have. */

import { ModelFileError } from '../errors.js';
import { check } from './checks.js';
import { countOf, getJson, isObject, type Json } from './json.js';

const SIZES = {
  // No key but these is `in` it.
  __proto__: null,
  BOOL: 1,
  U8: 1,
  I8: 1,
  U16: 2,
  I16: 2,
  F16: 2,
  U32: 4,
  I32: 4,
  F32: 4,
  U64: 8,
  I64: 8,
  F64: 8,
};
export type Dtype = Exclude<keyof typeof SIZES, '__proto__'>;

/** The largest magnitude of a number in a file. */
export const LARGEST = 65504;
const MOST_AXES = 8;
const MOST_LENGTH = 2 ** 62;

/** What the header says of a tensor. */
interface Entry {
  readonly name: string;
  readonly dtype: Dtype;
  readonly shape: readonly number[];
  readonly begin: number;
  readonly end: number;
}

export interface Tensor extends Entry {
  readonly bytes: Uint8Array;
}

export type Tensors = ReadonlyMap<string, Tensor>;

/** A list of sizes; null if it is none. */
function sizesOf(value: Json | undefined, most: number): number[] | null {
  if (!Array.isArray(value) || value.length > most) return null;
  const sizes = value.map((item: Json) => countOf(item, MOST_LENGTH));
  return sizes.every((size) => size < MOST_LENGTH) ? sizes : null;
}

/** Reads the entry of a tensor in the header. */
export function readEntry(name: string, entry: Json): Entry {
  const dtype = getJson(entry, 'dtype');
  const shape = sizesOf(getJson(entry, 'shape'), MOST_AXES);
  const offsets = sizesOf(getJson(entry, 'data_offsets'), 2);
  const isRight = isObject(entry) && entry.size === 3 && shape !== null && offsets?.length === 2;
  check(
    isRight && typeof dtype === 'string' && dtype in SIZES,
    `tensor '${name}' needs a dtype, a shape of up to ${MOST_AXES} sizes, and two data_offsets`,
  );
  return { name, dtype: dtype as Dtype, shape, begin: offsets[0]!, end: offsets[1]! };
}

/** The bytes of a tensor's numbers; null if they are too many, even where an axis is empty. */
function bytesOf({ dtype, shape }: Entry): number | null {
  let product = SIZES[dtype];
  for (const length of shape) product *= length || 1;
  if (product >= 2 ** 63) return null;
  return shape.includes(0) ? 0 : product;
}

/** Places the tensors, which must fill the data without gap or overlap. */
export function placeTensors(entries: readonly Entry[], data: Uint8Array): Tensor[] {
  const ordered = [...entries].sort((a, b) => a.begin - b.begin || a.end - b.end);
  let end = 0;
  for (const entry of ordered) {
    check(
      entry.begin === end && entry.end - end === bytesOf(entry),
      `the offsets of tensor '${entry.name}' do not fit its shape or the tensor before it`,
    );
    end = entry.end;
  }
  check(
    end === data.length,
    `it is truncated or too long: the tensors take ${end} bytes, the file has ${data.length}`,
  );
  return entries.map((entry) => ({ ...entry, bytes: data.subarray(entry.begin, entry.end) }));
}

/** Bytes that begin at a multiple of a size: themselves, or a copy. */
function aligned(bytes: Uint8Array, size: number): Uint8Array {
  return bytes.byteOffset % size === 0 ? bytes : bytes.slice();
}

/** The numbers of a tensor F32. */
export function floatsOf(tensor: Tensor): Float32Array {
  const { buffer, byteOffset, length } = aligned(tensor.bytes, 4);
  return new Float32Array(buffer, byteOffset, length / 4);
}

/** The numbers of a tensor U16, or the bits of one of F16. */
export function wordsOf(tensor: Tensor): Uint16Array {
  const { buffer, byteOffset, length } = aligned(tensor.bytes, 2);
  return new Uint16Array(buffer, byteOffset, length / 2);
}

/** The numbers of a tensor F16. */
export function halvesOf(tensor: Tensor): Float32Array {
  const halves = wordsOf(tensor);
  const numbers = new Float32Array(halves.length);
  const bits = new Uint32Array(numbers.buffer);
  for (let n = 0; n < halves.length; n++) {
    const half = halves[n]!;
    const rest = half & 0x7fff;
    if (rest < 0x400) {
      numbers[n] = (half < 0x8000 ? rest : -rest) * 2 ** -24;
    } else {
      bits[n] = ((rest << 13) + (112 << 23)) | ((half & 0x8000) << 16);
    }
  }
  return numbers;
}

function hasBadNumber(tensor: Tensor): boolean {
  const { dtype, bytes } = tensor;
  if (dtype === 'F16') return wordsOf(tensor).some((half) => (half & 0x7c00) === 0x7c00);
  if (dtype === 'F32') {
    const numbers = floatsOf(tensor);
    for (let n = 0; n < numbers.length; n++) {
      if (!(Math.abs(numbers[n]!) <= LARGEST)) return true;
    }
  } else if (dtype === 'F64') {
    const copy = new Float64Array(bytes.slice().buffer);
    return copy.some((number) => !(Math.abs(number) <= LARGEST));
  }
  return false;
}

/** Checks that no number of a tensor is NaN, infinite or too large. */
export function checkNumbers(tensor: Tensor): void {
  if (hasBadNumber(tensor)) throw badNumber(tensor.name);
}

export function badNumber(name: string): ModelFileError {
  return new ModelFileError(
    `tensor '${name}' has a number that is NaN, infinite or beyond ${LARGEST}`,
  );
}

/** A tensor of a type and a shape, in which -1 is any length. */
export function needTensor(
  tensors: Tensors,
  name: string,
  dtype: Dtype,
  shape: readonly number[],
): Tensor {
  const tensor = tensors.get(name);
  const fits =
    tensor?.dtype === dtype &&
    tensor.shape.length === shape.length &&
    shape.every((length, axis) => length < 0 || length === tensor.shape[axis]);
  if (!fits) {
    const found = tensor ? `${tensor.dtype} [${tensor.shape.join(', ')}]` : 'missing';
    const wanted = shape.map((length) => (length < 0 ? 'any' : length)).join(', ');
    throw new ModelFileError(`tensor ${name} is ${found}; it must be ${dtype} [${wanted}]`);
  }
  return tensor;
}
