/* The index of a bot file: which templates the model knows, and their rows. */

#include <math.h>

#include "bot.h"

#define PI_MAX_ERROR 0.03 /* highest mean error at which a codebook of others is used */

enum { PI_ROWS_AT_ONCE = 128 }; /* rows of codes that stay in the fastest memory */

/* Finds the known templates of each intent. */
static bool pi_read_known(const pi_file *file, pintent_bot *bot, pi_error *error) {
  const pi_templates *templates = &bot->templates;
  pi_index *index = &bot->index;
  const uint64_t shape = templates->num_templates;
  const pi_tensor *known = pi_need_tensor(file, "bot.index.known", PI_U8, 1, &shape, error);
  index->intents = pi_take(&bot->arena, templates->num_intents, sizeof *index->intents, error);
  index->bounds = pi_take(&bot->arena, templates->num_intents + 1, sizeof *index->bounds, error);
  index->templates = pi_take(&bot->arena, templates->num_templates, sizeof *index->templates, error);
  if (error->status != PINTENT_OK) {
    return false;
  }
  size_t count = 0;
  for (size_t intent = 0; intent < templates->num_intents; intent++) {
    size_t before = count;
    for (size_t n = templates->bounds[intent]; n < templates->bounds[intent + 1]; n++) {
      if (known->data[n] != 0) {
        index->templates[count++] = (uint32_t)n;
      }
    }
    if (count > before) {
      index->intents[index->num++] = (uint32_t)intent;
      index->bounds[index->num] = count;
    }
  }
  return true;
}

/* The squared length of a decoded row of codes, from the squares of all centroids, `step` numbers
 * from one codebook to the next. Sums beside each other need not wait for each other. */
static float pi_square_row(const pi_matrix *rows, size_t row, const float *squares, size_t step) {
  const uint8_t *codes = (const uint8_t *)rows->rows + row * rows->num_sub;
  const uint16_t *wide = (const uint16_t *)rows->rows + row * rows->num_sub;
  float one = 0, two = 0, three = 0, four = 0;
  size_t sub = 0;
  for (; rows->form == PI_CODES_8 && sub + 4 <= rows->num_sub; sub += 4, squares += 4 * step) {
    uint32_t next;
    memcpy(&next, codes + sub, sizeof next);
    one += squares[next & 255];
    two += (squares + step)[next >> 8 & 255];
    three += (squares + 2 * step)[next >> 16 & 255];
    four += (squares + 3 * step)[next >> 24];
  }
  for (; sub < rows->num_sub; sub++, squares += step) {
    one += squares[rows->form == PI_CODES_8 ? codes[sub] : wide[sub]];
  }
  return (one + two) + (three + four);
}

/* One over the length of each decoded row; 1 for zeros. */
static bool pi_scale_rows(pintent_bot *bot, pi_error *error) {
  const pi_matrix *rows = &bot->index.rows;
  size_t books = rows->step == 0 ? 1 : rows->num_sub;
  float *scales = pi_take(&bot->arena, rows->num, sizeof *scales, error);
  float *squares = pi_take(&bot->arena, books * rows->codebook_size, sizeof *squares, error);
  if (scales == NULL || squares == NULL) {
    return false;
  }
  for (size_t n = 0; n < books * rows->codebook_size; n++) {
    const float *centroid = rows->codebook + n * rows->sub_dim;
    squares[n] = bot->kernels->dot(centroid, centroid, rows->sub_dim);
  }
  size_t step = rows->step == 0 ? 0 : rows->codebook_size;
  for (size_t row = 0; row < rows->num; row++) {
    float sum = pi_square_row(rows, row, squares, step);
    scales[row] = sum > 0 ? 1.0f / sqrtf(sum) : 1.0f;
  }
  bot->index.scales = scales;
  return true;
}

static bool pi_check_unit_rows(const pintent_bot *bot, pi_error *error) {
  const pi_matrix *rows = &bot->index.rows;
  for (size_t n = 0; n < rows->num; n++) {
    const float *row = (const float *)rows->rows + n * rows->dim;
    if (!(fabs(sqrt((double)bot->kernels->dot(row, row, rows->dim)) - 1.0) <= 1e-3)) {
      return pi_fail(error, PINTENT_ERROR_MODEL, "a row of the index is not of unit length");
    }
  }
  return true;
}

