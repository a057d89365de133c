/* What the networks of models have in common: their sizes, vectors and layers in a model file. */

import { check } from './checks.js';
import type { Layer } from './kernels.js';
import { decodeMatrix, type Matrix } from './matrix.js';
import { floatsOf, halvesOf, needTensor, type Tensors } from './tensors.js';

/** Tokens of a text that a network reads. */
export const SEQUENCE = 256;
const MOST_NUMBERS = 2 ** 28;

/** Checks that a network needs no more memory than is allowed. */
export function checkRoom(...numbers: number[]): void {
  const isFree = Math.max(...numbers) <= MOST_NUMBERS;
  check(isFree, `the network needs more than ${MOST_NUMBERS} numbers in memory`);
}

/** A vector in F32; or in F16, where that is allowed. */
export function readVector(
  tensors: Tensors,
  name: string,
  size: number,
  allowsHalves = false,
): Float32Array {
  const isHalf = allowsHalves && tensors.get(name)?.dtype === 'F16';
  const tensor = needTensor(tensors, name, isHalf ? 'F16' : 'F32', [size]);
  return isHalf ? halvesOf(tensor) : floatsOf(tensor);
}

/** A decoded matrix of a network; it has to have a shape. */
export function readWeights(matrix: Matrix, name: string, num: number, dim: number): Float32Array {
  check(
    matrix.num === num && matrix.dim === dim,
    `${name} has the shape [${matrix.num}, ${matrix.dim}]; it must be [${num}, ${dim}]`,
  );
  return decodeMatrix(matrix, name);
}

export function makeLayer(weights: Float32Array, bias: Float32Array, dim: number): Layer {
  return { weights, bias, num: bias.length, dim };
}
