/* A bot's own words, which a typing error is corrected to before other words: docs/correction.md. */

#include "bot.h"

/* A word that is counted, or an empty slot: one without a head. */
typedef struct pi_counted {
  uint64_t head;   /* the first eight bytes; zeros, which no token contains, behind a shorter word */
  uint32_t count;
  uint32_t number; /* of a word of more than eight bytes, plus one; otherwise 0 */
} pi_counted;

/* Words while they are counted: a hash table, of which at most three quarters are used. */
typedef struct pi_counter {
  pi_arena *arena;
  pi_counted *slots;
  size_t mask, count, size; /* words, and their bytes */
  pintent_text *long_words;
  size_t num_long, room;
} pi_counter;

static size_t pi_first_slot(const pi_counter *counter, uint64_t head, pintent_text token) {
  return pi_hash_of_head(head, token) & counter->mask;
}

/* The slot of a word; an empty one if it is not there yet. */
static pi_counted *pi_find_counted(const pi_counter *counter, uint64_t head, pintent_text token) {
  for (size_t slot = pi_first_slot(counter, head, token);; slot = (slot + 1) & counter->mask) {
    pi_counted *word = &counter->slots[slot];
    if (word->head == 0 ||
        (word->head == head &&
         (token.size <= 8 ? word->number == 0
                          : word->number > 0 &&
                                pi_same(counter->long_words[word->number - 1], token)))) {
      return word;
    }
  }
}

/* Makes the table again with a number of slots, a power of two. */
static bool pi_counter_grow(pi_counter *counter, size_t num_slots, pi_error *error) {
  pi_counter old = *counter;
  counter->slots = pi_take(counter->arena, num_slots, sizeof *counter->slots, error);
  counter->mask = num_slots - 1;
  for (size_t n = 0; counter->slots != NULL && old.slots != NULL && n <= old.mask; n++) {
    pi_counted word = old.slots[n];
    if (word.head != 0) {
      pintent_text none = {NULL, 0};
      pintent_text token = word.number > 0 ? old.long_words[word.number - 1] : none;
      size_t slot = pi_first_slot(counter, word.head, token);
      while (counter->slots[slot].head != 0) {
        slot = (slot + 1) & counter->mask;
      }
      counter->slots[slot] = word;
    }
  }
  return counter->slots != NULL;
}

/* Begins to count the words of some texts. */
static bool pi_counter_init(pi_counter *counter, size_t num_texts, pi_arena *arena,
                            pi_error *error) {
  enum { least = 1 << 8, most = 1 << 15 };
  size_t num_slots = least;
  while (num_slots < num_texts && num_slots < most) {
    num_slots *= 2;
  }
  memset(counter, 0, sizeof *counter);
  counter->arena = arena;
  return pi_counter_grow(counter, num_slots, error);
}

/* Stores a word of more than eight bytes. */
static bool pi_add_long_word(pi_counter *counter, pintent_text token, pi_error *error) {
  if (counter->num_long == counter->room) {
    size_t room = 2 * counter->room + 64;
    pintent_text *words = pi_take(counter->arena, room, sizeof *words, error);
    if (words == NULL) {
      return false;
    }
    for (size_t n = 0; n < counter->num_long; n++) {
      words[n] = counter->long_words[n];
    }
    counter->long_words = words;
    counter->room = room;
  }
  token.data = pi_copy(counter->arena, token.data, token.size, error);
  counter->long_words[counter->num_long++] = token;
  return token.data != NULL;
}

static bool pi_count_word(pi_counter *counter, uint64_t head, pintent_text token,
                          pi_error *error) {
  pi_counted *word = pi_find_counted(counter, head, token);
  word->count++;
  if (word->head != 0) {
    return true;
  }
  word->head = head;
  if (token.size > 8) {
    word->number = (uint32_t)counter->num_long + 1;
    if (!pi_add_long_word(counter, token, error)) {
      return false;
    }
  }
  counter->size += token.size;
  counter->count++;
  return counter->count <= counter->mask / 4 * 3 ||
         pi_counter_grow(counter, 2 * (counter->mask + 1), error);
}

