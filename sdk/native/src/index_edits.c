/* The index of an edited set: the changed intent is encoded, the rows of the others stay. */

#include <math.h>

#include "edit.h"

/* The rows of the intents of the new set, while they are gathered. */
typedef struct pi_gathered {
  bool *known;     /* of each template of the set, whether the model knows a word of it */
  size_t *counts;  /* known templates of each intent */
  float **vectors; /* of each intent that was encoded: its known templates and their centroid */
  const char **rows; /* the same as they are stored, of all intents with a known template */
  float *errors;
  size_t row_size; /* bytes */
} pi_gathered;

/* Writes the mean of vectors at unit length behind them; if they cancel out, the first of them. */
static void pi_add_centroid(float *vectors, size_t count, size_t dim, const pi_kernels *kernels) {
  float *centroid = vectors + count * dim;
  memset(centroid, 0, dim * sizeof *centroid);
  for (size_t n = 0; n < count; n++) {
    kernels->add(centroid, vectors + n * dim, 1.0f, dim);
  }
  for (size_t d = 0; d < dim; d++) {
    centroid[d] /= (float)count;
  }
  pi_normalise_vector(centroid, dim, kernels);
  if (kernels->dot(centroid, centroid, dim) == 0) {
    memcpy(centroid, vectors, dim * sizeof *centroid);
  }
}

static bool pi_encode_intent(pi_edit *edit, pi_gathered *gathered, size_t intent) {
  const pi_templates *set = &edit->bot->templates;
  size_t dim = edit->bot->encoder.table.dim, first = set->bounds[intent], count = 0;
  size_t num = set->bounds[intent + 1] - first;
  float *vectors = pi_take(&edit->scratch, num + 1, dim * sizeof *vectors, edit->error);
  if (vectors == NULL) {
    return false;
  }
  for (size_t n = 0; n < num; n++) {
    gathered->known[first + n] = pi_encode_text(edit, set->texts[first + n]);
    if (gathered->known[first + n]) {
      memcpy(vectors + count++ * dim, edit->encoder.vector, dim * sizeof *vectors);
    }
  }
  if (count > 0) {
    pi_add_centroid(vectors, count, dim, edit->bot->kernels);
  }
  gathered->counts[intent] = count;
  gathered->vectors[intent] = vectors;
  return true;
}

/* Takes the rows of an intent from the old index, if it has any. */
static void pi_keep_rows(const pi_edit *edit, pi_gathered *gathered, size_t intent, size_t slot) {
  const pi_index *old = &edit->old->index;
  size_t first = old->bounds[slot], last = old->bounds[slot + 1];
  size_t from = edit->old->templates.bounds[old->intents[slot]];
  size_t to = edit->bot->templates.bounds[intent];
  for (size_t n = first; n < last; n++) {
    gathered->known[to + old->templates[n] - from] = true;
  }
  gathered->counts[intent] = last - first;
  gathered->rows[intent] = (const char *)old->rows.rows + (first + slot) * gathered->row_size;
  gathered->errors[intent] = old->errors[slot];
}

/* Quantises the vectors of an intent by the codebook of the new index. */
static bool pi_quantise_intent(pi_edit *edit, pi_gathered *gathered, const pi_centred *centred,
                               size_t intent) {
  const pi_matrix *rows = &edit->bot->index.rows;
  size_t count = gathered->counts[intent] + 1;
  float *decoded = pi_take(&edit->scratch, rows->dim, sizeof *decoded, edit->error);
  char *codes = pi_take(&edit->scratch, count, gathered->row_size, edit->error);
  if (decoded == NULL || codes == NULL) {
    return false;
  }
  pi_matrix of_intent = *rows;
  of_intent.rows = codes;
  float error = 0;
  for (size_t n = 0; n < count; n++) {
    const float *vector = gathered->vectors[intent] + n * rows->dim;
    pi_assign(rows, centred, vector, codes + n * gathered->row_size);
    pi_decode_row(&of_intent, n, decoded, edit->bot->kernels);
    pi_normalise_vector(decoded, rows->dim, edit->bot->kernels);
    edit->bot->kernels->add(decoded, vector, -1.0f, rows->dim);
    error += edit->bot->kernels->dot(decoded, decoded, rows->dim);
  }
  gathered->rows[intent] = codes;
  gathered->errors[intent] = error;
  return true;
}

static bool pi_quantise_encoded(pi_edit *edit, pi_gathered *gathered) {
  pi_matrix *rows = &edit->bot->index.rows;
  pi_centred centred;
  rows->form = rows->codebook_size <= 256 ? PI_CODES_8 : PI_CODES_16;
  gathered->row_size = rows->num_sub * (rows->form == PI_CODES_8 ? 1 : 2);
  if (!pi_centre_codebook(rows, &edit->scratch, &centred, edit->error)) {
    return false;
  }
  for (size_t n = 0; n < edit->bot->templates.num_intents; n++) {
    if (gathered->vectors[n] != NULL && gathered->counts[n] > 0 &&
        !pi_quantise_intent(edit, gathered, &centred, n)) {
      return false;
    }
  }
  return true;
}

/* Mean error of all rows. */
static double pi_mean_error(const pi_edit *edit, const pi_gathered *gathered) {
  double sum = 0;
  size_t count = 0;
  for (size_t n = 0; n < edit->bot->templates.num_intents; n++) {
    if (gathered->counts[n] > 0) {
      sum += gathered->errors[n];
      count += gathered->counts[n] + 1;
    }
  }
  return sum / (double)(count > 0 ? count : 1);
}

