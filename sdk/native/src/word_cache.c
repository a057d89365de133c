/* A cache of what a network has made of words; a full one is emptied. */

#include "encoder.h"

enum {
  PI_KEY = 40,           /* bytes of the longest unknown word that is kept */
  PI_MOST_WORDS = 65536 /* that are kept */
};

typedef struct pi_cached_word {
  uint32_t number; /* of a known word, otherwise PI_NO_WORD */
  uint32_t size;   /* of an unknown word */
  char bytes[PI_KEY];
} pi_cached_word;

/* Takes the room for words of `size` numbers each, as many as fit the bytes, but never fewer than the
 * `least` that a text can have; false if there is no memory. */
static bool pi_word_cache_init(pi_word_cache *cache, size_t size, size_t least, size_t cache_bytes,
                               pi_arena *arena) {
  size_t room = 16, fitting = cache_bytes / (size * sizeof(float) + sizeof(pi_cached_word));
  cache->size = size;
  cache->keeps = fitting > 0;
  cache->capacity = fitting < least ? least : fitting < PI_MOST_WORDS ? fitting : PI_MOST_WORDS;
  while (room < 2 * cache->capacity) {
    room *= 2;
  }
  cache->mask = room - 1;
  cache->slots = pi_arena_take(arena, room, sizeof *cache->slots);
  cache->words = pi_arena_raw(arena, cache->capacity, sizeof *cache->words);
  cache->parts = pi_arena_raw(arena, cache->capacity, size * sizeof(float));
  return cache->slots != NULL && cache->words != NULL && cache->parts != NULL;
}

/* Makes room for the words of a text, at most `most` of them. */
static void pi_make_room(pi_word_cache *cache, size_t most) {
  if (!cache->keeps || cache->used + most > cache->capacity) {
    memset(cache->slots, 0, (cache->mask + 1) * sizeof *cache->slots);
    cache->used = 0;
  }
}

/* The parts of a word that are kept; NULL, and its place in the table, if they are not. */
static float *pi_find_parts(const pi_word_cache *cache, pintent_text word, uint32_t number,
                            size_t *slot) {
  uint32_t hash = pi_fnv(PI_FNV_START, word.data, word.size);
  for (*slot = hash & cache->mask; cache->slots[*slot] != 0; *slot = (*slot + 1) & cache->mask) {
    size_t entry = cache->slots[*slot] - 1;
    const pi_cached_word *kept = &cache->words[entry];
    pintent_text bytes = {kept->bytes, kept->size};
    if (number != PI_NO_WORD ? kept->number == number
                             : kept->number == PI_NO_WORD && pi_same(bytes, word)) {
      return cache->parts + entry * cache->size;
    }
  }
  return NULL;
}

/* Takes the room for the parts of a new word, with its place in the table. */
static float *pi_add_parts(pi_word_cache *cache, pintent_text word, uint32_t number, size_t slot) {
  size_t entry = cache->used++;
  pi_cached_word *kept = &cache->words[entry];
  kept->number = number;
  kept->size = 0; /* no token is empty, so that a long one is never found */
  if (number != PI_NO_WORD || word.size <= PI_KEY) {
    kept->size = number == PI_NO_WORD ? (uint32_t)word.size : 0;
    memcpy(kept->bytes, word.data, kept->size);
    cache->slots[slot] = (uint32_t)(entry + 1);
  }
  return cache->parts + entry * cache->size;
}