/* A number of an entry of the bot, from `least` to PI_LARGEST. */
static bool pi_bot_number(const pi_json *entry, const char *key, double least, const char *place,
                          double *number, pi_error *error) {
  if (!pi_json_number(pi_json_get(entry, key), number) ||
      !(*number >= least && *number <= PI_LARGEST)) {
    return pi_fail(error, PINTENT_ERROR_MODEL, "%s of %s must be a number from %g to %g", key,
                   place, least, PI_LARGEST);
  }
  return true;
}

static bool pi_read_rows(const pi_file *file, const pi_json *settings, bool is_table,
                         pintent_bot *bot, pi_error *error) {
  pi_matrix *rows = &bot->index.rows;
  const pi_json *entry = pi_json_get(settings, "rows");
  if (entry == NULL || entry->type == PI_JSON_NULL) {
    return true;
  }
  if (!pi_read_matrix(file, "bot.index.rows", entry, &bot->arena, rows, error)) {
    return false;
  }
  if ((rows->form != PI_FLOATS) != is_table) {
    return pi_fail(error, PINTENT_ERROR_MODEL, "the rows of the index do not fit the search '%s'",
                   is_table ? "table" : "exact");
  }
  if (rows->scales != NULL) {
    return pi_fail(error, PINTENT_ERROR_MODEL, "the rows of the index must not have norms");
  }
  return is_table ? pi_scale_rows(bot, error) : pi_check_unit_rows(bot, error);
}

/* Reads the index, whose settings are `settings`. */
static bool pi_read_index(const pi_file *file, const pi_json *settings, pintent_bot *bot,
                          pi_error *error) {
  const pi_json *search = pi_json_get(settings, "search");
  pi_index *index = &bot->index;
  bool is_table = pi_json_is_string(search, "table");
  if (!is_table && !pi_json_is_string(search, "exact")) {
    return pi_fail(error, PINTENT_ERROR_MODEL, "the bot's search must be one of table, exact");
  }
  index->is_table = is_table;
  if (!pi_read_known(file, bot, error) || !pi_read_rows(file, settings, is_table, bot, error)) {
    return false;
  }
  size_t expected = index->bounds[index->num] + index->num;
  if (index->rows.num != expected) {
    return pi_fail(error, PINTENT_ERROR_MODEL, "the index has %zu rows; %zu are expected",
                   index->rows.num, expected);
  }
  const pi_json *rows = pi_json_get(settings, "rows");
  bool has_rows = rows != NULL && rows->type != PI_JSON_NULL;
  if (has_rows && index->rows.dim != bot->encoder.table.dim) {
    return pi_fail(error, PINTENT_ERROR_MODEL,
                   "the index has %zu dimensions, but the model has %zu", index->rows.dim,
                   bot->encoder.table.dim);
  }
  const uint64_t num = index->num;
  const pi_tensor *errors = pi_need_tensor(file, "bot.index.errors", PI_F32, 1, &num, error);
  index->errors = errors == NULL ? NULL : (const float *)(const void *)errors->data;
  return errors != NULL &&
         pi_bot_number(settings, "max_error", 0, "the index", &index->max_error, error);
}

/* Begins an index without rows: with the model's own codebook for templates, if it has one. */
static bool pi_read_own_codebook(const pi_file *file, pintent_bot *bot, pi_error *error) {
  size_t dim = bot->encoder.table.dim;
  pi_matrix *rows = &bot->index.rows;
  bool may_have_own = bot->encoder.kind != PI_CHAREMB; /* which has no table of words */
  const pi_tensor *tensor = may_have_own ? pi_find_tensor(file, "templates.codebook") : NULL;
  rows->dim = dim;
  if (tensor == NULL) {
    return true;
  }
  float *codebook = pi_take(&bot->arena, tensor->size, sizeof *codebook, error);
  for (size_t n = 0; codebook != NULL && n < tensor->size; n++) {
    codebook[n] = pi_half(((const uint16_t *)(const void *)tensor->data)[n]);
  }
  rows->codebook = codebook;
  rows->codebook_size = (size_t)tensor->shape[1];
  rows->sub_dim = (size_t)tensor->shape[2];
  rows->num_sub = dim / rows->sub_dim;
  rows->step = tensor->shape[0] == 1 ? 0 : rows->codebook_size * rows->sub_dim;
  return codebook != NULL;
}

