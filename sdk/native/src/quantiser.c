/* Codes of vectors: the nearest centroid of each sub-vector (docs/recognition.md, templates as codes). */

#include "edit.h"

/* Codebooks less their means, and the squared lengths of their centroids. */
typedef struct pi_centred {
  float *means, *centroids, *squares;
  float *part; /* room for a sub-vector */
} pi_centred;

static bool pi_centre_codebook(const pi_matrix *rows, pi_arena *arena, pi_centred *centred,
                               pi_error *error) {
  size_t books = rows->step == 0 ? 1 : rows->num_sub;
  size_t size = rows->codebook_size, dim = rows->sub_dim;
  centred->means = pi_take(arena, books * dim, sizeof(float), error);
  centred->centroids = pi_take(arena, books * size * dim, sizeof(float), error);
  centred->squares = pi_take(arena, books * size, sizeof(float), error);
  centred->part = pi_take(arena, dim, sizeof(float), error);
  if (error->status != PINTENT_OK) {
    return false;
  }
  for (size_t book = 0; book < books; book++) {
    const float *from = rows->codebook + book * size * dim;
    float *mean = centred->means + book * dim;
    for (size_t n = 0; n < size * dim; n++) {
      mean[n % dim] += from[n] / (float)size;
    }
    for (size_t n = 0; n < size * dim; n++) {
      float number = from[n] - mean[n % dim];
      centred->centroids[book * size * dim + n] = number;
      centred->squares[book * size + n / dim] += number * number;
    }
  }
  return true;
}

/* The nearest of some centroids, the first of equally near ones. */
static size_t pi_nearest_centroid(const float *vector, const float *centroids, const float *squares,
                                  size_t size, size_t dim) {
  size_t nearest = 0;
  float least = 0;
  for (size_t n = 0; n < size; n++, centroids += dim) {
    float product = 0;
    for (size_t d = 0; d < dim; d++) {
      product += vector[d] * centroids[d];
    }
    float distance = squares[n] - 2 * product;
    if (n == 0 || distance < least) {
      nearest = n;
      least = distance;
    }
  }
  return nearest;
}

/* Writes the codes of a vector, in the form of the matrix. */
static void pi_assign(const pi_matrix *rows, const pi_centred *centred, const float *vector,
                      char *codes) {
  size_t size = rows->codebook_size, dim = rows->sub_dim;
  for (size_t sub = 0; sub < rows->num_sub; sub++) {
    size_t book = rows->step == 0 ? 0 : sub;
    for (size_t d = 0; d < dim; d++) {
      centred->part[d] = vector[sub * dim + d] - centred->means[book * dim + d];
    }
    size_t code = pi_nearest_centroid(centred->part, centred->centroids + book * size * dim,
                                      centred->squares + book * size, size, dim);
    if (rows->form == PI_CODES_8) {
      codes[sub] = (char)code;
    } else {
      uint16_t wide = (uint16_t)code;
      memcpy(codes + 2 * sub, &wide, sizeof wide);
    }
  }
}

/* Bytes of a stored row; of floats where there is no row yet. */
static size_t pi_row_size(const pi_matrix *rows, size_t dim) {
  switch (rows->form) {
    case PI_CODES_8:
      return rows->num_sub;
    case PI_CODES_16:
      return 2 * rows->num_sub;
    default:
      return dim * sizeof(float);
  }
}

/* Gives a codebook a new owner. */
static bool pi_copy_codebook(pi_arena *arena, pi_matrix *rows, pi_error *error) {
  if (rows->codebook == NULL) {
    return true;
  }
  size_t books = rows->step == 0 ? 1 : rows->num_sub;
  size_t size = books * rows->codebook_size * rows->sub_dim * sizeof(float);
  rows->codebook =
      (const float *)(const void *)pi_copy(arena, (const char *)rows->codebook, size, error);
  return rows->codebook != NULL;
}

/* Begins the new index with the settings of the old one; that of a new set with codes as that of a
 * bot without intents. */
static bool pi_copy_rows(pi_edit *edit, pi_index *index) {
  const pi_index *old = &edit->old->index;
  *index = *old;
  index->scales = NULL;
  if (edit->change.set.data != NULL && index->is_table) {
    memset(&index->rows, 0, sizeof index->rows);
    index->max_error = PI_MAX_ERROR;
    return pi_read_own_codebook(&edit->file, edit->bot, edit->error);
  }
  index->rows.dim = edit->bot->encoder.table.dim;
  return pi_copy_codebook(&edit->bot->arena, &index->rows, edit->error);
}
