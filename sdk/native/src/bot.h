/* An open bot, and the memory of a match. */

#ifndef PINTENT_BOT_H
#define PINTENT_BOT_H

#include <stdatomic.h>

#include "encoder.h"
#include "scan.h"

enum { PI_CORRECTED = 64, PI_ALL_INTENTS = -1 };

/* A text that resembles an intent and does not express it; of all intents for a text of `none`. */
typedef struct pi_counter_example {
  pintent_text text;
  int64_t intent; /* its position, or PI_ALL_INTENTS */
} pi_counter_example;

/* The template set of a bot: docs/templates.md. */
typedef struct pi_templates {
  size_t num_intents, num_templates, num_counter_examples;
  pintent_text *names;
  double *thresholds; /* of each intent: its own, or that of the set */
  bool *has_own;      /* whether the threshold is its own */
  size_t *bounds; /* where the templates of each intent begin, and the end */
  pintent_text *texts;
  pi_counter_example *counter_examples; /* those of all intents first, then by their intents */
  double threshold, margin;
  /* What only edits and saves read. */
  pintent_text schema, language; /* data is NULL where there is none */
  pintent_text *background;
  size_t num_background;
  bool learns_names;
} pi_templates;

/* The rows of the templates that the model knows: for each intent its templates, then their mean. */
typedef struct pi_index {
  size_t num; /* intents with a known template */
  uint32_t *intents;   /* their positions in the set */
  size_t *bounds;      /* where the templates of each begin among the known ones, and the end */
  uint32_t *templates; /* position in the set of each known template */
  pi_matrix rows;
  float *scales; /* one over the length of each row of codes; NULL for rows of unit length */
  bool is_table; /* whether rows are codes */
  /* What only edits and saves read. */
  const float *errors; /* sum of the squared quantisation errors of each intent's rows */
  double max_error;    /* mean error above which an edit fits a new codebook */
} pi_index;

typedef enum pi_decision { PI_LOGISTIC, PI_NEAREST, PI_NEAREST_CENTROID } pi_decision;

typedef struct pi_classifier {
  pi_matrix weights;
  double slope, intercept;
  pintent_text *negations;
  size_t num_negations;
} pi_classifier;

/* The tokens of a counter-example with a line feed behind each, and whose they are. */
typedef struct pi_refusal {
  uint32_t hash;
  int64_t intent;
  pintent_text tokens;
} pi_refusal;

/* The words of a bot's texts, and how often each occurs. */
typedef struct pi_own_words {
  pi_words words;
  uint32_t *counts;
} pi_own_words;

/* Vectors of texts, by the texts. */
typedef struct pi_vectors {
  size_t count, room; /* texts, and how many there may be */
  size_t mask;
  uint32_t *slots; /* the number of a text, plus one */
  pintent_text *texts;
  float *numbers; /* [count, dim] */
} pi_vectors;

/* What a bot shares with those that edits make of it: its file, and the model in it. */
typedef struct pi_shared {
  pi_arena arena;
  pi_content content;
  atomic_size_t users; /* bots */
} pi_shared;

struct pintent_bot {
  pi_arena arena;
  pi_shared *shared;
  atomic_size_t *users; /* whoever opened it, and its scratches */
  const pi_kernels *kernels;
  pi_scan_kernel scan;
  pi_encoder encoder;
  pi_templates templates;
  pi_index index;
  pi_decision decision;
  pi_classifier classifier;
  bool corrects;       /* typing errors of a text */
  bool corrects_texts; /* whether it would with a model that knows words */
  pi_own_words own_words;
  pi_refusal *refusals; /* by their hash */
  size_t num_refusals;
  pi_vectors vectors; /* for the next edit; without room but after pintent_set_templates */
};

struct pintent_scratch {
  pi_arena arena;
  const pintent_bot *bot;
  uint32_t *points;
  pi_tokens tokens, corrected;
  char *joined;
  float *features, *totals; /* of a text, and of the intents */
  float *row;               /* of the index */
  pi_scan scan;             /* where the cache has room */
  uint32_t *nearest;        /* row of the nearest template of each intent, where it was compared */
  float *table;             /* similarities of the query's sub-vectors and all centroids */
  float *similarities;      /* of all rows, or estimates, where there is a scan */
  pi_encoder_scratch encoder;
};

#endif
