/* The vocabulary of a model: vocabulary.bytes and vocabulary.lost.N of docs/model-file.md. */

#include "files.h"
#include "tokens.h"
#include "vocabulary.h"

/* Where the word that has begun at a place, or before it, ends. */
static size_t pi_end_of_word(const pi_words *words, size_t place) {
  for (; place < words->size; place += 8) {
    uint64_t eight = pi_load_eight(words->bytes, words->size, place);
    uint64_t feeds = pi_bytes_below(eight ^ pi_eight('\n'), 1);
    if (feeds != 0) {
      return place + pi_lowest_byte(feeds);
    }
  }
  return words->size;
}

/* The word that begins at a place, and its first eight bytes, with zeros behind a shorter one. */
PI_INLINE pintent_text pi_next_word(const pi_words *words, size_t place, uint64_t *head) {
  pintent_text word = {words->bytes + place, 0};
  if (place < words->size) {
    *head = pi_load_eight(words->bytes, words->size, place);
    uint64_t feeds = pi_bytes_below(*head ^ pi_eight('\n'), 1);
    if (feeds != 0) {
      word.size = pi_lowest_byte(feeds);
      *head &= ((uint64_t)1 << 8 * word.size) - 1;
    } else {
      word.size = pi_end_of_word(words, place + 8) - place;
    }
  }
  return word;
}

static pintent_text pi_word(const pi_words *words, size_t number) {
  size_t place = words->places[number / PI_WORDS_OF_PLACE];
  for (size_t n = number % PI_WORDS_OF_PLACE; n > 0; n--) {
    place = pi_end_of_word(words, place) + 1;
  }
  pintent_text word = {words->bytes + place, pi_end_of_word(words, place) - place};
  return word;
}

PI_INLINE uint32_t pi_hash_of_head(uint64_t head, pintent_text word) {
  const uint64_t odd = 0x9E3779B97F4A7C15u; /* any odd number with mixed bits */
  if (word.size > 8) {
    uint64_t last;
    memcpy(&last, word.data + word.size - 8, sizeof last);
    head = (head ^ word.size) * odd ^ last;
  }
  if (word.size > 16) {
    head ^= (uint64_t)pi_fnv(PI_FNV_START, word.data + 8, word.size - 16) << 32;
  }
  head *= odd;
  return (uint32_t)(head ^ head >> 32);
}

static uint32_t pi_hash_word(pintent_text word) {
  uint64_t head = 0;
  if (word.size >= 8) {
    memcpy(&head, word.data, 8);
  } else if (word.size >= 4) {
    uint32_t first, last; /* which may overlap */
    memcpy(&first, word.data, 4);
    memcpy(&last, word.data + word.size - 4, 4);
    head = first | (uint64_t)last << 8 * (word.size - 4);
  } else {
    for (size_t n = word.size; n-- > 0;) {
      head = head << 8 | (unsigned char)word.data[n];
    }
  }
  return pi_hash_of_head(head, word);
}

/* What the entry of a word with this hash has beside the number. */
static uint32_t pi_mark_of(const pi_words *words, uint32_t hash) {
  return (uint32_t)(hash * ((uint64_t)words->mask + 1));
}

PI_APART bool pi_has_word(const pi_words *words, uint32_t entry, pintent_text word) {
  return pi_same(pi_word(words, (entry & words->mask) - 1), word);
}

/* The slot of a word with this hash; an empty one if there is none. */
PI_INLINE uint32_t *pi_find_slot(const pi_words *words, pintent_text word, uint32_t hash) {
  uint32_t mark = pi_mark_of(words, hash), mask = words->mask;
  size_t num_slots = words->num_slots, slot = (size_t)((uint64_t)hash * num_slots >> 32);
  for (;; slot = slot + 1 < num_slots ? slot + 1 : 0) {
    uint32_t entry = words->slots[slot];
    if (entry == 0 || ((entry ^ mark) <= mask && pi_has_word(words, entry, word))) {
      return &words->slots[slot];
    }
  }
}

