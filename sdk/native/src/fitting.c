/* The fit of the decision `logistic`: the weights of the intents, and their calibration. */

#include <math.h>

#include "edit.h"
#include "kept_words.h"

/* Whether a language tag names English in any variety, or nothing. */
static bool pi_is_english(pintent_text tag) {
  return tag.data == NULL ||
         (tag.size >= 2 && (tag.data[0] | 32) == 'e' && (tag.data[1] | 32) == 'n' &&
          (tag.size == 2 || tag.data[2] == '-' || tag.data[2] == '_'));
}

/* Lets the new classifier look for negations if a counter-example of an intent is negated. */
static bool pi_choose_negations(pi_edit *edit) {
  const pi_templates *set = &edit->bot->templates;
  pi_classifier with = {.num_negations = PI_NUM_NEGATIONS};
  with.negations =
      pi_take(&edit->bot->arena, PI_NUM_NEGATIONS, sizeof *with.negations, edit->error);
  if (with.negations == NULL) {
    return false;
  }
  for (size_t n = 0; n < PI_NUM_NEGATIONS; n++) {
    with.negations[n] = pi_text_of(pi_negations[n]);
  }
  bool has_negation = false;
  for (size_t n = 0; n < set->num_intents && pi_is_english(set->language); n++) {
    has_negation |= pi_has_negation(edit, &with, (int64_t)n);
  }
  memset(&edit->bot->classifier, 0, sizeof edit->bot->classifier);
  if (has_negation) {
    edit->bot->classifier = with;
  }
  return true;
}

/* The slot of an intent of the new index in the old one; PI_NONE if it is not there. */
static size_t pi_old_slot(const pi_edit *edit, size_t slot) {
  const pi_index *old = &edit->old->index;
  if (edit->change.set.data != NULL) {
    return PI_NONE; /* so that a set always gives the same weights */
  }
  size_t position = pi_old_position(edit, edit->bot->index.intents[slot]);
  size_t found = 0;
  while (found < old->num && old->intents[found] != position) {
    found++;
  }
  return found < old->num ? found : PI_NONE;
}

/* The bias of features from which the centre is taken, less that of features as they are. */
static float pi_shift(const pi_edit *edit, const pi_examples *examples, const float *centre,
                      const float *weights) {
  return edit->bot->kernels->dot(weights, centre, examples->bias);
}

/* Writes the weights that an intent had, for features from which the centre is taken; for a new
 * intent zeros, and the bias that fits the share of its examples. */
static void pi_begin_weights(const pi_edit *edit, const pi_examples *examples, const float *centre,
                             size_t label, float *weights) {
  const pi_classifier *old = &edit->old->classifier;
  size_t before = pi_old_slot(edit, examples->slots[label]);
  size_t shared = edit->bot->encoder.table.dim + PI_NUM_BUCKETS;
  memset(weights, 0, examples->width * sizeof *weights);
  if (before == PI_NONE) {
    size_t own = examples->templates[label + 1] - examples->templates[label] +
                 (examples->names[label] != PI_NONE);
    double others = (double)(examples->num - own);
    weights[examples->bias] = (float)log(((double)own + 0.5) / (others + 0.5));
    return;
  }
  const float *row = (const float *)old->weights.rows + before * old->weights.dim;
  memcpy(weights, row, shared * sizeof *weights);
  if (old->num_negations > 0 && examples->is_negated != NULL) {
    weights[shared] = row[shared];
  }
  weights[examples->bias] =
      row[old->weights.dim - 1] + pi_shift(edit, examples, centre, weights);
  if (examples->is_negated != NULL && !examples->is_negated[label]) {
    weights[examples->bias - 1] = 0;
  }
}

/* Stores the weights of a block in the order of the index. */
static void pi_store_weights(const pi_edit *edit, const pi_examples *examples, const float *centre,
                             const pi_block_of_intents *block, float *stored) {
  size_t size = examples->bias + 1;
  for (size_t n = 0; n < block->num; n++) {
    const float *weights = block->weights + n * examples->width;
    float *row = stored + examples->slots[block->first + n] * size;
    memcpy(row, weights, size * sizeof *row);
    row[size - 1] -= pi_shift(edit, examples, centre, weights);
  }
}

/* Takes the room of all blocks; false if there is no memory. */
static bool pi_take_block(pi_edit *edit, const pi_examples *examples, pi_block_of_intents *block,
                          pi_held_out *held_out) {
  size_t most = examples->num_intents;
  most = most < PI_INTENTS_AT_ONCE ? most : PI_INTENTS_AT_ONCE;
  block->weights = pi_take(&edit->scratch, most, examples->width * sizeof(float), edit->error);
  block->logits = pi_take(&edit->scratch, most, examples->room * sizeof(float), edit->error);
  held_out->own = pi_take(&edit->scratch, examples->num, sizeof(float), edit->error);
  held_out->others = pi_take(&edit->scratch, examples->num, sizeof(float), edit->error);
  block->num = most;
  for (size_t n = 0; edit->error->status == PINTENT_OK && n < examples->num; n++) {
    held_out->own[n] = held_out->others[n] = -HUGE_VALF;
  }
  return edit->error->status == PINTENT_OK;
}

/* Fits the classifier of the new bot, whose index is made. */
static bool pi_fit(pi_edit *edit) {
  pintent_bot *bot = edit->bot;
  pi_examples examples;
  pi_block_of_intents block;
  pi_held_out held_out;
  pi_members members;
  if (!pi_choose_negations(edit)) {
    return false;
  }
  const float *centre = pi_make_examples(edit, &examples);
  if (centre == NULL || !pi_take_block(edit, &examples, &block, &held_out) ||
      !pi_members_init(edit, &examples, &members)) {
    return false;
  }
  bool is_edited = edit->old->index.num > 0 && edit->change.set.data == NULL;
  float tolerance = is_edited ? PI_EDIT_TOLERANCE : PI_TOLERANCE;
  pi_solver *solver = pi_solver_new(edit, &examples, block.num, tolerance);
  size_t size = examples.bias + 1, most = block.num;
  float *weights = pi_take(&bot->arena, bot->index.num * size, sizeof *weights, edit->error);
  if (solver == NULL || weights == NULL) {
    return false;
  }
  for (block.first = 0; block.first < examples.num_intents; block.first += most) {
    size_t left = examples.num_intents - block.first;
    block.num = left < most ? left : most;
    for (size_t n = 0; n < block.num; n++) {
      pi_begin_weights(edit, &examples, centre, block.first + n,
                       block.weights + n * examples.width);
    }
    pi_solve(solver, &block);
    pi_hold_out(&members, &block, &held_out);
    pi_store_weights(edit, &examples, centre, &block, weights);
  }
  bot->classifier.weights.num = bot->index.num;
  bot->classifier.weights.dim = size;
  bot->classifier.weights.rows = weights;
  return pi_calibrate(edit, &examples, &held_out);
}
