/* The codebook of a set's own templates: Python's `fit_template_quantizer`. */

#include "edit.h"

enum { PI_SUB_DIM = 2, PI_CODEBOOK_SIZE = 256, PI_FIT_SAMPLE = 8192 };

/* Writes pointers to the known rows of all intents, in an order of their names and texts alone, each
 * intent's with its centroid behind them. */
static bool pi_order_rows(pi_edit *edit, const size_t *counts, const bool *known,
                          float *const *vectors, const float **rows) {
  const pi_templates *set = &edit->bot->templates;
  size_t dim = edit->bot->encoder.table.dim, place = 0;
  pi_listed names, texts;
  pintent_text *of_intent = pi_take(&edit->scratch, set->num_templates, sizeof *of_intent,
                                    edit->error);
  if (of_intent == NULL || !pi_list_texts(edit, set->names, set->num_intents, &names)) {
    return false;
  }
  for (size_t n = 0; n < set->num_intents; n++) {
    size_t intent = names.order[n], count = 0;
    for (size_t text = set->bounds[intent]; text < set->bounds[intent + 1]; text++) {
      if (known[text]) {
        of_intent[count++] = set->texts[text];
      }
    }
    if (!pi_list_texts(edit, of_intent, count, &texts)) {
      return false;
    }
    for (size_t row = 0; row < count; row++) {
      rows[place++] = vectors[intent] + texts.order[row] * dim;
    }
    if (counts[intent] > 0) {
      rows[place++] = vectors[intent] + count * dim;
    }
  }
  return true;
}

/* Draws sub-vectors of rows, first of at most PI_FIT_SAMPLE rows; their number. */
static size_t pi_draw_parts(pi_edit *edit, const float *const *rows, size_t num, size_t sub_dim,
                            float *parts) {
  size_t num_sub = edit->bot->encoder.table.dim / sub_dim, place = 0, count = 0;
  size_t drawn = num < PI_FIT_SAMPLE ? num : PI_FIT_SAMPLE;
  pi_random random = pi_random_zero();
  bool *of_rows = pi_take(&edit->scratch, num, sizeof *of_rows, edit->error);
  bool *of_parts = pi_take(&edit->scratch, drawn * num_sub, sizeof *of_parts, edit->error);
  if (of_rows == NULL || of_parts == NULL ||
      !pi_mark_rows(&random, of_rows, num, PI_FIT_SAMPLE, &edit->scratch, edit->error) ||
      !pi_mark_rows(&random, of_parts, drawn * num_sub, PI_FIT_SAMPLE, &edit->scratch,
                    edit->error)) {
    return 0;
  }
  for (size_t row = 0; row < num; row++) {
    for (size_t sub = 0; of_rows[row] && sub < num_sub; sub++) {
      if (of_parts[place++]) {
        memcpy(parts + count++ * sub_dim, rows[row] + sub * sub_dim, sub_dim * sizeof *parts);
      }
    }
  }
  return count;
}

/* Fits the codebook of the new index, on a sample of the sub-vectors of `num` rows. */
static bool pi_fit_template_codebook(pi_edit *edit, const size_t *counts, const bool *known,
                                     float *const *vectors, size_t num) {
  pi_matrix *rows = &edit->bot->index.rows;
  size_t dim = edit->bot->encoder.table.dim, sub_dim = dim % PI_SUB_DIM == 0 ? PI_SUB_DIM : 1;
  const float **ordered = pi_take(&edit->scratch, num, sizeof *ordered, edit->error);
  float *parts = pi_take(&edit->scratch, PI_FIT_SAMPLE * sub_dim, sizeof *parts, edit->error);
  float *codebook =
      pi_take(&edit->bot->arena, PI_CODEBOOK_SIZE * sub_dim, sizeof *codebook, edit->error);
  if (edit->error->status != PINTENT_OK ||
      !pi_order_rows(edit, counts, known, vectors, ordered)) {
    return false;
  }
  size_t count = pi_draw_parts(edit, ordered, num, sub_dim, parts);
  if (count == 0 || !pi_fit_lbg(parts, count, sub_dim, PI_CODEBOOK_SIZE, codebook, &edit->scratch,
                                edit->error)) {
    return false;
  }
  for (size_t n = 0; n < PI_CODEBOOK_SIZE * sub_dim; n++) {
    codebook[n] = pi_half(pi_to_half(codebook[n]));
  }
  memset(rows, 0, sizeof *rows);
  rows->dim = dim;
  rows->sub_dim = sub_dim;
  rows->num_sub = dim / sub_dim;
  rows->codebook_size = PI_CODEBOOK_SIZE;
  rows->codebook = codebook;
  return true;
}