static uint32_t pi_find_hashed(const pi_words *words, pintent_text word, uint32_t hash) {
  if (words->count == 0) {
    return PI_NO_WORD;
  }
  /* The number of an empty slot is PI_NO_WORD. */
  return (*pi_find_slot(words, word, hash) & words->mask) - 1;
}

static uint32_t pi_find_word(const pi_words *words, pintent_text word) {
  return pi_find_hashed(words, word, pi_hash_word(word));
}

static size_t pi_count_points(pintent_text text) {
  size_t count = 0;
  for (size_t n = 0; n < text.size; n++) {
    count += ((unsigned char)text.data[n] & 0xC0) != 0x80;
  }
  return count;
}

/* Finds the words of `bytes`, of which there are `count`, and puts them into the hash table, up to the
 * first that is there already; its number, or the count. */
static size_t pi_hash_words(pi_words *words, pi_arena *arena, pi_error *error) {
  words->num_slots = words->count + words->count / 2 + 1;
  words->slots = pi_take(arena, words->num_slots, sizeof *words->slots, error);
  words->places =
      pi_take(arena, words->count / PI_WORDS_OF_PLACE + 1, sizeof *words->places, error);
  for (words->mask = 1; words->mask < words->count;) {
    words->mask = 2 * words->mask + 1;
  }
  if (words->slots == NULL || words->places == NULL) {
    return 0;
  }
  size_t place = 0;
  for (size_t number = 0; number < words->count; number++) {
    uint64_t head = 0;
    pintent_text word = pi_next_word(words, place, &head);
    if (number % PI_WORDS_OF_PLACE == 0) {
      words->places[number / PI_WORDS_OF_PLACE] = (uint32_t)place;
    }
    uint32_t hash = pi_hash_of_head(head, word), *slot = pi_find_slot(words, word, hash);
    if (*slot != 0) {
      return number;
    }
    *slot = pi_mark_of(words, hash) | (uint32_t)(number + 1);
    if (word.size > words->longest) {
      size_t length = pi_count_points(word);
      words->longest = length > words->longest ? length : words->longest;
    }
    place += word.size + 1;
  }
  return words->count;
}

/* Counts the line feeds of a text, in parts whose counts fit a byte, which compilers make fast. */
static size_t pi_count_lines(pintent_text text) {
  enum { part = 192 };
  size_t count = 0;
  for (size_t start = 0; start < text.size; start += part) {
    size_t end = text.size - start < part ? text.size : start + part;
    unsigned char found = 0;
    for (size_t n = start; n < end; n++) {
      found = (unsigned char)(found + (text.data[n] == '\n'));
    }
    count += found;
  }
  return count;
}

/* Reads the words of a text, which are separated by line feeds. */
static bool pi_read_words(pi_vocabulary *vocabulary, pintent_text text, pi_arena *arena,
                          pi_error *error) {
  pi_words *words = &vocabulary->words;
  words->bytes = text.data;
  words->size = text.size;
  words->count = (text.size > 0) + pi_count_lines(text);
  size_t repeated = pi_hash_words(words, arena, error);
  if (error->status != PINTENT_OK) {
    return false;
  }
  if (repeated < words->count) {
    pintent_text word = pi_word(words, repeated);
    return pi_fail(error, PINTENT_ERROR_MODEL,
                   "the vocabulary has '%.*s' twice, at %zu and %zu; remove one of them and its row",
                   PI_SHOWN(word), (size_t)pi_find_word(words, word), repeated);
  }
  pintent_text none = {"", 0};
  uint32_t empty = pi_find_word(words, none);
  if (empty != PI_NO_WORD) {
    return pi_fail(error, PINTENT_ERROR_MODEL, "word %zu of the vocabulary is empty",
                   (size_t)empty);
  }
  vocabulary->longest = words->longest < PI_MAX_PIECE ? words->longest : PI_MAX_PIECE;
  return true;
}