/* Fits a codebook on the templates, and quantises all of them by it. */
static bool pi_fit_codebook(pi_edit *edit, pi_gathered *gathered) {
  pi_index *index = &edit->bot->index;
  size_t num = 0, num_intents = edit->bot->templates.num_intents;
  for (size_t n = 0; n < num_intents; n++) {
    if (gathered->vectors[n] == NULL && !pi_encode_intent(edit, gathered, n)) {
      return false;
    }
    num += gathered->counts[n] > 0 ? gathered->counts[n] + 1 : 0;
  }
  index->max_error = PI_MAX_ERROR;
  if (num == 0) {
    memset(&index->rows, 0, sizeof index->rows);
    return true;
  }
  if (!pi_fit_template_codebook(edit, gathered->counts, gathered->known, gathered->vectors, num) ||
      !pi_quantise_encoded(edit, gathered)) {
    return false;
  }
  double growth = 2.0 * pi_mean_error(edit, gathered); /* at which an edit fits a new one */
  index->max_error = growth > PI_MAX_ERROR ? growth : PI_MAX_ERROR;
  return true;
}

/* The codes of the intents that were encoded: by the old codebook, otherwise by the model's, and by a
 * new one where these do not fit. */
static bool pi_quantise_edited(pi_edit *edit, pi_gathered *gathered) {
  pi_index *index = &edit->bot->index;
  if (index->rows.codebook == NULL &&
      !pi_read_own_codebook(&edit->file, edit->bot, edit->error)) {
    return false;
  }
  bool has_codebook = index->rows.codebook != NULL;
  if (has_codebook && !pi_quantise_encoded(edit, gathered)) {
    return false;
  }
  return (has_codebook && pi_mean_error(edit, gathered) <= index->max_error) ||
         pi_fit_codebook(edit, gathered);
}

/* Stores the gathered rows in the order of the set. */
static bool pi_store_rows(pi_edit *edit, const pi_gathered *gathered) {
  pintent_bot *bot = edit->bot;
  pi_index *index = &bot->index;
  const pi_templates *set = &bot->templates;
  size_t num = 0, count = 0;
  for (size_t n = 0; n < set->num_intents; n++) {
    num += gathered->counts[n] > 0 ? gathered->counts[n] + 1 : 0;
  }
  char *rows = pi_take(&bot->arena, num, gathered->row_size, edit->error);
  float *errors = pi_take(&bot->arena, set->num_intents, sizeof *errors, edit->error);
  index->intents = pi_take(&bot->arena, set->num_intents, sizeof *index->intents, edit->error);
  index->bounds = pi_take(&bot->arena, set->num_intents + 1, sizeof *index->bounds, edit->error);
  index->templates =
      pi_take(&bot->arena, set->num_templates, sizeof *index->templates, edit->error);
  if (edit->error->status != PINTENT_OK) {
    return false;
  }
  index->rows.rows = rows;
  index->rows.num = num;
  index->errors = errors;
  index->num = 0;
  for (size_t intent = 0; intent < set->num_intents; intent++) {
    if (gathered->counts[intent] == 0) {
      continue;
    }
    size_t size = (gathered->counts[intent] + 1) * gathered->row_size;
    memcpy(rows, gathered->rows[intent], size);
    rows += size;
    for (size_t n = set->bounds[intent]; n < set->bounds[intent + 1]; n++) {
      index->templates[count] = (uint32_t)n;
      count += gathered->known[n];
    }
    errors[index->num] = gathered->errors[intent];
    index->intents[index->num] = (uint32_t)intent;
    index->bounds[++index->num] = count;
  }
  return !index->is_table || pi_scale_rows(bot, edit->error);
}

/* Makes the index of the new bot, whose templates are edited. */
static bool pi_edit_index(pi_edit *edit) {
  const pi_index *old = &edit->old->index;
  pi_index *index = &edit->bot->index;
  bool is_new_set = edit->change.set.data != NULL;
  size_t num = edit->bot->templates.num_intents;
  size_t changed = is_new_set ? PI_NONE : pi_changed_intent(edit);
  pi_gathered gathered = {
      pi_take(&edit->scratch, edit->bot->templates.num_templates + 1, 1, edit->error),
      pi_take(&edit->scratch, num, sizeof(size_t), edit->error),
      pi_take(&edit->scratch, num, sizeof(float *), edit->error),
      pi_take(&edit->scratch, num, sizeof(char *), edit->error),
      pi_take(&edit->scratch, num, sizeof(float), edit->error),
      0,
  };
  size_t *slots = pi_take(&edit->scratch, edit->old->templates.num_intents + 1, sizeof *slots,
                          edit->error); /* in the old index, from 1 */
  if (edit->error->status != PINTENT_OK || !pi_copy_rows(edit, index)) {
    return false;
  }
  for (size_t slot = 0; slot < old->num; slot++) {
    slots[old->intents[slot]] = slot + 1;
  }
  gathered.row_size = pi_row_size(&old->rows, edit->bot->encoder.table.dim);
  bool may_keep = !is_new_set || pi_may_keep_rows(edit);
  for (size_t n = 0; n < num; n++) {
    size_t position = !may_keep    ? PI_NONE
                      : is_new_set ? pi_same_position(edit, n)
                                   : pi_old_position(edit, n);
    if (position == PI_NONE || n == changed) {
      if (!pi_encode_intent(edit, &gathered, n)) {
        return false;
      }
      gathered.rows[n] = (const char *)gathered.vectors[n];
    } else if (slots[position] > 0) {
      pi_keep_rows(edit, &gathered, n, slots[position] - 1);
    }
  }
  bool keeps_codes = !index->is_table || (!is_new_set && pi_keeps_texts(&edit->change));
  return (keeps_codes || pi_quantise_edited(edit, &gathered)) && pi_store_rows(edit, &gathered);
}
