/* The kernels for one set of instructions. Included once for each, with
 *
 *     PI_WIDTH   numbers of a vector: 1 for plain C
 *     PI_TARGET  the attribute of functions that use the instructions
 *     PI_K(name) the name of a function of this set
 *     PI_WIDEN   how bytes at a place become whole numbers, if the set can do it at once
 *
 * The vectors are those of the compiler, so that one text serves all processors.
 */

#if PI_WIDTH == 1
typedef float PI_K(vec);
typedef int32_t PI_K(ints);
#define PI_ALL(number) ((PI_K(vec))(number))
#else
typedef float PI_K(vec) __attribute__((vector_size(4 * PI_WIDTH)));
typedef int32_t PI_K(ints) __attribute__((vector_size(4 * PI_WIDTH)));
#define PI_ALL(number) ((PI_K(vec)){0} + (number))
#endif

#define PI_VEC PI_K(vec)
#define PI_LOAD(name, place) \
  PI_VEC name;               \
  memcpy(&name, place, sizeof name)

PI_TARGET static inline float PI_K(sum)(const PI_VEC *vector) {
#if PI_WIDTH >= 8
  typedef float half __attribute__((vector_size(2 * PI_WIDTH)));
  half low, high;
  memcpy(&low, vector, sizeof low);
  memcpy(&high, (const char *)vector + sizeof low, sizeof high);
  low += high;
  float numbers[PI_WIDTH / 2], sum = 0;
  memcpy(numbers, &low, sizeof numbers);
  for (int n = 0; n < PI_WIDTH / 2; n += 2) {
    sum += numbers[n] + numbers[n + 1];
  }
#else
  float numbers[PI_WIDTH], sum = 0;
  memcpy(numbers, vector, sizeof numbers);
  for (int n = 0; n < PI_WIDTH; n++) {
    sum += numbers[n];
  }
#endif
  return sum;
}

PI_TARGET static float PI_K(dot)(const float *one, const float *other, size_t size) {
  PI_VEC a = {0}, b = {0}, c = {0}, d = {0};
  size_t n = 0;
  for (; n + 4 * PI_WIDTH <= size; n += 4 * PI_WIDTH) {
    PI_LOAD(p0, one + n);
    PI_LOAD(p1, one + n + PI_WIDTH);
    PI_LOAD(p2, one + n + 2 * PI_WIDTH);
    PI_LOAD(p3, one + n + 3 * PI_WIDTH);
    PI_LOAD(q0, other + n);
    PI_LOAD(q1, other + n + PI_WIDTH);
    PI_LOAD(q2, other + n + 2 * PI_WIDTH);
    PI_LOAD(q3, other + n + 3 * PI_WIDTH);
    a += p0 * q0;
    b += p1 * q1;
    c += p2 * q2;
    d += p3 * q3;
  }
  for (; n + PI_WIDTH <= size; n += PI_WIDTH) {
    PI_LOAD(p, one + n);
    PI_LOAD(q, other + n);
    a += p * q;
  }
  a = (a + b) + (c + d);
  float sum = PI_K(sum)(&a);
  for (; n < size; n++) {
    sum += one[n] * other[n];
  }
  return sum;
}

PI_TARGET static void PI_K(add)(float *sum, const float *vector, float scale, size_t size) {
  size_t n = 0;
  PI_VEC factor = PI_ALL(scale);
  for (; n + PI_WIDTH <= size; n += PI_WIDTH) {
    PI_LOAD(p, sum + n);
    PI_LOAD(q, vector + n);
    p += factor * q;
    memcpy(sum + n, &p, sizeof p);
  }
  for (; n < size; n++) {
    sum[n] += scale * vector[n];
  }
}

/* The sums of four vectors. */
PI_TARGET static inline void PI_K(sums)(PI_VEC a, PI_VEC b, PI_VEC c, PI_VEC d, float *sums) {
  sums[0] = PI_K(sum)(&a);
  sums[1] = PI_K(sum)(&b);
  sums[2] = PI_K(sum)(&c);
  sums[3] = PI_K(sum)(&d);
}

/* Adds the products behind the last whole vector. */
PI_TARGET static inline void PI_K(add_rest)(const float *rows, size_t step, size_t size,
                                            const float *vector, float *sums) {
  for (size_t n = size - size % PI_WIDTH; n < size; n++) {
    for (size_t row = 0; row < PI_ROWS; row++) {
      sums[row] += rows[row * step + n] * vector[n];
    }
  }
}