/* The filters vocabulary.lost.0, vocabulary.lost.1 and so on, without a gap in the numbers. */
static bool pi_read_lost(const pi_file *file, pi_vocabulary *vocabulary, pi_arena *arena,
                         pi_error *error) {
  size_t count = 0;
  for (size_t n = 0; n < file->num_tensors; n++) {
    const pi_tensor *tensor = &file->tensors[n];
    if (pi_starts(tensor->name, "vocabulary.lost.")) {
      count++;
      if (tensor->dtype != PI_U8 || tensor->num_axes != 1 || tensor->size == 0) {
        return pi_fail(error, PINTENT_ERROR_MODEL,
                       "%.*s must be uint8 [num_bytes], of at least one byte",
                       PI_SHOWN(tensor->name));
      }
    }
  }
  vocabulary->num_lost = count;
  vocabulary->lost = pi_take(arena, count, sizeof *vocabulary->lost, error);
  if (vocabulary->lost == NULL) {
    return false;
  }
  for (size_t n = 0; n < count; n++) {
    char name[40];
    pi_format(name, sizeof name, "vocabulary.lost.%zu", n);
    const pi_tensor *tensor = pi_find_tensor(file, name);
    if (tensor == NULL) {
      return pi_fail(error, PINTENT_ERROR_MODEL,
                     "the tensors vocabulary.lost.N are not numbered from 0");
    }
    vocabulary->lost[n].data = tensor->data;
    vocabulary->lost[n].size = tensor->size;
  }
  return true;
}

static bool pi_read_vocabulary(const pi_file *file, pi_vocabulary *vocabulary, pi_arena *arena,
                               pi_error *error) {
  const pi_tensor *tensor = pi_find_tensor(file, "vocabulary.bytes");
  if (tensor == NULL) {
    return pi_fail(error, PINTENT_ERROR_MODEL,
                   "the model has no vocabulary: vocabulary.bytes is missing");
  }
  if (tensor->dtype != PI_U8 || tensor->num_axes != 1) {
    return pi_fail(error, PINTENT_ERROR_MODEL, "vocabulary.bytes must be uint8 [total]");
  }
  if (tensor->size >= UINT32_MAX) {
    return pi_fail(error, PINTENT_ERROR_UNSUPPORTED, "vocabulary.bytes is larger than 4 GB");
  }
  if (!pi_is_utf8(tensor->data, tensor->size)) {
    return pi_fail(error, PINTENT_ERROR_MODEL, "vocabulary.bytes is not UTF-8");
  }
  pintent_text text = {tensor->data, tensor->size};
  return pi_read_words(vocabulary, text, arena, error) &&
         pi_read_lost(file, vocabulary, arena, error);
}

/* Whether a filter of lost words (Bloom 1970) has a word: docs/correction.md. */
static bool pi_filter_has(pintent_text filter, pintent_text word) {
  uint64_t bits = 8 * (uint64_t)filter.size - 1;
  uint32_t first = pi_fnv(PI_FNV_START, word.data, word.size), step = PI_FNV_START;
  for (size_t n = word.size; n-- > 0;) {
    step = pi_fnv(step, word.data + n, 1);
  }
  for (uint64_t n = 0; n < 5; n++) {
    uint64_t place = (first + n * step) % bits;
    if (((unsigned char)filter.data[place / 8] >> (place % 8) & 1) == 0) {
      return false;
    }
  }
  return true;
}

static bool pi_is_lost(const pi_vocabulary *vocabulary, pintent_text word) {
  for (size_t n = 0; n < vocabulary->num_lost; n++) {
    if (pi_filter_has(vocabulary->lost[n], word)) {
      return true;
    }
  }
  return false;
}

/* Whether a token is a word of the vocabulary that needs no correction. */
static bool pi_is_known(const pi_vocabulary *vocabulary, pintent_text word) {
  if (vocabulary->has_pieces && pi_starts(word, "##")) {
    return false;
  }
  return pi_find_word(&vocabulary->words, word) != PI_NO_WORD;
}
