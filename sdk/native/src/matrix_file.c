/* Matrices of a model file, with the checks of docs/model-file.md. */

#include <math.h>

#include "matrix.h"

enum { PI_NAME_SIZE = 128, PI_MOST_BITS = 16 };

static bool pi_setting(const pi_json *settings, const char *key, size_t least, size_t *value,
                       pi_error *error) {
  if (!pi_json_count(pi_json_get(settings, key), least, INT64_MAX, value)) {
    return pi_fail(error, PINTENT_ERROR_MODEL, "setting '%s' must be a whole number from %zu", key,
                   least);
  }
  return true;
}

static bool pi_flag(const pi_json *settings, const char *key, bool *value, pi_error *error) {
  const pi_json *flag = pi_json_get(settings, key);
  if (flag == NULL || (flag->type != PI_JSON_TRUE && flag->type != PI_JSON_FALSE)) {
    return pi_fail(error, PINTENT_ERROR_MODEL, "setting '%s' must be true or false", key);
  }
  *value = flag->type == PI_JSON_TRUE;
  return true;
}

/* Bits of a code for a number of centroids, at least 1. */
static size_t pi_bits_for(size_t codebook_size) {
  size_t bits = 1;
  while (bits < 64 && ((uint64_t)codebook_size - 1) >> bits != 0) {
    bits++;
  }
  return bits;
}

/* A product of sizes that may be too large for memory. */
static uint64_t pi_product(uint64_t one, uint64_t other) {
  return other != 0 && one > UINT64_MAX / other ? UINT64_MAX : one * other;
}

/* Whether sizes make a codebook that vectors of `dim` numbers can have. */
static bool pi_check_codebook(uint64_t num_books, uint64_t size, uint64_t sub_dim, uint64_t dim,
                              pi_error *error) {
  if (num_books == 0 || size == 0 || sub_dim == 0 || size > (uint64_t)1 << PI_MOST_BITS) {
    return pi_fail(error, PINTENT_ERROR_MODEL,
                   "a codebook must be [num_codebooks, codebook_size, sub_dim] with at most 65536 "
                   "centroids");
  }
  uint64_t num_sub = dim / sub_dim;
  if (num_sub == 0 || dim != num_sub * sub_dim || (num_books != 1 && num_books != num_sub)) {
    return pi_fail(error, PINTENT_ERROR_MODEL,
                   "%llu codebooks of sub_dim %llu do not fit vectors of dim %llu",
                   (unsigned long long)num_books, (unsigned long long)sub_dim,
                   (unsigned long long)dim);
  }
  return true;
}

/* Codes of a number of bits other than 8 and 16, lowest bit first, as 8 or 16 bits each. */
static bool pi_unpack(const unsigned char *packed, size_t count, size_t bits, pi_matrix *matrix,
                      pi_arena *arena, pi_error *error) {
  size_t of_code = bits <= 8 ? 1 : 2;
  unsigned char *codes = pi_take(arena, count, of_code, error);
  uint32_t window = 0;
  size_t filled = 0, place = 0;
  for (size_t n = 0; codes != NULL && n < count; n++) {
    while (filled < bits) {
      window |= (uint32_t)packed[place++] << filled;
      filled += 8;
    }
    uint16_t code = (uint16_t)(window & (((uint32_t)1 << bits) - 1));
    memcpy(codes + n * of_code, &code, of_code);
    window >>= bits;
    filled -= bits;
  }
  matrix->rows = codes;
  return codes != NULL;
}

static bool pi_check_codes(const pi_matrix *matrix, const char *name, pi_error *error) {
  size_t largest = 0, count = matrix->num * matrix->num_sub;
  if (matrix->form == PI_CODES_8) {
    const uint8_t *codes = matrix->rows;
    uint8_t most = 0;
    for (size_t n = 0; n < count; n++) {
      most = codes[n] > most ? codes[n] : most;
    }
    largest = most;
  } else {
    const uint16_t *codes = matrix->rows;
    uint16_t most = 0;
    for (size_t n = 0; n < count; n++) {
      most = codes[n] > most ? codes[n] : most;
    }
    largest = most;
  }
  if (count > 0 && largest >= matrix->codebook_size) {
    return pi_fail(error, PINTENT_ERROR_MODEL, "%s: code %zu is beyond a codebook of %zu", name,
                   largest, matrix->codebook_size);
  }
  return true;
}

