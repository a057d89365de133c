/* What the networks of models have in common: their sizes, vectors and layers in a model file. */

import { ModelFileError } from '../errors.js';
import { countOf, getJson, type Json } from './json.js';
import type { Layer } from './kernels.js';
import { decodeMatrix, MOST_DIM, type Matrix } from './matrix.js';
import { floatsOf, halvesOf, needTensor, type Tensors } from './tensors.js';

/** Tokens of a text that a network reads. */
export const SEQUENCE = 256;
const MOST_NUMBERS = 2 ** 28;

/** A size of a network in its entry of the manifest. */
export function networkSize(entry: Json, name: string, most = MOST_DIM): number {
  const size = countOf(getJson(entry, name), 1, most);
  if (Number.isNaN(size)) {
    throw new ModelFileError(`${name} of the network must be a whole number from 1 to ${most}`);
  }
  return size;
}

/** Checks that a network needs no more memory than is allowed. */
export function checkRoom(...numbers: number[]): void {
  if (Math.max(...numbers) > MOST_NUMBERS) {
    throw new ModelFileError(`the network needs more than ${MOST_NUMBERS} numbers in memory`);
  }
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
  if (matrix.num !== num || matrix.dim !== dim) {
    throw new ModelFileError(
      `${name} has the shape [${matrix.num}, ${matrix.dim}], but [${num}, ${dim}] is expected`,
    );
  }
  return decodeMatrix(matrix, name);
}

export function makeLayer(weights: Float32Array, bias: Float32Array, dim: number): Layer {
  return { weights, bias, num: bias.length, dim };
}
