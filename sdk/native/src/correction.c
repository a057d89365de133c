/* Typing errors: docs/correction.md. */

#include "bot.h"
#include "kept_words.h"

enum { PI_MIN_LETTERS = 3, PI_MAX_LETTERS = 16 };

/* Words and how often each occurs, while they are counted. */
typedef struct pi_counter {
  pi_arena *arena;
  pintent_text *words;
  size_t *counts, *slots; /* a slot has the number of a word, plus one */
  size_t count, mask;
} pi_counter;

static bool pi_counter_grow(pi_counter *counter, pi_error *error) {
  size_t room = counter->mask == 0 ? 1024 : 2 * (counter->mask + 1);
  size_t *slots = pi_take(counter->arena, room, sizeof *slots, error);
  size_t *counts = pi_take(counter->arena, room / 2, sizeof *counts, error);
  pintent_text *words = pi_take(counter->arena, room / 2, sizeof *words, error);
  if (slots == NULL || counts == NULL || words == NULL) {
    return false;
  }
  for (size_t n = 0; n < counter->count; n++) {
    counts[n] = counter->counts[n];
    words[n] = counter->words[n];
    size_t slot = pi_fnv(PI_FNV_START, words[n].data, words[n].size) & (room - 1);
    while (slots[slot] != 0) {
      slot = (slot + 1) & (room - 1);
    }
    slots[slot] = n + 1;
  }
  counter->slots = slots;
  counter->counts = counts;
  counter->words = words;
  counter->mask = room - 1;
  return true;
}

static bool pi_count_word(pi_counter *counter, pintent_text word, pi_error *error) {
  if (counter->count >= (counter->mask + 1) / 2 && !pi_counter_grow(counter, error)) {
    return false;
  }
  size_t slot = pi_fnv(PI_FNV_START, word.data, word.size) & counter->mask;
  for (; counter->slots[slot] != 0; slot = (slot + 1) & counter->mask) {
    size_t number = counter->slots[slot] - 1;
    if (pi_same(counter->words[number], word)) {
      counter->counts[number]++;
      return true;
    }
  }
  word.data = pi_copy(counter->arena, word.data, word.size, error);
  counter->words[counter->count] = word;
  counter->counts[counter->count++] = 1;
  counter->slots[slot] = counter->count;
  return word.data != NULL;
}

static bool pi_is_preferred(const void *context, size_t one, size_t other) {
  const pi_counter *counter = context;
  if (counter->counts[one] != counter->counts[other]) {
    return counter->counts[one] > counter->counts[other];
  }
  return pi_order(counter->words[one], counter->words[other]) < 0;
}

/* Stores the counted words, the preferred ones first. */
static bool pi_rank_words(pi_counter *counter, pi_words *words, pi_arena *arena, pi_error *error) {
  size_t size = 0;
  size_t *order = pi_take(counter->arena, counter->count, sizeof *order, error);
  for (size_t n = 0; order != NULL && n < counter->count; n++) {
    order[n] = n;
    size += counter->words[n].size;
  }
  char *bytes = pi_take(arena, size, 1, error);
  words->places = pi_take(arena, counter->count + 1, sizeof *words->places, error);
  if (order == NULL || bytes == NULL || words->places == NULL) {
    return false;
  }
  pi_sort(order, counter->count, pi_is_preferred, counter);
  words->count = counter->count;
  words->bytes = bytes;
  size = 0;
  for (size_t n = 0; n < counter->count; n++) {
    pintent_text word = counter->words[order[n]];
    memcpy(bytes + size, word.data, word.size);
    size += word.size;
    words->places[n + 1] = (uint32_t)size;
  }
  pi_hash_words(words, arena, error);
  return words->slots != NULL;
}

static bool pi_count_text(pi_counter *counter, pintent_text text, uint32_t *points,
                          pi_tokens *tokens, pi_error *error) {
  pi_tokenize(text.data, text.size, points, tokens);
  for (size_t n = 0; n < tokens->count; n++) {
    if (!pi_count_word(counter, pi_token_text(tokens, n), error)) {
      return false;
    }
  }
  return true;
}

/* The bot's own words: those of the known templates, of the counter-examples of their intents, and of
 * the texts in `none`. `points` and `tokens` are room to tokenise. */
static bool pi_find_own_words(pintent_bot *bot, pi_arena *scratch, uint32_t *points,
                              pi_tokens *tokens, pi_error *error) {
  pi_counter counter = {scratch, NULL, NULL, NULL, 0, 0};
  const pi_templates *templates = &bot->templates;
  const pi_index *index = &bot->index;
  bool *is_indexed = pi_take(scratch, templates->num_intents, sizeof *is_indexed, error);
  if (is_indexed == NULL) {
    return false;
  }
  for (size_t n = 0; n < index->num; n++) {
    is_indexed[index->intents[n]] = true;
  }
  for (size_t n = 0; n < index->bounds[index->num]; n++) {
    if (!pi_count_text(&counter, templates->texts[index->templates[n]], points, tokens, error)) {
      return false;
    }
  }
  for (size_t n = 0; n < templates->num_counter_examples; n++) {
    const pi_counter_example *example = &templates->counter_examples[n];
    if ((example->intent == PI_ALL_INTENTS || is_indexed[example->intent]) &&
        !pi_count_text(&counter, example->text, points, tokens, error)) {
      return false;
    }
  }
  return pi_rank_words(&counter, &bot->own_words, &bot->arena, error);
}

static bool pi_can_be_corrected(pintent_text word) {
  if (word.size < PI_MIN_LETTERS || word.size > PI_MAX_LETTERS) {
    return false;
  }
  for (size_t n = 0; n < word.size; n++) {
    if (word.data[n] < 'a' || word.data[n] > 'z') {
      return false;
    }
  }
  return true;
}