/* The cosine similarity of a query and a row of the index; `decoded` is room for a row. */
static float pi_row_similarity(const pintent_bot *bot, size_t row, const float *query,
                               float *decoded) {
  const pi_index *index = &bot->index;
  const float *numbers = decoded;
  if (index->rows.form == PI_FLOATS) {
    numbers = (const float *)index->rows.rows + row * index->rows.dim;
  } else {
    pi_decode_row(&index->rows, row, decoded, bot->kernels);
  }
  float scale = index->scales == NULL ? 1.0f : index->scales[row];
  return scale * bot->kernels->dot(numbers, query, index->rows.dim);
}

/* Multiplies the sub-vectors of a query with all centroids: [num_sub, codebook_size]. */
static void pi_fill_table(const pintent_bot *bot, const float *query, float *table) {
  const pi_matrix *rows = &bot->index.rows;
  for (size_t sub = 0; sub < rows->num_sub; sub++, query += rows->sub_dim) {
    const float *book = rows->codebook + sub * rows->step;
    for (size_t n = 0; n < rows->codebook_size; n++, book += rows->sub_dim) {
      float sum = book[0] * query[0];
      for (size_t d = 1; d < rows->sub_dim; d++) {
        sum += book[d] * query[d];
      }
      *table++ = sum;
    }
  }
}

/* Adds the look-ups of eight sub-vectors, whose parts of the table fit the fastest memory, to the
 * sums of some rows. */
static void pi_add_look_ups(const uint8_t *codes, size_t num_sub, const float *table, size_t size,
                            float *sums, size_t num) {
  const float *t1 = table + size, *t2 = t1 + size, *t3 = t2 + size, *t4 = t3 + size;
  const float *t5 = t4 + size, *t6 = t5 + size, *t7 = t6 + size;
  for (size_t row = 0; row < num; row++, codes += num_sub) {
    uint64_t eight;
    memcpy(&eight, codes, sizeof eight);
    float one = table[eight & 255] + t1[eight >> 8 & 255];
    float two = t2[eight >> 16 & 255] + t3[eight >> 24 & 255];
    float three = t4[eight >> 32 & 255] + t5[eight >> 40 & 255];
    float four = t6[eight >> 48 & 255] + t7[eight >> 56];
    sums[row] += (one + two) + (three + four);
  }
}

/* The similarities of a query and some rows by look-ups in the table, at most PI_ROWS_AT_ONCE
 * (asymmetric distance; Jegou et al. 2011). Each row is summed in the same order. */
static void pi_table_similarities(const pintent_bot *bot, size_t first, size_t num,
                                  const float *table, float *sums) {
  const pi_matrix *rows = &bot->index.rows;
  const uint8_t *codes = (const uint8_t *)rows->rows + first * rows->num_sub;
  size_t size = rows->codebook_size, sub = 0;
  memset(sums, 0, num * sizeof *sums);
  for (; sub + 8 <= rows->num_sub; sub += 8) {
    pi_add_look_ups(codes + sub, rows->num_sub, table + sub * size, size, sums, num);
  }
  for (size_t row = 0; row < num; row++) {
    for (size_t rest = sub; rest < rows->num_sub; rest++) {
      sums[row] += table[rest * size + codes[row * rows->num_sub + rest]];
    }
    sums[row] *= bot->index.scales[first + row];
  }
}

/* The similarities of a query and all rows of the index; by the table, if there is one. */
static void pi_all_similarities(const pintent_bot *bot, const float *query, float *table,
                                float *decoded, float *similarities) {
  const pi_index *index = &bot->index;
  if (table == NULL) {
    for (size_t row = 0; row < index->rows.num; row++) {
      similarities[row] = pi_row_similarity(bot, row, query, decoded);
    }
    return;
  }
  pi_fill_table(bot, query, table);
  for (size_t row = 0; row < index->rows.num; row += PI_ROWS_AT_ONCE) {
    size_t left = index->rows.num - row, num = left < PI_ROWS_AT_ONCE ? left : PI_ROWS_AT_ONCE;
    pi_table_similarities(bot, row, num, table, similarities + row);
  }
}
