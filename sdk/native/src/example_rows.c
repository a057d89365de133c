/* The room of the examples, their centre, and their features the other way. */

#include "edit.h"

static size_t pi_pad(size_t size) { return (size + PI_PADDING - 1) / PI_PADDING * PI_PADDING; }

static bool pi_is_earlier_name(const void *context, size_t one, size_t other) {
  const pintent_bot *bot = context;
  return pi_order(bot->templates.names[bot->index.intents[one]],
                  bot->templates.names[bot->index.intents[other]]) < 0;
}

/* Takes the room for the rows, of which `most` is no less than their number. */
static bool pi_take_examples(pi_edit *edit, pi_examples *examples, size_t most) {
  size_t num = edit->bot->index.num;
  bool has_negations = edit->bot->classifier.num_negations > 0;
  memset(examples, 0, sizeof *examples);
  examples->num_intents = num;
  examples->bias = edit->bot->encoder.table.dim + PI_NUM_BUCKETS + has_negations;
  examples->width = pi_pad(examples->bias + 1);
  examples->features =
      pi_take(&edit->scratch, pi_pad(most), examples->width * sizeof(float), edit->error);
  examples->slots = pi_take(&edit->scratch, num, sizeof(size_t), edit->error);
  examples->templates = pi_take(&edit->scratch, num + 1, sizeof(size_t), edit->error);
  examples->names = pi_take(&edit->scratch, num, sizeof(size_t), edit->error);
  examples->exceptions = pi_take(&edit->scratch, num + 1, sizeof(size_t), edit->error);
  bool *is_negated = pi_take(&edit->scratch, num, sizeof(bool), edit->error);
  if (edit->error->status != PINTENT_OK) {
    return false;
  }
  for (size_t n = 0; n < num; n++) {
    examples->slots[n] = n;
  }
  pi_sort(examples->slots, num, pi_is_earlier_name, edit->bot);
  for (size_t n = 0; has_negations && n < num; n++) {
    int64_t intent = edit->bot->index.intents[examples->slots[n]];
    is_negated[n] = pi_has_negation(edit, &edit->bot->classifier, intent);
  }
  examples->is_negated = has_negations ? is_negated : NULL;
  return true;
}

/* Takes the mean of the texts without an intent off all features but the last; without such texts the
 * mean of all. The bias makes up for it, and the solver needs a third of the steps. */
static float *pi_centre_examples(pi_edit *edit, pi_examples *examples) {
  float *centre = pi_take(&edit->scratch, examples->width, sizeof *centre, edit->error);
  const pi_kernels *kernels = edit->bot->kernels;
  size_t width = examples->width, count = 0;
  if (centre == NULL) {
    return NULL;
  }
  bool has_outside = examples->outside[0] < examples->outside[1] || examples->main < examples->num;
  for (size_t row = 0; row < examples->num; row++) {
    bool is_outside = (row >= examples->outside[0] && row < examples->outside[1]) ||
                      row >= examples->main;
    if (is_outside || !has_outside) {
      kernels->add(centre, examples->features + row * width, 1.0f, width);
      count++;
    }
  }
  for (size_t n = 0; n < examples->bias; n++) {
    centre[n] /= (float)count;
  }
  centre[examples->bias] = 0;
  for (size_t row = 0; row < examples->num; row++) {
    kernels->add(examples->features + row * width, centre, -1.0f, width);
  }
  return centre;
}

/* Writes the features the other way, in parts whose rows stay in the fastest memory. */
static bool pi_turn_examples(pi_edit *edit, pi_examples *examples) {
  enum { tile = 16 };
  size_t width = examples->width;
  examples->columns = pi_arena_raw(&edit->scratch, examples->room, width * sizeof(float));
  if (examples->columns == NULL) {
    return pi_fail(edit->error, PINTENT_ERROR_MEMORY, "there is no memory for the examples");
  }
  for (size_t start = 0; start < examples->room; start += PI_CHUNK) {
    size_t left = examples->room - start, size = left < PI_CHUNK ? left : PI_CHUNK;
    float *columns = examples->columns + start * width;
    for (size_t row = 0; row < size; row += tile) {
      for (size_t column = 0; column < width; column++) {
        const float *from = examples->features + (start + row) * width + column;
        for (size_t n = 0; n < tile; n++) {
          columns[column * size + row + n] = from[n * width];
        }
      }
    }
  }
  return true;
}

static bool pi_is_own(const pi_examples *examples, size_t label, size_t row) {
  return (row >= examples->templates[label] && row < examples->templates[label + 1]) ||
         row == examples->names[label];
}

/* Makes the examples of the new bot; their centre, and NULL if there is no memory. */
static float *pi_make_examples(pi_edit *edit, pi_examples *examples) {
  const pintent_bot *bot = edit->bot;
  pi_table table = bot->encoder.table; /* whose weights of the buckets are read again */
  pi_background lines;
  if (!pi_read_background(&edit->file, &table, &lines, &edit->scratch, edit->error)) {
    return NULL;
  }
  size_t most = bot->index.bounds[bot->index.num] + bot->templates.num_counter_examples +
                bot->templates.num_background + lines.vectors.num + 2 * bot->index.num;
  if (!pi_take_examples(edit, examples, most) || !pi_add_rows(edit, examples, &lines)) {
    return NULL;
  }
  examples->room = pi_pad(examples->num);
  float *centre = pi_centre_examples(edit, examples);
  return centre != NULL && pi_turn_examples(edit, examples) ? centre : NULL;
}