/* Counts the words of a text in ASCII; `bytes` is room for a token. */
static bool pi_count_ascii(pi_counter *counter, pintent_text text, char *bytes, pi_error *error) {
  pi_ascii ascii = {text.data, text.size, 0, false, 0, 0, 0};
  while (pi_next_ascii(&ascii)) {
    pintent_text token = {bytes, ascii.length};
    if (token.size > 8) { /* of others the head is enough */
      pi_write_ascii(&ascii, bytes);
    }
    if (!pi_count_word(counter, ascii.head, token, error)) {
      return false;
    }
  }
  return true;
}

static bool pi_count_text(pi_counter *counter, pintent_text text, uint32_t *points,
                          pi_tokens *tokens, pi_error *error) {
  if (text.size <= PI_MAX_CHARS && pi_ascii_size(text.data, text.size) == text.size) {
    return pi_count_ascii(counter, text, tokens->bytes, error);
  }
  pi_tokenize(text.data, text.size, points, tokens);
  for (size_t n = 0; n < tokens->count; n++) {
    pintent_text token = pi_token_text(tokens, n);
    uint64_t head = pi_load_eight(tokens->bytes, tokens->used, tokens->items[n].start);
    head &= token.size < 8 ? ((uint64_t)1 << 8 * token.size) - 1 : UINT64_MAX;
    if (!pi_count_word(counter, head, token, error)) {
      return false;
    }
  }
  return true;
}

/* Stores the counted words. */
static bool pi_keep_words(const pi_counter *counter, pi_own_words *own, pi_arena *arena,
                          pi_error *error) {
  pi_words *words = &own->words;
  memset(own, 0, sizeof *own);
  char *bytes = pi_arena_raw(arena, counter->size + counter->count, 1);
  own->counts = pi_take(arena, counter->count, sizeof *own->counts, error);
  if (bytes == NULL || own->counts == NULL || counter->size > UINT32_MAX / 2) {
    return pi_fail(error, PINTENT_ERROR_MEMORY, "there is no memory for words");
  }
  words->bytes = bytes;
  for (size_t n = 0; n <= counter->mask; n++) {
    const pi_counted *word = &counter->slots[n];
    if (word->head == 0) {
      continue;
    }
    pintent_text text = {(const char *)&word->head, 8};
    while (word->number == 0 && text.data[text.size - 1] == '\0') {
      text.size--;
    }
    text = word->number == 0 ? text : counter->long_words[word->number - 1];
    memcpy(bytes + words->size, text.data, text.size);
    words->size += text.size;
    bytes[words->size++] = '\n';
    own->counts[words->count++] = word->count;
  }
  words->size -= words->size > 0;
  pi_hash_words(words, arena, error);
  return error->status == PINTENT_OK;
}

/* The bot's own words: those of the known templates, of the counter-examples of their intents, and of
 * the texts in `none`. `points` and `tokens` are room to tokenise. */
static bool pi_find_own_words(pintent_bot *bot, pi_arena *scratch, uint32_t *points,
                              pi_tokens *tokens, pi_error *error) {
  pi_counter counter;
  const pi_templates *templates = &bot->templates;
  const pi_index *index = &bot->index;
  bool *is_indexed = pi_take(scratch, templates->num_intents, sizeof *is_indexed, error);
  if (is_indexed == NULL || !pi_counter_init(&counter, templates->num_templates, scratch, error)) {
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
  return pi_keep_words(&counter, &bot->own_words, &bot->arena, error);
}

/* The one of two own words that is preferred: the one that occurs more often, and of equal ones the
 * first in the order of code points. Either may be PI_NO_WORD. */
static uint32_t pi_preferred_word(const pi_own_words *own, uint32_t one, uint32_t other) {
  if (one == PI_NO_WORD || other == PI_NO_WORD || one == other) {
    return one == PI_NO_WORD ? other : one;
  }
  if (own->counts[one] != own->counts[other]) {
    return own->counts[one] > own->counts[other] ? one : other;
  }
  return pi_order(pi_word(&own->words, one), pi_word(&own->words, other)) < 0 ? one : other;
}
