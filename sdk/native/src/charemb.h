/* A network that reads the characters of words or texts: the kind `charemb`, and a part of the kind
 * `combined`. docs/charemb.md. */

#ifndef PINTENT_CHAREMB_H
#define PINTENT_CHAREMB_H

#include "matrix.h"

enum {
  PI_UNKNOWN_WORDS = 128, /* different words of a text that the network reads */
  PI_TOGETHER = 6,        /* words that it reads side by side */
  PI_CHARS_TOGETHER = 512 /* characters after which it reads the words that wait */
};

/* The characters that a network knows, by their code points. Each has a number from 1; 0 stands for
 * all others. */
typedef struct pi_alphabet {
  size_t count;
  uint32_t *points, *numbers;
  size_t most; /* characters that are read of a word or text */
} pi_alphabet;

typedef enum pi_cell { PI_LSTM, PI_GRU, PI_ATTENTION } pi_cell;

/* A layer that reads the characters from one end. */
typedef struct pi_direction {
  pi_matrix input, recurrent;
  const float *bias, *recurrent_bias; /* the second one of a GRU alone */
} pi_direction;

typedef struct pi_characters {
  pi_alphabet alphabet;
  pi_cell cell;
  size_t dim, char_dim, hidden, num_layers, sides, state, gates; /* gates of all hidden units */
  bool reads_words, has_length;
  pi_matrix embedding;
  pi_direction *directions;           /* of each layer, from the start and from the end */
  const float *products;              /* of the first layer and each character; NULL if too many */
  struct pi_transformer *transformer; /* of the cell `transformer` */
  pi_matrix inner, outer;
  const float *inner_bias, *outer_bias;
} pi_characters;

/* How the words of a table attract the vectors of unknown words. */
typedef struct pi_attraction {
  size_t words; /* the first rows of the table, which answer; 0 for no attraction */
  float share, weight;
  const float *factors; /* of each row: one over its length and the temperature */
} pi_attraction;

/* A word or text that waits to be read. */
typedef struct pi_spelling {
  size_t start, count; /* among the characters of all that wait */
  float *vector;       /* where its vector is to be written */
} pi_spelling;

/* One of the different words of a text. */
typedef struct pi_distinct {
  uint32_t hash;
  size_t token; /* where it comes first */
  float uses;
  const float *vector;
} pi_distinct;

/* What reading characters needs. */
typedef struct pi_char_scratch {
  uint32_t *points, *numbers;
  pi_spelling waiting[PI_TOGETHER];
  size_t num_waiting, num_chars;
  pi_distinct distinct[PI_UNKNOWN_WORDS];
  size_t num_distinct;
  float *inputs, *projected, *products, *states, *memories; /* of an LSTM or a GRU */
  const float **of_rows;                                    /* rows of `projected`, or of the network */
  float *outputs[2];                                        /* of a layer, at each character */
  float *normed, *parts, *mixed, *feed, *scores;            /* of a transformer */
  float *last, *inner, *outer;                              /* of the words side by side */
  float *units, *similarities;                              /* of an attraction */
  size_t num_queries; /* unknown words that are attracted together */
} pi_char_scratch;

/* Room for numbers of a network, and where it is noted. */
typedef struct pi_char_room {
  float **place;
  size_t count;
} pi_char_room;

#endif
