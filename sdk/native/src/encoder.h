/* The model: a table of word vectors, and a network that may read them. */

#ifndef PINTENT_ENCODER_H
#define PINTENT_ENCODER_H

#include "charemb.h"
#include "matrix.h"
#include "tokens.h"
#include "vocabulary.h"

enum { PI_SEQUENCE = 256 }; /* tokens of a text that a network reads */

/* What the kind `static` is, and what the other kinds have too. */
typedef struct pi_table {
  pi_vocabulary vocabulary;
  pi_matrix words, ngrams;
  size_t dim;
  bool has_ngrams;
  size_t min_n, max_n, num_buckets;
  double weight;
  const uint16_t *idf; /* weights of the n-gram buckets of `logistic`; NULL for ones */
} pi_table;

/* Lines of a corpus that a bot should not answer: their vectors, and their weighted n-gram counts. */
typedef struct pi_background {
  pi_matrix vectors, ngrams;
} pi_background;

/* The network of the kind `contextual`: docs/contextual.md. */
typedef struct pi_context {
  size_t hidden, width;
  double word_share;
  pi_matrix inner, outer;
  float *inner_bias, *gate, *hidden_gate;
  float gate_bias;
} pi_context;

typedef struct pi_norm {
  const float *weight, *bias;
} pi_norm;

typedef struct pi_layer {
  pi_matrix input, output, inner, outer;
  const float *input_bias, *output_bias, *inner_bias, *outer_bias;
  pi_norm norms[2];
} pi_layer;

/* The network of the kind `transformer`: docs/transformer.md. */
typedef struct pi_transformer {
  size_t num_layers, heads, feedforward;
  const float *start;
  pi_matrix positions;
  pi_norm norm;
  pi_layer *layers;
} pi_transformer;

typedef enum pi_kind {
  PI_STATIC,
  PI_CONTEXTUAL,
  PI_TRANSFORMER,
  PI_CHAREMB,
  PI_COMBINED,
  PI_NUM_KINDS
} pi_kind;

typedef struct pi_encoder {
  pi_kind kind;
  pi_table table;
  pi_context context;
  pi_transformer transformer;
  pi_characters characters;
  pi_attraction attraction;
} pi_encoder;

/* A cache of what words contribute to a text, with the kinds `contextual`, `charemb` and `combined`. */
typedef struct pi_word_cache {
  size_t capacity, used, mask;
  uint32_t *slots; /* the number of an entry, plus one */
  struct pi_cached_word *words;
  float *parts; /* `size` numbers of each entry */
  size_t size;
  bool keeps; /* for the next text */
} pi_word_cache;

/* A sum of many rows: blocks of them are summed by themselves, since a rounding error grows with the
 * number of terms. */
typedef struct pi_sum {
  float *total, *block;
  size_t count, dim;
  const pi_kernels *kernels;
} pi_sum;

/* The numbers that are computed on the way from a text to its vector. */
typedef struct pi_encoder_scratch {
  float *vector;  /* [dim] the result */
  float *decoded; /* PI_ROWS rows of any matrix, of an even size */
  float *word, *plain; /* [dim] */
  float *block;        /* [dim] a part of a long sum, see pi_sum */
  uint32_t *pieces;
  pi_word_cache cache;
  const float **of_tokens; /* contextual: where the parts of each token are */
  float **new_words;       /* where the parts of new words are to be written */
  size_t num_new;
  float *units, *products; /* of new words */
  float *hidden, *gathered;
  float *states, *parts, *mixed, *inner; /* transformer: numbers of all tokens */
  float *scores, *keys, *values;         /* of a head */
  pi_char_scratch characters;
} pi_encoder_scratch;

/* Reads the model of a file. */
static bool pi_read_encoder(const pi_file *file, pi_arena *arena, pi_arena *scratch,
                            pi_encoder *encoder, pi_error *error);

/* Takes the numbers that encoding needs; false if there is no memory. */
static bool pi_encoder_scratch_init(const pi_encoder *encoder, size_t cache_bytes, pi_arena *arena,
                                    pi_encoder_scratch *scratch);

/* The vector of a text with these tokens of `simple`: unit length, or zeros. */
static void pi_encode_tokens(const pi_encoder *encoder, const pi_tokens *tokens,
                             const pi_kernels *kernels, pi_encoder_scratch *scratch);

#endif