static bool pi_read_codes(const pi_file *file, const char *prefix, size_t bits, pi_arena *arena,
                          pi_matrix *matrix, pi_error *error) {
  char name[PI_NAME_SIZE];
  pi_format(name, sizeof name, "%s.codes", prefix);
  matrix->form = bits <= 8 ? PI_CODES_8 : PI_CODES_16;
  const pi_tensor *tensor;
  if (bits == 8 || bits == 16) {
    const uint64_t shape[] = {matrix->num, matrix->num_sub};
    tensor = pi_need_tensor(file, name, bits == 8 ? PI_U8 : PI_U16, 2, shape, error);
    if (tensor == NULL) {
      return false;
    }
    matrix->rows = tensor->data;
  } else {
    uint64_t count = pi_product(matrix->num, matrix->num_sub);
    if (count > UINT64_MAX / 32) {
      return pi_fail(error, PINTENT_ERROR_MODEL, "%s has too many codes", name);
    }
    const uint64_t size = (count * bits + 7) / 8;
    tensor = pi_need_tensor(file, name, PI_U8, 1, &size, error);
    if (tensor == NULL ||
        !pi_unpack((const unsigned char *)tensor->data, (size_t)count, bits, matrix, arena, error)) {
      return false;
    }
  }
  bool may_exceed = matrix->codebook_size < (size_t)1 << bits;
  return !may_exceed || pi_check_codes(matrix, name, error);
}

/* Numbers in half precision that are finite, as those of a checked file are. Those below the normal
 * ones are made by a difference, since many processors take long with such numbers. */
static void pi_halves(const uint16_t *halves, size_t count, float *numbers) {
  const uint32_t shift = 112U << 23; /* between the exponents */
  for (size_t n = 0; n < count; n++) {
    uint32_t half = halves[n], rest = half & 0x7FFF;
    uint32_t bits = (rest << 13) + shift, small_bits = bits + (1U << 23);
    float small;
    memcpy(&small, &small_bits, sizeof small);
    small -= 0x1p-14f;
    memcpy(&small_bits, &small, sizeof small_bits);
    bits = (rest < 0x400 ? small_bits : bits) | (half & 0x8000) << 16;
    memcpy(numbers + n, &bits, sizeof bits);
  }
}

static bool pi_read_quantized(const pi_file *file, const char *prefix, const pi_json *settings,
                              pi_arena *arena, pi_matrix *matrix, pi_error *error) {
  size_t bits = 0;
  bool per_position = false, is_normalised = false;
  if (!pi_setting(settings, "sub_dim", 1, &matrix->sub_dim, error) ||
      !pi_setting(settings, "codebook_size", 1, &matrix->codebook_size, error) ||
      !pi_setting(settings, "code_bits", 1, &bits, error)) {
    return false;
  }
  if (bits != pi_bits_for(matrix->codebook_size)) {
    return pi_fail(error, PINTENT_ERROR_MODEL, "code_bits must be %zu for %zu centroids",
                   pi_bits_for(matrix->codebook_size), matrix->codebook_size);
  }
  if (!pi_flag(settings, "per_position", &per_position, error) ||
      !pi_flag(settings, "normalised", &is_normalised, error)) {
    return false;
  }
  char name[PI_NAME_SIZE];
  pi_format(name, sizeof name, "%s.codebook", prefix);
  const uint64_t num_books = per_position ? matrix->dim / matrix->sub_dim : 1;
  const uint64_t shape[] = {num_books, matrix->codebook_size, matrix->sub_dim};
  const pi_tensor *tensor = pi_need_tensor(file, name, PI_F16, 3, shape, error);
  if (tensor == NULL || !pi_check_codebook(num_books, matrix->codebook_size, matrix->sub_dim,
                                           matrix->dim, error)) {
    return false;
  }
  matrix->num_sub = matrix->dim / matrix->sub_dim;
  matrix->step = num_books == 1 ? 0 : matrix->codebook_size * matrix->sub_dim;
  float *codebook = pi_arena_raw(arena, tensor->size, sizeof *codebook);
  if (codebook == NULL) {
    return pi_fail(error, PINTENT_ERROR_MEMORY, "there is no memory for a codebook");
  }
  pi_halves((const uint16_t *)(const void *)tensor->data, tensor->size, codebook);
  matrix->codebook = codebook;
  if (!pi_read_codes(file, prefix, bits, arena, matrix, error)) {
    return false;
  }
  if (is_normalised) {
    const uint64_t length = matrix->num;
    pi_format(name, sizeof name, "%s.norms", prefix);
    tensor = pi_need_tensor(file, name, PI_F16, 1, &length, error);
    matrix->scales = tensor == NULL ? NULL : (const uint16_t *)(const void *)tensor->data;
  }
  return tensor != NULL;
}

