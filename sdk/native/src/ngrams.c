/* Hashed character n-grams: the counts that `logistic` reads (docs/decision.md), and the vectors of
 * words outside the vocabulary (docs/model-file.md). */

#include "encoder.h"

enum { PI_NUM_BUCKETS = 512, PI_SHORTEST = 2, PI_LONGEST = 5 };

/* Called for each n-gram of a word, with its hash. */
typedef void (*pi_ngram_visitor)(void *context, uint32_t hash);

/* Visits the n-grams of <word>, brackets included, of `least` to `most` code points. A word shorter
 * than that has itself, with its brackets. */
static void pi_visit_ngrams(pintent_text word, size_t least, size_t most, pi_ngram_visitor visit,
                            void *context) {
  size_t chars = 2;
  for (size_t n = 0; n < word.size; n++) {
    chars += ((unsigned char)word.data[n] & 0xC0) != 0x80;
  }
  least = least < chars ? least : chars;
  /* Place 0 is the bracket before the word, and the one after it stands at size + 1. */
  for (size_t start = 0; start < word.size + 2;) {
    uint32_t hash = PI_FNV_START;
    size_t place = start, next = start;
    for (size_t length = 1; length <= most && place < word.size + 2; length++) {
      if (place == 0 || place == word.size + 1) {
        hash = pi_fnv(hash, place == 0 ? "<" : ">", 1);
        place++;
      } else {
        do {
          hash = pi_fnv(hash, word.data + place - 1, 1);
          place++;
        } while (place <= word.size && ((unsigned char)word.data[place - 1] & 0xC0) == 0x80);
      }
      next = length == 1 ? place : next;
      if (length >= least) {
        visit(context, hash);
      }
    }
    start = next;
  }
}

static void pi_count_ngram(void *context, uint32_t hash) {
  float *counts = context;
  counts[hash % PI_NUM_BUCKETS] += hash >> 31 ? -1.0f : 1.0f;
}

/* The signed counts of the n-grams of a text's tokens. */
static void pi_count_ngrams(const pi_tokens *tokens, float *counts) {
  memset(counts, 0, PI_NUM_BUCKETS * sizeof *counts);
  for (size_t n = 0; n < tokens->count; n++) {
    pi_visit_ngrams(pi_token_text(tokens, n), PI_SHORTEST, PI_LONGEST, pi_count_ngram, counts);
  }
}

static void pi_begin_sum(pi_sum *sum, float *total, float *block, size_t dim,
                         const pi_kernels *kernels) {
  pi_sum begun = {total, block, 0, dim, kernels};
  memset(total, 0, dim * sizeof *total);
  memset(block, 0, dim * sizeof *block);
  *sum = begun;
}

static void pi_end_sum(pi_sum *sum) {
  sum->kernels->add(sum->total, sum->block, 1.0f, sum->dim);
  memset(sum->block, 0, sum->dim * sizeof *sum->block);
}

/* Ends a block after each 64 rows; called before a row is added to it. */
static float *pi_next_of_sum(pi_sum *sum) {
  if (sum->count++ % 64 == 63) {
    pi_end_sum(sum);
  }
  return sum->block;
}

typedef struct pi_ngram_sum {
  const pi_table *table;
  float *decoded;
  pi_sum sum;
} pi_ngram_sum;

static void pi_add_ngram(void *context, uint32_t hash) {
  pi_ngram_sum *to = context;
  pi_add_row(&to->table->ngrams, hash % to->table->num_buckets, 1.0f, pi_next_of_sum(&to->sum),
             to->decoded, to->sum.kernels);
}

/* The vector of a word outside the vocabulary: `weight` times the mean of its n-grams'. */
static void pi_embed_ngrams(const pi_table *table, pintent_text word, float *vector,
                            const pi_kernels *kernels, pi_encoder_scratch *scratch) {
  pi_ngram_sum to = {table, scratch->decoded, {NULL, NULL, 0, 0, NULL}};
  pi_begin_sum(&to.sum, vector, scratch->block, table->dim, kernels);
  pi_visit_ngrams(word, table->min_n, table->max_n, pi_add_ngram, &to);
  pi_end_sum(&to.sum);
  size_t count = to.sum.count;
  float factor = (float)(table->weight / (double)(count > 0 ? count : 1));
  for (size_t n = 0; n < table->dim; n++) {
    vector[n] *= factor;
  }
}
