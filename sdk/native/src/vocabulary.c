/* The vocabulary of a model: vocabulary.bytes and vocabulary.lost.N of docs/model-file.md. */

#include "files.h"
#include "tokens.h"
#include "vocabulary.h"

static pintent_text pi_word(const pi_words *words, size_t number) {
  uint32_t start = words->places[number];
  pintent_text word = {words->bytes + start, words->places[number + 1] - words->gap - start};
  return word;
}

static uint32_t pi_find_hashed(const pi_words *words, pintent_text word, uint32_t hash) {
  if (words->count == 0) {
    return PI_NO_WORD;
  }
  for (size_t slot = hash & words->mask;; slot = (slot + 1) & words->mask) {
    uint32_t number = words->slots[slot];
    if (number == 0) {
      return PI_NO_WORD;
    }
    if (pi_same(pi_word(words, number - 1), word)) {
      return number - 1;
    }
  }
}

static uint32_t pi_find_word(const pi_words *words, pintent_text word) {
  return pi_find_hashed(words, word, pi_fnv(PI_FNV_START, word.data, word.size));
}

/* Puts all words into the hash table; the number of a word that is there already, or the count. */
static size_t pi_hash_words(pi_words *words, pi_arena *arena, pi_error *error) {
  size_t room = 16;
  while (room < 2 * words->count) {
    room *= 2;
  }
  words->slots = pi_take(arena, room, sizeof *words->slots, error);
  words->mask = room - 1;
  for (size_t number = 0; words->slots != NULL && number < words->count; number++) {
    pintent_text word = pi_word(words, number);
    size_t slot = pi_fnv(PI_FNV_START, word.data, word.size) & words->mask;
    while (words->slots[slot] != 0) {
      if (pi_same(pi_word(words, words->slots[slot] - 1), word)) {
        return number;
      }
      slot = (slot + 1) & words->mask;
    }
    words->slots[slot] = (uint32_t)(number + 1);
  }
  return words->count;
}

/* Finds where the words begin, which are separated by line feeds. */
static bool pi_split_words(pi_words *words, pintent_text text, pi_arena *arena, pi_error *error) {
  words->bytes = text.data;
  words->gap = 1;
  words->count = text.size > 0;
  for (size_t n = 0; n < text.size; n++) {
    words->count += text.data[n] == '\n';
  }
  words->places = pi_take(arena, words->count + 1, sizeof *words->places, error);
  if (words->places == NULL) {
    return false;
  }
  size_t number = 0;
  for (size_t n = 0; n < text.size; n++) {
    if (text.data[n] == '\n') {
      words->places[++number] = (uint32_t)(n + 1);
    }
  }
  words->places[words->count] = (uint32_t)(text.size + (text.size > 0));
  return true;
}

static bool pi_check_words(pi_vocabulary *vocabulary, pi_arena *arena, pi_error *error) {
  pi_words *words = &vocabulary->words;
  size_t repeated = pi_hash_words(words, arena, error);
  if (words->slots == NULL) {
    return false;
  }
  if (repeated < words->count) {
    pintent_text word = pi_word(words, repeated);
    return pi_fail(error, PINTENT_ERROR_MODEL,
                   "the vocabulary has '%.*s' twice, at %zu and %zu; remove one of them and its row",
                   PI_SHOWN(word), (size_t)pi_find_word(words, word), repeated);
  }
  for (size_t number = 0; number < words->count; number++) {
    pintent_text word = pi_word(words, number);
    if (word.size == 0) {
      return pi_fail(error, PINTENT_ERROR_MODEL, "word %zu of the vocabulary is empty", number);
    }
    size_t chars = 0;
    for (size_t n = 0; n < word.size; n++) {
      chars += ((unsigned char)word.data[n] & 0xC0) != 0x80;
    }
    vocabulary->longest = chars > vocabulary->longest ? chars : vocabulary->longest;
  }
  if (vocabulary->longest > PI_MAX_PIECE) {
    vocabulary->longest = PI_MAX_PIECE;
  }
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
  return pi_split_words(&vocabulary->words, text, arena, error) &&
         pi_check_words(vocabulary, arena, error) && pi_read_lost(file, vocabulary, arena, error);
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
