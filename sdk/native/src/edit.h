/* Edits: from a bot and a change of its templates to the next bot. */

#ifndef PINTENT_EDIT_H
#define PINTENT_EDIT_H

#include "bot.h"

#define PI_NONE SIZE_MAX /* a position that there is none of */

/* What is edited: an intent, which is removed or gets texts; or the whole set. */
typedef struct pi_change {
  size_t position;                 /* of the intent in the old set; its end for a new intent */
  const pintent_addition *addition; /* NULL if the intent is removed */
  pintent_text set;                /* JSON; data is NULL for a change of an intent */
} pi_change;

/* An edit while it lasts. */
typedef struct pi_edit {
  const pintent_bot *old;
  pintent_bot *bot; /* the next one */
  pi_change change;
  pi_arena scratch; /* freed at the end */
  pi_file file;     /* of the model */
  pi_error *error;
  uint32_t *points; /* room to read and encode texts */
  pi_tokens tokens;
  pi_encoder_scratch encoder;
} pi_edit;

/* The examples that a classifier is fitted on, and their features: first the templates by their
 * intents, then the texts of no intent, the names, and the counter-examples by their intents. */
typedef struct pi_examples {
  size_t num, room;  /* rows, and the same with rows of zeros up to a multiple of PI_PADDING */
  size_t main;       /* the first counter-example: the rows before it count for all intents */
  size_t outside[2]; /* bounds of the texts of no intent */
  size_t bias;       /* position of the last feature, which is 1 */
  size_t width;      /* features with zeros up to a multiple of PI_PADDING */
  float *features;   /* [room, width] */
  float *columns;    /* the same the other way, in parts of PI_CHUNK rows: [width, rows] each */
  size_t num_intents;
  size_t *slots;          /* of the intents, by their names, in the index */
  size_t *templates;      /* bounds of the templates of each intent */
  size_t *names;          /* row of the name of each intent, or PI_NONE */
  size_t *exceptions;     /* bounds of the counter-examples of each intent */
  const bool *is_negated; /* whether an intent has a weight of the negation; NULL for none */
} pi_examples;

enum { PI_PADDING = 16, PI_CHUNK = 512, PI_INTENTS_AT_ONCE = 64 };

/* Weight of the logistic loss against half the squared length of the weights. */
#define PI_C 10.0f

/* Intents that are solved side by side. */
typedef struct pi_block_of_intents {
  size_t first, num;
  float *weights; /* [num, width] */
  float *logits;  /* [num, room], of all examples */
} pi_block_of_intents;

/* The logits of each example by classifiers fitted without it: of its own intent, if it has one, and
 * the highest of the others. */
typedef struct pi_held_out {
  float *own, *others;
} pi_held_out;

static bool pi_is_own(const pi_examples *examples, size_t label, size_t row);

#endif
