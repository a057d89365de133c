/* Words by their bytes: a hash table, the words of a model, and those that pruning has lost. */

#ifndef PINTENT_VOCABULARY_H
#define PINTENT_VOCABULARY_H

#include "base.h"

#define PI_NO_WORD UINT32_MAX

enum { PI_WORDS_OF_PLACE = 8 };

/* Words with the numbers 0, 1, 2 …, with a line feed between two; the bytes stay where they are. An
 * entry of the hash table is 0, or has the number of a word plus one in the bits of the mask, and a
 * part of its hash in the others, so that other words are rarely looked at. */
typedef struct pi_words {
  const char *bytes;
  size_t size, count;
  size_t longest;   /* code points of the longest word */
  uint32_t *places; /* where every eighth word begins; the others are found from there */
  uint32_t *slots;
  size_t num_slots; /* half as many again as words */
  uint32_t mask;
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

/* The hash of a word in these tables, which takes the same few steps for all but long words. */
static uint32_t pi_hash_word(pintent_text word);
/* The same with the first eight bytes of the word, behind a shorter one zeros. */
PI_INLINE uint32_t pi_hash_of_head(uint64_t head, pintent_text word);
/* The number of a word with this hash, or PI_NO_WORD. */
static uint32_t pi_find_hashed(const pi_words *words, pintent_text word, uint32_t hash);
static uint32_t pi_find_word(const pi_words *words, pintent_text word);

#endif
