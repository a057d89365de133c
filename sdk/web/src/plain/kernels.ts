/* Arithmetic of networks. Sums are in doubles, which engines multiply and add as fast as floats. */

/** The dot product of numbers of two lists from two places on. */
export function dot(
  one: Float32Array,
  place: number,
  other: Float32Array,
  otherPlace: number,
  size: number,
): number {
  let a = 0;
  let b = 0;
  let n = 0;
  for (; n + 2 <= size; n += 2) {
    a += one[place + n]! * other[otherPlace + n]!;
    b += one[place + n + 1]! * other[otherPlace + n + 1]!;
  }
  if (n < size) a += one[place + n]! * other[otherPlace + n]!;
  return a + b;
}

/** Rows of a matrix, decoded, and what is added to the product of each. */
export interface Layer {
  readonly weights: Float32Array;
  readonly bias: Float32Array;
  /** Rows. */
  readonly num: number;
  /** Columns. */
  readonly dim: number;
}

/** Multiplies a layer with `count` vectors, one behind the other. The products of a vector are
 * together from a place on, `stride` apart from those of the next. Four rows and two vectors are
 * multiplied at a time, so that each number that is loaded serves several products. */
export function multiply(
  { weights, bias, num, dim }: Layer,
  vectors: Float32Array,
  count: number,
  out: Float32Array,
  place: number,
  stride: number,
): void {
  let row = 0;
  for (; row + 4 <= num; row += 4) {
    const r0 = row * dim;
    const r1 = r0 + dim;
    const r2 = r1 + dim;
    const r3 = r2 + dim;
    let vector = 0;
    for (; vector + 2 <= count; vector += 2) {
      const x = vector * dim;
      const y = x + dim;
      let x0 = bias[row]!;
      let x1 = bias[row + 1]!;
      let x2 = bias[row + 2]!;
      let x3 = bias[row + 3]!;
      let y0 = x0;
      let y1 = x1;
      let y2 = x2;
      let y3 = x3;
      for (let n = 0; n < dim; n++) {
        const a = vectors[x + n]!;
        const b = vectors[y + n]!;
        const w0 = weights[r0 + n]!;
        const w1 = weights[r1 + n]!;
        const w2 = weights[r2 + n]!;
        const w3 = weights[r3 + n]!;
        x0 += w0 * a;
        y0 += w0 * b;
        x1 += w1 * a;
        y1 += w1 * b;
        x2 += w2 * a;
        y2 += w2 * b;
        x3 += w3 * a;
        y3 += w3 * b;
      }
      const to = place + vector * stride + row;
      out[to] = x0;
      out[to + 1] = x1;
      out[to + 2] = x2;
      out[to + 3] = x3;
      out[to + stride] = y0;
      out[to + stride + 1] = y1;
      out[to + stride + 2] = y2;
      out[to + stride + 3] = y3;
    }
    if (vector < count) {
      const x = vector * dim;
      let x0 = bias[row]!;
      let x1 = bias[row + 1]!;
      let x2 = bias[row + 2]!;
      let x3 = bias[row + 3]!;
      for (let n = 0; n < dim; n++) {
        const a = vectors[x + n]!;
        x0 += weights[r0 + n]! * a;
        x1 += weights[r1 + n]! * a;
        x2 += weights[r2 + n]! * a;
        x3 += weights[r3 + n]! * a;
      }
      const to = place + vector * stride + row;
      out[to] = x0;
      out[to + 1] = x1;
      out[to + 2] = x2;
      out[to + 3] = x3;
    }
  }
  for (; row < num; row++) {
    for (let vector = 0; vector < count; vector++) {
      const product = dot(weights, row * dim, vectors, vector * dim, dim);
      out[place + vector * stride + row] = bias[row]! + product;
    }
  }
}

/** Writes a sum at unit length; zeros if its squared length is 0 as a float. */
export function writeUnit(sum: Float64Array, vector: Float32Array): void {
  let square = 0;
  for (let n = 0; n < sum.length; n++) square += sum[n]! * sum[n]!;
  const length = Math.fround(square) > 0 ? Math.sqrt(square) : Infinity;
  for (let n = 0; n < sum.length; n++) vector[n] = sum[n]! / length;
}
