/* Matrices of a model file: rows of floats, of codes, or of 8-bit whole numbers. */

#ifndef PINTENT_MATRIX_H
#define PINTENT_MATRIX_H

#include "files.h"
#include "kernels.h"

typedef enum pi_form { PI_FLOATS, PI_CODES_8, PI_CODES_16, PI_INTEGERS } pi_form;

/* Vectors that are read row by row. Codes stay codes, in the file if they have 8 or 16 bits. */
typedef struct pi_matrix {
  pi_form form;
  size_t num, dim; /* rows and columns */
  const void *rows;
  const uint16_t *scales; /* half precision: the factor of each row; NULL for 1 */
  const float *codebook;  /* [num_codebooks, codebook_size, sub_dim] */
  size_t sub_dim, num_sub, codebook_size;
  size_t step; /* numbers from the codebook of a position to the next one's; 0 for one codebook */
} pi_matrix;

/* Reads `prefix`.embedding, or `prefix`.codes and what belongs to it, by their settings. What has to
 * be unpacked is of the arena. */
static bool pi_read_matrix(const pi_file *file, const char *prefix, const pi_json *settings,
                           pi_arena *arena, pi_matrix *matrix, pi_error *error);

/* Reads `prefix`.codes I8 and `prefix`.scales F16 of any shape. */
static bool pi_read_integers(const pi_file *file, const char *prefix, pi_matrix *matrix,
                             pi_error *error);

/* Whether no decoded number is beyond PI_LARGEST. */
static bool pi_check_decoded(const pi_matrix *matrix, const char *name, pi_error *error);

/* Decodes a row, without its scale. */
static void pi_decode_row(const pi_matrix *matrix, size_t row, float *numbers,
                          const pi_kernels *kernels);

static inline float pi_scale_of(const pi_matrix *matrix, size_t row) {
  return matrix->scales == NULL ? 1.0f : pi_half(matrix->scales[row]);
}

/* Adds `factor` times a row to a sum; `decoded` is room for a row. */
static void pi_add_row(const pi_matrix *matrix, size_t row, float factor, float *sum,
                       float *decoded, const pi_kernels *kernels);

/* Multiplies all rows with `num` vectors, `stride` apart, and adds a bias to each row's products if
 * there is one. The products of a vector are together, `out_stride` apart; `decoded` is room for
 * PI_ROWS rows. */
static void pi_multiply(const pi_matrix *matrix, const float *vectors, size_t stride, size_t num,
                        const float *bias, float *out, size_t out_stride, float *decoded,
                        const pi_kernels *kernels);

/* Multiplies all rows with the numbers of tokens in groups, `stride` apart (kernels.h). `decoded` is
 * room for PI_ROWS rows of an even size. */
static void pi_multiply_groups(const pi_matrix *matrix, const float *states, size_t stride,
                               size_t tokens, const pi_products *products, float *decoded,
                               const pi_kernels *kernels);

#endif
