/* The network of the kind `contextual` in a model file: docs/contextual.md. */

#include "encoder.h"

static bool pi_network_size(const pi_json *entry, const char *name, size_t most, size_t *size,
                            pi_error *error) {
  if (!pi_json_count(pi_json_get(entry, name), 1, most, size)) {
    return pi_fail(error, PINTENT_ERROR_MODEL,
                   "%s of the network must be a whole number from 1 to %zu", name, most);
  }
  return true;
}

static bool pi_check_room(const char *part, uint64_t numbers, pi_error *error) {
  if (numbers > PI_MOST_NUMBERS) {
    return pi_fail(error, PINTENT_ERROR_MODEL,
                   "the %s of the network need %llu numbers in memory; at most 268435456 are "
                   "allowed",
                   part, (unsigned long long)numbers);
  }
  return true;
}

/* Reads a vector in F32 or F16. */
static float *pi_read_vector(const pi_file *file, const char *name, size_t size, pi_arena *arena,
                             pi_error *error) {
  const pi_tensor *half = pi_find_tensor(file, name);
  const uint64_t shape = size;
  bool is_half = half != NULL && half->dtype == PI_F16;
  const pi_tensor *tensor =
      pi_need_tensor(file, name, is_half ? PI_F16 : PI_F32, 1, &shape, error);
  float *vector = tensor == NULL ? NULL : pi_take(arena, size, sizeof *vector, error);
  for (size_t n = 0; vector != NULL && n < size; n++) {
    vector[n] = is_half ? pi_half(((const uint16_t *)(const void *)tensor->data)[n])
                        : ((const float *)(const void *)tensor->data)[n];
  }
  return vector;
}

static bool pi_read_context_matrix(const pi_file *file, const char *name, bool is_int8, size_t rows,
                                   size_t columns, pi_matrix *matrix, pi_error *error) {
  if (is_int8) {
    if (!pi_read_integers(file, name, matrix, error)) {
      return false;
    }
    if (matrix->num != rows || matrix->dim != columns) {
      return pi_fail(error, PINTENT_ERROR_MODEL,
                     "%s has the shape [%zu, %zu], but [%zu, %zu] is expected", name, matrix->num,
                     matrix->dim, rows, columns);
    }
    return pi_check_decoded(matrix, name, error);
  }
  const uint64_t shape[] = {rows, columns};
  const pi_tensor *tensor = pi_need_tensor(file, name, PI_F32, 2, shape, error);
  if (tensor == NULL) {
    return false;
  }
  memset(matrix, 0, sizeof *matrix);
  matrix->num = rows;
  matrix->dim = columns;
  matrix->rows = tensor->data;
  return true;
}

static bool pi_read_context(const pi_file *file, size_t dim, pi_arena *arena, pi_context *context,
                            pi_error *error) {
  const pi_json *entry = pi_json_get(file->manifest, "network");
  const pi_json *weights = pi_json_get(entry, "weights"), *share = pi_json_get(entry, "word_share");
  bool is_int8 = pi_json_is_string(weights, "int8");
  if (!is_int8 && !pi_json_is_string(weights, "float32")) {
    return pi_fail(error, PINTENT_ERROR_MODEL,
                   "the manifest's network must have weights, 'float32' or 'int8'");
  }
  if (pi_json_get(entry, "blocks") != NULL) {
    return pi_fail(error, PINTENT_ERROR_MODEL,
                   "the network is of an earlier version, with blocks; train or build the model "
                   "again");
  }
  if (share != NULL && (!pi_json_number(share, &context->word_share) ||
                        !(context->word_share >= 0 && context->word_share <= 16))) {
    return pi_fail(error, PINTENT_ERROR_MODEL,
                   "word_share of the network must be a number from 0 to 16");
  }
  size_t hidden = 0, width = 0;
  if (!pi_network_size(entry, "hidden", PI_MOST_DIM, &hidden, error) ||
      !pi_network_size(entry, "width", PI_MOST_DIM, &width, error) ||
      !pi_check_room("weights", pi_product(pi_product(hidden, width), dim), error) ||
      !pi_check_room("parts of words",
                     pi_product(PI_SEQUENCE, dim + pi_product(width, hidden)), error)) {
    return false;
  }
  context->hidden = hidden;
  context->width = width;
  float *gate_bias = NULL;
  bool is_read =
      pi_read_context_matrix(file, "network.inner", is_int8, hidden, width * dim, &context->inner,
                             error) &&
      (context->inner_bias = pi_read_vector(file, "network.inner_bias", hidden, arena, error)) !=
          NULL &&
      pi_read_context_matrix(file, "network.outer", is_int8, dim, hidden, &context->outer, error) &&
      (context->gate = pi_read_vector(file, "network.gate", dim, arena, error)) != NULL &&
      (context->hidden_gate = pi_read_vector(file, "network.hidden_gate", hidden, arena, error)) !=
          NULL &&
      (gate_bias = pi_read_vector(file, "network.gate_bias", 1, arena, error)) != NULL;
  if (!is_read) {
    return false;
  }
  context->gate_bias = *gate_bias;
  if (width > 31 || width % 2 == 0) {
    return pi_fail(error, PINTENT_ERROR_MODEL,
                   "the width of the network must be an odd number from 1 to 31, not %zu", width);
  }
  return true;
}
