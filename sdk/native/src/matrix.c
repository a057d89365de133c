/* Using the rows of matrices: decoding, sums and products. */

#include "matrix.h"

/* Decodes codes of pairs that share a codebook, as the matrices of networks and templates have: eight
 * codes are one load. */
static void pi_decode_pairs(const uint8_t *codes, size_t count, const float *book, float *numbers) {
  size_t n = 0;
  for (; n + 8 <= count; n += 8, numbers += 16) {
    uint64_t eight;
    memcpy(&eight, codes + n, sizeof eight);
    memcpy(numbers, book + 2 * (eight & 255), 8);
    memcpy(numbers + 2, book + 2 * (eight >> 8 & 255), 8);
    memcpy(numbers + 4, book + 2 * (eight >> 16 & 255), 8);
    memcpy(numbers + 6, book + 2 * (eight >> 24 & 255), 8);
    memcpy(numbers + 8, book + 2 * (eight >> 32 & 255), 8);
    memcpy(numbers + 10, book + 2 * (eight >> 40 & 255), 8);
    memcpy(numbers + 12, book + 2 * (eight >> 48 & 255), 8);
    memcpy(numbers + 14, book + 2 * (eight >> 56), 8);
  }
  for (; n < count; n++, numbers += 2) {
    memcpy(numbers, book + 2 * (size_t)codes[n], 8);
  }
}

static void pi_decode_row(const pi_matrix *matrix, size_t row, float *numbers,
                          const pi_kernels *kernels) {
  if (matrix->form == PI_FLOATS) {
    memcpy(numbers, (const float *)matrix->rows + row * matrix->dim, matrix->dim * sizeof *numbers);
    return;
  }
  if (matrix->form == PI_INTEGERS) {
    kernels->widen((const int8_t *)matrix->rows + row * matrix->dim, numbers, matrix->dim);
    return;
  }
  const uint8_t *codes = (const uint8_t *)matrix->rows + row * matrix->num_sub;
  const uint16_t *wide = (const uint16_t *)matrix->rows + row * matrix->num_sub;
  size_t sub_dim = matrix->sub_dim, size = sub_dim * sizeof *numbers, step = matrix->step;
  const float *book = matrix->codebook;
  if (matrix->form == PI_CODES_8 && sub_dim == 2 && step == 0) {
    pi_decode_pairs(codes, matrix->num_sub, book, numbers);
  } else if (matrix->form == PI_CODES_8 && sub_dim == 4) {
    for (size_t sub = 0; sub < matrix->num_sub; sub++, book += step) {
      memcpy(numbers + 4 * sub, book + 4 * (size_t)codes[sub], 4 * sizeof *numbers);
    }
  } else {
    for (size_t sub = 0; sub < matrix->num_sub; sub++, book += step) {
      size_t code = matrix->form == PI_CODES_8 ? codes[sub] : wide[sub];
      memcpy(numbers + sub * sub_dim, book + code * sub_dim, size);
    }
  }
}

static void pi_add_row(const pi_matrix *matrix, size_t row, float factor, float *sum,
                       float *decoded, const pi_kernels *kernels) {
  const float *numbers = decoded;
  if (matrix->form == PI_FLOATS) {
    numbers = (const float *)matrix->rows + row * matrix->dim;
  } else {
    pi_decode_row(matrix, row, decoded, kernels);
  }
  kernels->add(sum, numbers, factor * pi_scale_of(matrix, row), matrix->dim);
}

/* Applies the scales and biases of some rows to their products. */
static void pi_scale_products(const pi_matrix *matrix, size_t row, size_t count, const float *bias,
                              size_t num, float *out, size_t out_stride) {
  float scales[PI_ROWS], added[PI_ROWS] = {0};
  if (matrix->scales == NULL && bias == NULL) {
    return;
  }
  for (size_t n = 0; n < count; n++) {
    scales[n] = pi_scale_of(matrix, row + n);
    added[n] = bias == NULL ? 0.0f : bias[row + n];
  }
  for (size_t vector = 0; vector < num; vector++) {
    float *products = out + vector * out_stride + row;
    for (size_t n = 0; n < count; n++) {
      products[n] = products[n] * scales[n] + added[n];
    }
  }
}

static void pi_multiply(const pi_matrix *matrix, const float *vectors, size_t stride, size_t num,
                        const float *bias, float *out, size_t out_stride, float *decoded,
                        const pi_kernels *kernels) {
  size_t dim = matrix->dim;
  for (size_t row = 0; row < matrix->num; row += PI_ROWS) {
    size_t left = matrix->num - row, count = left < PI_ROWS ? left : PI_ROWS;
    const float *rows = decoded;
    if (matrix->form == PI_FLOATS) {
      rows = (const float *)matrix->rows + row * dim;
    } else {
      for (size_t n = 0; n < count; n++) {
        pi_decode_row(matrix, row + n, decoded + n * dim, kernels);
      }
    }
    if (count == PI_ROWS) {
      kernels->multiply(rows, dim, dim, vectors, stride, num, out + row, out_stride);
    } else {
      for (size_t n = 0; n < count * num; n++) {
        float *product = out + n / count * out_stride + row + n % count;
        *product = kernels->dot(rows + n % count * dim, vectors + n / count * stride, dim);
      }
    }
    pi_scale_products(matrix, row, count, bias, num, out, out_stride);
  }
}

static void pi_multiply_groups(const pi_matrix *matrix, const float *states, size_t stride,
                               size_t tokens, const pi_products *products, float *decoded,
                               const pi_kernels *kernels) {
  size_t width = matrix->dim + matrix->dim % 2;
  pi_pairs rows = {NULL, NULL, matrix->num, width / 2, width};
  pi_products next = *products;
  next.scales = matrix->scales;
  if (matrix->form == PI_CODES_8 && matrix->sub_dim == 2 && matrix->step == 0) {
    rows.numbers = matrix->codebook;
    rows.codes = matrix->rows;
    rows.stride = matrix->num_sub;
    kernels->multiply_groups(&rows, states, stride, tokens, &next);
    return;
  }
  rows.numbers = decoded;
  for (size_t row = 0; row < matrix->num; row += PI_ROWS) {
    size_t left = matrix->num - row;
    rows.num = left < PI_ROWS ? left : PI_ROWS;
    for (size_t n = 0; n < rows.num; n++) {
      float *numbers = decoded + n * width;
      pi_decode_row(matrix, row + n, numbers, kernels);
      memset(numbers + matrix->dim, 0, (width - matrix->dim) * sizeof *numbers);
    }
    next.out = products->out + row * kernels->group;
    next.scales = matrix->scales == NULL ? NULL : matrix->scales + row;
    next.bias = products->bias == NULL ? NULL : products->bias + row;
    kernels->multiply_groups(&rows, states, stride, tokens, &next);
  }
}