static bool pi_is_kept(pintent_text word) {
  size_t low = 0, high = PI_NUM_KEPT_WORDS;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = pi_order(pi_text_of(pi_kept_words[middle]), word);
    if (order == 0) {
      return true;
    }
    low = order < 0 ? middle + 1 : low;
    high = order < 0 ? high : middle;
  }
  return false;
}

/* The best words within one edit that were found, by their numbers. */
typedef struct pi_edits {
  const pi_words *own, *vocabulary;
  uint32_t of_own, of_vocabulary;
} pi_edits;

static void pi_try(pi_edits *edits, const char *word, size_t size, uint32_t hash_of_head,
                   size_t head) {
  pintent_text text = {word, size};
  uint32_t hash = pi_fnv(hash_of_head, word + head, size - head);
  uint32_t own = pi_find_hashed(edits->own, text, hash);
  edits->of_own = own < edits->of_own ? own : edits->of_own;
  if (edits->of_own == PI_NO_WORD) {
    uint32_t known = pi_find_hashed(edits->vocabulary, text, hash);
    edits->of_vocabulary = known < edits->of_vocabulary ? known : edits->of_vocabulary;
  }
}

/* Tries all words within one edit: a letter left out, put in or replaced, or two swapped. */
static void pi_try_edits(pi_edits *edits, pintent_text word) {
  char edit[PI_MAX_LETTERS + 2];
  uint32_t hash = PI_FNV_START;
  for (size_t place = 0; place <= word.size; place++) {
    size_t left = word.size - place;
    const char *tail = word.data + place;
    memcpy(edit, word.data, place);
    memcpy(edit + place + 1, tail, left);
    for (char letter = 'a'; letter <= 'z'; letter++) { /* put in */
      edit[place] = letter;
      pi_try(edits, edit, word.size + 1, hash, place);
    }
    if (left > 0) {
      memcpy(edit + place, tail + 1, left - 1); /* left out */
      pi_try(edits, edit, word.size - 1, hash, place);
      memcpy(edit + place, tail, left);
      for (char letter = 'a'; letter <= 'z'; letter++) { /* replaced */
        edit[place] = letter;
        pi_try(edits, edit, word.size, hash, place);
      }
      if (left > 1) {
        edit[place] = tail[1];
        edit[place + 1] = tail[0];
        pi_try(edits, edit, word.size, hash, place);
      }
      hash = pi_fnv(hash, tail, 1);
    }
  }
}

/* The known word that a token is read as; the token itself if there is none. */
static pintent_text pi_correct_word(const pi_vocabulary *vocabulary, const pi_words *own,
                                    pintent_text word) {
  if (!pi_can_be_corrected(word) || pi_is_known(vocabulary, word) ||
      pi_find_word(own, word) != PI_NO_WORD || pi_is_kept(word) || pi_is_lost(vocabulary, word)) {
    return word;
  }
  pi_edits edits = {own, &vocabulary->words, PI_NO_WORD, PI_NO_WORD};
  pi_try_edits(&edits, word);
  if (edits.of_own != PI_NO_WORD) {
    return pi_word(own, edits.of_own);
  }
  return edits.of_vocabulary == PI_NO_WORD ? word
                                           : pi_word(&vocabulary->words, edits.of_vocabulary);
}

/* A text of tokens, into which the tokenizer splits it again in nearly all cases. */
static size_t pi_join_tokens(const pi_tokens *tokens, char *text) {
  size_t size = 0;
  for (size_t n = 0; n < tokens->count; n++) {
    pintent_text token = pi_token_text(tokens, n);
    if (n > 0 && token.data[0] != '\'') {
      text[size++] = ' ';
    }
    memcpy(text + size, token.data, token.size);
    size += token.size;
  }
  return size;
}

static bool pi_same_tokens(const pi_tokens *one, const pi_tokens *other) {
  bool is_same = one->count == other->count;
  for (size_t n = 0; is_same && n < one->count; n++) {
    is_same = pi_same(pi_token_text(one, n), pi_token_text(other, n));
  }
  return is_same;
}

/* Tokenises a text, with its typing errors corrected if it is asked for. What is read is the text
 * itself, or a corrected one in `joined`. */
static pintent_text pi_read_text(const pi_vocabulary *vocabulary, const pi_words *own,
                                 bool corrects, pintent_text text, uint32_t *points,
                                 pi_tokens *tokens, pi_tokens *corrected, char *joined) {
  pi_tokenize(text.data, text.size, points, tokens);
  if (!corrects) {
    return text;
  }
  pintent_text known[PI_CORRECTED];
  size_t most = tokens->count < PI_CORRECTED ? tokens->count : PI_CORRECTED;
  bool is_changed = false;
  for (size_t n = 0; n < most; n++) {
    pintent_text token = pi_token_text(tokens, n);
    known[n] = pi_correct_word(vocabulary, own, token);
    is_changed |= known[n].data != token.data;
  }
  if (!is_changed) {
    return text;
  }
  corrected->count = corrected->used = 0;
  for (size_t n = 0; n < tokens->count; n++) {
    pintent_text token = n < most ? known[n] : pi_token_text(tokens, n);
    pi_begin_token(corrected);
    memcpy(corrected->bytes + corrected->used, token.data, token.size);
    corrected->items[n].size = (uint32_t)token.size;
    corrected->used += token.size;
  }
  pintent_text result = {joined, pi_join_tokens(corrected, joined)};
  pi_tokenize(joined, result.size, points, tokens);
  if (!pi_same_tokens(tokens, corrected)) {
    pi_tokenize(text.data, text.size, points, tokens);
    return text;
  }
  return result;
}