static bool pi_read_matrix(const pi_file *file, const char *prefix, const pi_json *settings,
                           pi_arena *arena, pi_matrix *matrix, pi_error *error) {
  memset(matrix, 0, sizeof *matrix);
  if (!pi_json_is_object(settings)) {
    return pi_fail(error, PINTENT_ERROR_MODEL, "the manifest has no object '%s'", prefix);
  }
  bool is_read = pi_setting(settings, "num", 0, &matrix->num, error) &&
                 pi_setting(settings, "dim", 1, &matrix->dim, error);
  if (is_read && matrix->dim > PI_MOST_DIM) {
    is_read = pi_fail(error, PINTENT_ERROR_MODEL, "dim is %zu; it must be at most 65536",
                      matrix->dim);
  }
  if (is_read && pi_json_get(settings, "code_bits") != NULL) {
    is_read = pi_read_quantized(file, prefix, settings, arena, matrix, error);
  } else if (is_read) {
    char name[PI_NAME_SIZE];
    const uint64_t shape[] = {matrix->num, matrix->dim};
    pi_format(name, sizeof name, "%s.embedding", prefix);
    const pi_tensor *tensor = pi_need_tensor(file, name, PI_F32, 2, shape, error);
    is_read = tensor != NULL;
    matrix->rows = is_read ? tensor->data : NULL;
  }
  if (!is_read) {
    pi_prefix(error, "%s of the model: ", prefix);
  }
  return is_read;
}

static bool pi_read_integers(const pi_file *file, const char *prefix, pi_matrix *matrix,
                             pi_error *error) {
  char name[PI_NAME_SIZE];
  memset(matrix, 0, sizeof *matrix);
  pi_format(name, sizeof name, "%s.codes", prefix);
  const pi_tensor *codes = pi_need_tensor(file, name, PI_I8, 2, NULL, error);
  if (codes == NULL) {
    return false;
  }
  pi_format(name, sizeof name, "%s.scales", prefix);
  const pi_tensor *scales = pi_need_tensor(file, name, PI_F16, 1, codes->shape, error);
  if (scales == NULL) {
    return false;
  }
  matrix->form = PI_INTEGERS;
  matrix->num = (size_t)codes->shape[0];
  matrix->dim = (size_t)codes->shape[1];
  matrix->rows = codes->data;
  matrix->scales = (const uint16_t *)(const void *)scales->data;
  return true;
}

/* The largest magnitude of a row, without its scale. */
static float pi_largest_of_row(const pi_matrix *matrix, size_t row) {
  float largest = 0;
  if (matrix->form == PI_INTEGERS) {
    const int8_t *codes = (const int8_t *)matrix->rows + row * matrix->dim;
    for (size_t n = 0; n < matrix->dim; n++) {
      largest = fabsf((float)codes[n]) > largest ? fabsf((float)codes[n]) : largest;
    }
    return largest;
  }
  for (size_t sub = 0; sub < matrix->num_sub; sub++) {
    size_t place = row * matrix->num_sub + sub;
    size_t code = matrix->form == PI_CODES_8 ? ((const uint8_t *)matrix->rows)[place]
                                             : ((const uint16_t *)matrix->rows)[place];
    const float *centroid = matrix->codebook + sub * matrix->step + code * matrix->sub_dim;
    for (size_t n = 0; n < matrix->sub_dim; n++) {
      largest = fabsf(centroid[n]) > largest ? fabsf(centroid[n]) : largest;
    }
  }
  return largest;
}

/* The largest magnitude that a row may have without its scale. */
static float pi_bound_of_rows(const pi_matrix *matrix) {
  size_t books = matrix->step == 0 ? 1 : matrix->num_sub;
  float largest = 128;
  if (matrix->form != PI_INTEGERS) {
    largest = 0;
    for (size_t n = 0; n < books * matrix->codebook_size * matrix->sub_dim; n++) {
      float number = fabsf(matrix->codebook[n]);
      largest = number > largest ? number : largest;
    }
  }
  return largest;
}

static bool pi_check_decoded(const pi_matrix *matrix, const char *name, pi_error *error) {
  if (matrix->form == PI_FLOATS || matrix->scales == NULL) {
    return true; /* the numbers of the file, which are checked */
  }
  float bound = pi_bound_of_rows(matrix);
  for (size_t row = 0; row < matrix->num; row++) {
    float scale = fabsf(pi_scale_of(matrix, row));
    /* Rows are small in nearly all files, so that they need not be read. */
    if (!(scale * bound <= (float)PI_LARGEST) &&
        !(scale * pi_largest_of_row(matrix, row) <= (float)PI_LARGEST)) {
      return pi_fail(error, PINTENT_ERROR_MODEL,
                     "tensor '%s' has a number that is NaN, infinite or beyond 65504", name);
    }
  }
  return true;
}