/* Four rows and one vector. */
PI_TARGET static void PI_K(multiply_one)(const float *rows, size_t step, size_t size,
                                         const float *vector, float *out) {
  const float *r0 = rows, *r1 = rows + step, *r2 = r1 + step, *r3 = r2 + step;
  PI_VEC x0 = {0}, x1 = {0}, x2 = {0}, x3 = {0};
  for (size_t n = 0; n + PI_WIDTH <= size; n += PI_WIDTH) {
    PI_LOAD(a, vector + n);
    PI_LOAD(w0, r0 + n);
    PI_LOAD(w1, r1 + n);
    PI_LOAD(w2, r2 + n);
    PI_LOAD(w3, r3 + n);
    x0 += w0 * a;
    x1 += w1 * a;
    x2 += w2 * a;
    x3 += w3 * a;
  }
  PI_K(sums)(x0, x1, x2, x3, out);
  PI_K(add_rest)(rows, step, size, vector, out);
}

/* Four rows and three vectors: twelve sums stay in registers, and each load serves several. The
 * compilers of browsers have no register left for that, and two vectors are a quarter faster. */
#ifdef __wasm__
#define PI_AT_ONCE 2
#define PI_THIRD(statement)
#else
#define PI_AT_ONCE 3
#define PI_THIRD(statement) statement
#endif

PI_TARGET static void PI_K(multiply_some)(const float *rows, size_t step, size_t size,
                                          const float *vectors, size_t stride, float *out,
                                          size_t out_stride) {
  const float *r0 = rows, *r1 = rows + step, *r2 = r1 + step, *r3 = r2 + step;
  const float *x = vectors, *y = vectors + stride;
  PI_VEC x0 = {0}, x1 = {0}, x2 = {0}, x3 = {0}, y0 = {0}, y1 = {0}, y2 = {0}, y3 = {0};
  PI_THIRD(const float *z = y + stride);
  PI_THIRD(PI_VEC z0 = {0}; PI_VEC z1 = {0}; PI_VEC z2 = {0}; PI_VEC z3 = {0});
  for (size_t n = 0; n + PI_WIDTH <= size; n += PI_WIDTH) {
    PI_LOAD(a, x + n);
    PI_LOAD(b, y + n);
    PI_THIRD(PI_LOAD(c, z + n));
    PI_LOAD(w0, r0 + n);
    x0 += w0 * a;
    y0 += w0 * b;
    PI_THIRD(z0 += w0 * c);
    PI_LOAD(w1, r1 + n);
    x1 += w1 * a;
    y1 += w1 * b;
    PI_THIRD(z1 += w1 * c);
    PI_LOAD(w2, r2 + n);
    x2 += w2 * a;
    y2 += w2 * b;
    PI_THIRD(z2 += w2 * c);
    PI_LOAD(w3, r3 + n);
    x3 += w3 * a;
    y3 += w3 * b;
    PI_THIRD(z3 += w3 * c);
  }
  PI_K(sums)(x0, x1, x2, x3, out);
  PI_K(add_rest)(rows, step, size, x, out);
  PI_K(sums)(y0, y1, y2, y3, out + out_stride);
  PI_K(add_rest)(rows, step, size, y, out + out_stride);
  PI_THIRD(PI_K(sums)(z0, z1, z2, z3, out + 2 * out_stride));
  PI_THIRD(PI_K(add_rest)(rows, step, size, z, out + 2 * out_stride));
}

PI_TARGET static void PI_K(multiply)(const float *rows, size_t step, size_t size,
                                     const float *vectors, size_t stride, size_t num, float *out,
                                     size_t out_stride) {
  size_t n = 0;
  for (; n + PI_AT_ONCE <= num; n += PI_AT_ONCE) {
    PI_K(multiply_some)(rows, step, size, vectors + n * stride, stride, out + n * out_stride,
                        out_stride);
  }
  for (; n < num; n++) {
    PI_K(multiply_one)(rows, step, size, vectors + n * stride, out + n * out_stride);
  }
}

/* Whole numbers of 8 bits as floats. */
PI_TARGET static void PI_K(widen)(const int8_t *integers, float *numbers, size_t size) {
  size_t n = 0;
#ifdef PI_WIDEN
  for (; n + PI_WIDTH <= size; n += PI_WIDTH) {
    PI_K(ints) whole = (PI_K(ints))PI_WIDEN(integers + n);
    PI_VEC wide = __builtin_convertvector(whole, PI_VEC);
    memcpy(numbers + n, &wide, sizeof wide);
  }
#endif
  for (; n < size; n++) {
    numbers[n] = integers[n];
  }
}

