/* The arithmetic that takes the time, once for each set of instructions. */

#ifndef PINTENT_KERNELS_H
#define PINTENT_KERNELS_H

#include "base.h"

enum { PI_ROWS = 4 }; /* rows of a matrix that are multiplied together */

typedef struct pi_kernels {
  const char *name;
  /* The dot product of two vectors. */
  float (*dot)(const float *one, const float *other, size_t size);
  /* Adds `scale` times a vector. */
  void (*add)(float *sum, const float *vector, float scale, size_t size);
  /* The dot products of PI_ROWS rows, one after the other, and `num` vectors, `stride` apart. They
   * are written for each vector together, `out_stride` apart. */
  void (*multiply)(const float *rows, size_t size, const float *vectors, size_t stride, size_t num,
                   float *out, size_t out_stride);
  /* Writes whole numbers of 8 bits as floats. */
  void (*widen)(const int8_t *integers, float *numbers, size_t size);
  /* Replaces numbers by their GELU, in the approximation with tanh. */
  void (*gelu)(float *numbers, size_t size);
  /* Replaces numbers by their softmax. */
  void (*softmax)(float *numbers, size_t size);
  /* Replaces logits by their probabilities. */
  void (*sigmoid)(float *numbers, size_t size);
  /* Replaces numbers by their hyperbolic tangent. */
  void (*tanh)(float *numbers, size_t size);
#ifndef PINTENT_NO_EDITS
  /* Adds the first and the second derivative of the logistic loss of zeros along a line: `length`
   * times the moves from the logits. */
  void (*slopes)(const float *logits, const float *moves, float length, size_t size, float *slopes);
#endif
} pi_kernels;

/* The fastest kernels that the processor has, of those up to a name; NULL for all. */
static const pi_kernels *pi_choose_kernels(const char *most);

#endif
