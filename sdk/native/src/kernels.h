/* The arithmetic that takes the time, once for each set of instructions. */

#ifndef PINTENT_KERNELS_H
#define PINTENT_KERNELS_H

#include "files.h"

enum {
  PI_ROWS = 4,         /* rows of a matrix that are multiplied together */
  PI_GROUPS = 3,       /* groups of tokens that are multiplied together */
  PI_STRIP = 48,       /* rows whose products are written together */
  PI_MOST_OF_GROUP = 8 /* tokens of a group */
};

/* Rows of pairs of numbers: the pairs of each row one after the other, or codes of the pairs. */
typedef struct pi_pairs {
  const float *numbers; /* the rows, or the codebook */
  const uint8_t *codes; /* NULL for rows of numbers */
  size_t num, pairs;
  size_t stride; /* from a row to the next: codes, or numbers */
} pi_pairs;

/* Where the products of rows and groups of tokens go. */
typedef struct pi_products {
  float *out;             /* of the first group */
  size_t stride;          /* from a group to the next */
  const uint16_t *scales; /* half precision: the factor of each row's products; NULL for 1 */
  const float *bias;      /* is added to the products of each row; NULL for none */
  bool adds;              /* the products to what is there */
} pi_products;

typedef struct pi_kernels {
  const char *name;
  /* The dot product of two vectors. */
  float (*dot)(const float *one, const float *other, size_t size);
  /* Adds `scale` times a vector. */
  void (*add)(float *sum, const float *vector, float scale, size_t size);
  /* The dot products of PI_ROWS rows, `step` apart, and `num` vectors, `stride` apart. They are
   * written for each vector together, `out_stride` apart. */
  void (*multiply)(const float *rows, size_t step, size_t size, const float *vectors, size_t stride,
                   size_t num, float *out, size_t out_stride);
  /* Writes whole numbers of 8 bits as floats. */
  void (*widen)(const int8_t *integers, float *numbers, size_t size);
  /* Replaces numbers by their GELU, in the approximation with tanh. */
  void (*gelu)(float *numbers, size_t size);
  /* Replaces logits by their probabilities. */
  void (*sigmoid)(float *numbers, size_t size);
  /* Replaces numbers by their hyperbolic tangent. */
  void (*tanh)(float *numbers, size_t size);
#ifndef PINTENT_NO_CHARACTERS
  /* Replaces numbers by their softmax. */
  void (*softmax)(float *numbers, size_t size);
#endif
#ifndef PINTENT_NO_EDITS
  /* Adds the first and the second derivative of the logistic loss of zeros along a line: `length`
   * times the moves from the logits. */
  void (*slopes)(const float *logits, const float *moves, float length, size_t size, float *slopes);
#endif

  /* The numbers of `group` tokens are kept together, so that a vector has those of all: pair after
   * pair of numbers, the pairs of a place token after token (pi_place). Behind an odd number of
   * numbers each token has a 0. */
  size_t group;
  /* Multiplies rows with the numbers of groups, `stride` apart, from any pair on. The products are
   * kept in the same way. A last group of at most half its tokens has them twice. */
  void (*multiply_groups)(const pi_pairs *rows, const float *states, size_t stride, size_t tokens,
                          const pi_products *products);
  /* Brings `dim` numbers of each token of a group to the mean 0 and the variance 1, and scales and
   * moves them (Ba et al. 2016). */
  void (*norm)(float *states, const float *weight, const float *bias, size_t dim);
  /* Replaces `count` numbers of each token of a group by the softmax of `factor` times them. */
  void (*softmax_groups)(float *scores, size_t count, float factor);
} pi_kernels;

/* The place of a token's number among `width` of each token, an even number. */
static inline size_t pi_place(size_t group, size_t width, size_t token, size_t number) {
  return token / group * group * width + number / 2 * 2 * group + token % group * 2 + number % 2;
}

/* The fastest kernels that the processor has, of those up to a name; NULL for all. */
static const pi_kernels *pi_choose_kernels(const char *most);

#endif