/* The exponential function of numbers, in place, with an error of a few units in the last place: a
 * power of two by the exponent's bits, times a polynomial (the Taylor series) around zero. */
PI_TARGET static PI_EXP_INLINE void PI_K(exp_one)(PI_VEC *numbers) {
  PI_VEC x = *numbers;
#if PI_WIDTH == 1
  x = x < -87.0f ? -87.0f : x > 88.0f ? 88.0f : x;
#else
  PI_K(ints) is_low = x < PI_ALL(-87.0f), is_high = x > PI_ALL(88.0f);
  PI_VEC low = PI_ALL(-87.0f), high = PI_ALL(88.0f);
  x = (PI_VEC)(((PI_K(ints))x & ~is_low & ~is_high) | ((PI_K(ints))low & is_low) |
               ((PI_K(ints))high & is_high));
#endif
  PI_VEC shifted = x * 1.44269504f + 12582912.0f; /* rounds to a whole number in the low bits */
  PI_K(ints) bits;
  memcpy(&bits, &shifted, sizeof bits);
  PI_VEC power = shifted - 12582912.0f;
  x = x - power * 0.693359375f;
  x = x + power * 2.12194440e-4f;
  PI_VEC sum = PI_ALL(1.0f / 5040);
  sum = sum * x + 1.0f / 720;
  sum = sum * x + 1.0f / 120;
  sum = sum * x + 1.0f / 24;
  sum = sum * x + 1.0f / 6;
  sum = sum * x + 0.5f;
  sum = sum * x + 1.0f;
  sum = sum * x + 1.0f;
  PI_K(ints) of_sum;
  memcpy(&of_sum, &sum, sizeof of_sum);
  of_sum += (bits - 0x4B400000) * (1 << 23);
  memcpy(numbers, &of_sum, sizeof of_sum);
}

/* 1 / (1 + exp(-x)). */
PI_TARGET static inline PI_VEC PI_K(sigmoid_one)(PI_VEC x) {
  PI_VEC power = -x;
  PI_K(exp_one)(&power);
  return 1.0f / (power + 1.0f);
}

PI_TARGET static void PI_K(sigmoid)(float *numbers, size_t size) {
  for (size_t n = 0; n < size; n += PI_WIDTH) {
    size_t count = size - n < PI_WIDTH ? size - n : PI_WIDTH;
    PI_VEC part = {0};
    memcpy(&part, numbers + n, count * sizeof *numbers);
    part = PI_K(sigmoid_one)(part);
    memcpy(numbers + n, &part, count * sizeof *numbers);
  }
}

#ifndef PINTENT_NO_EDITS

/* Numbers beyond the last whole vector move by nothing, and so count for nothing. */
PI_TARGET static void PI_K(slopes)(const float *logits, const float *moves, float length,
                                   size_t size, float *slopes) {
  PI_VEC first = {0}, second = {0}, factor = PI_ALL(length);
  for (size_t n = 0; n < size; n += PI_WIDTH) {
    size_t bytes = (size - n < PI_WIDTH ? size - n : PI_WIDTH) * sizeof *logits;
    PI_VEC logit = {0}, move = {0};
    memcpy(&logit, logits + n, bytes);
    memcpy(&move, moves + n, bytes);
    PI_VEC probability = PI_K(sigmoid_one)(logit + factor * move);
    PI_VEC slope = probability * move;
    first += slope;
    second += slope * (1.0f - probability) * move;
  }
  slopes[0] += PI_K(sum)(&first);
  slopes[1] += PI_K(sum)(&second);
}

#endif

#include "kernels_groups.h"
#include "kernels_states.h"

static const pi_kernels PI_K(kernels) = {
    PI_NAME,       PI_K(dot),  PI_K(add),     PI_K(multiply),
    PI_K(widen),   PI_K(gelu), PI_K(sigmoid), PI_K(tanh),
#ifndef PINTENT_NO_CHARACTERS
    PI_K(softmax),
#endif
#ifndef PINTENT_NO_EDITS
    PI_K(slopes),
#endif
    PI_GROUP,      PI_K(multiply_groups), PI_K(norm), PI_K(softmax_groups),
};

#undef PI_ALL
#undef PI_AT_ONCE
#undef PI_GROUP
#undef PI_VEC
#undef PI_LOAD
#undef PI_WIDTH
#undef PI_WIDEN
#undef PI_JOIN
#undef PI_TARGET
#undef PI_THIRD
#undef PI_NAME
#undef PI_K
