/* Typing errors: docs/correction.md. */

#include "bot.h"
#include "kept_words.h"

enum { PI_MIN_LETTERS = 3, PI_MAX_LETTERS = 16 };

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
  const pi_own_words *own;
  const pi_words *vocabulary;
  uint32_t of_own, of_vocabulary;
} pi_edits;

static void pi_try(pi_edits *edits, const char *word, size_t size) {
  pintent_text text = {word, size};
  uint32_t hash = pi_hash_word(text);
  uint32_t own = pi_find_hashed(&edits->own->words, text, hash);
  edits->of_own = pi_preferred_word(edits->own, edits->of_own, own);
  if (edits->of_own == PI_NO_WORD) {
    uint32_t known = pi_find_hashed(edits->vocabulary, text, hash);
    edits->of_vocabulary = known < edits->of_vocabulary ? known : edits->of_vocabulary;
  }
}

/* Tries all words within one edit: a letter left out, put in or replaced, or two swapped. */
static void pi_try_edits(pi_edits *edits, pintent_text word) {
  char edit[PI_MAX_LETTERS + 2];
  for (size_t place = 0; place <= word.size; place++) {
    size_t left = word.size - place;
    const char *tail = word.data + place;
    memcpy(edit, word.data, place);
    memcpy(edit + place + 1, tail, left);
    for (char letter = 'a'; letter <= 'z'; letter++) { /* put in */
      edit[place] = letter;
      pi_try(edits, edit, word.size + 1);
    }
    if (left > 0) {
      memcpy(edit + place, tail + 1, left - 1); /* left out */
      pi_try(edits, edit, word.size - 1);
      memcpy(edit + place, tail, left);
      for (char letter = 'a'; letter <= 'z'; letter++) { /* replaced */
        edit[place] = letter;
        pi_try(edits, edit, word.size);
      }
      if (left > 1) {
        edit[place] = tail[1];
        edit[place + 1] = tail[0];
        pi_try(edits, edit, word.size);
      }
    }
  }
}

/* The known word that a token is read as; the token itself if there is none. */
static pintent_text pi_correct_word(const pi_vocabulary *vocabulary, const pi_own_words *own,
                                    pintent_text word) {
  if (!pi_can_be_corrected(word) || pi_is_known(vocabulary, word) ||
      pi_find_word(&own->words, word) != PI_NO_WORD || pi_is_kept(word) || pi_is_lost(vocabulary, word)) {
    return word;
  }
  pi_edits edits = {own, &vocabulary->words, PI_NO_WORD, PI_NO_WORD};
  pi_try_edits(&edits, word);
  if (edits.of_own != PI_NO_WORD) {
    return pi_word(&own->words, edits.of_own);
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
static pintent_text pi_read_text(const pi_vocabulary *vocabulary, const pi_own_words *own,
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
