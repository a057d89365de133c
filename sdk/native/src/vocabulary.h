/* Words by their bytes: a hash table, the words of a model, and those that pruning has lost. */

#ifndef PINTENT_VOCABULARY_H
#define PINTENT_VOCABULARY_H

#include "base.h"

#define PI_NO_WORD UINT32_MAX

/* Words with the numbers 0, 1, 2 …; the bytes stay where they are. */
typedef struct pi_words {
  uint32_t *slots; /* the number of a word, plus one; a power of two of them, at most half used */
  size_t mask;
  const char *bytes;
  uint32_t *places; /* where each word begins, and one more for the end */
  size_t count;
  size_t gap; /* bytes between two words */
} pi_words;

/* A model's words and pieces of words. */
typedef struct pi_vocabulary {
  pi_words words;
  bool has_pieces;         /* entries that begin with ## are pieces inside words */
  size_t longest;          /* code points of the longest entry, at most PI_MAX_PIECE */
  bool is_known_to_simple; /* whether its words are tokens that need no correction */
  pintent_text *lost;      /* filters of lost words */
  size_t num_lost;
} pi_vocabulary;

enum { PI_MAX_PIECE = 64 };

static pintent_text pi_word(const pi_words *words, size_t number);

/* The number of a word with this hash, or PI_NO_WORD. */
static uint32_t pi_find_hashed(const pi_words *words, pintent_text word, uint32_t hash);
static uint32_t pi_find_word(const pi_words *words, pintent_text word);

#endif
