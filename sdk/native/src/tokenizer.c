/* The tokenizer `simple`, version 1: docs/tokenizer.md. */

#include "tokens.h"

static pintent_text pi_token_text(const pi_tokens *tokens, size_t number) {
  pi_token token = tokens->items[number];
  pintent_text text = {tokens->bytes + token.start, token.size};
  return text;
}

static bool pi_tokens_init(pi_tokens *tokens, pi_arena *arena) {
  tokens->count = tokens->used = 0;
  tokens->items = pi_arena_raw(arena, PI_MAX_TOKENS, sizeof *tokens->items);
  tokens->bytes = pi_arena_raw(arena, PI_MAX_TOKEN_BYTES, 1);
  return tokens->items != NULL && tokens->bytes != NULL;
}

/* Begins a token with no characters yet. */
static void pi_begin_token(pi_tokens *tokens) {
  pi_token token = {(uint32_t)tokens->used, 0};
  tokens->items[tokens->count++] = token;
}

static void pi_extend_token(pi_tokens *tokens, uint32_t point) {
  size_t size = pi_write_point(point, tokens->bytes + tokens->used);
  tokens->used += size;
  tokens->items[tokens->count - 1].size += (uint32_t)size;
}

/* Adds a character of a class, in the order of the text. `run` is the class of the token that it may
 * extend, or PI_SEPARATOR. An apostrophe has no class of its own here: it is added by the caller. */
static void pi_add_point(pi_tokens *tokens, uint32_t point, uint32_t class_of, uint32_t *run) {
  bool extends = class_of == *run || (class_of == PI_MARK && *run == PI_LETTER);
  if (class_of == PI_LETTER || class_of == PI_DIGIT) {
    if (!extends) {
      pi_begin_token(tokens);
    }
    *run = class_of;
  } else if (class_of == PI_IDEOGRAPH || class_of == PI_SYMBOL) {
    pi_begin_token(tokens);
    *run = PI_SEPARATOR;
  } else if (class_of != PI_MARK || !extends) {
    *run = PI_SEPARATOR;
    return;
  }
  pi_extend_token(tokens, point);
}

static bool pi_is_apostrophe(uint32_t point) {
  return point == 0x27 || point == 0x60 || point == 0xB4 || point == 0x2BC || point == 0x2018 ||
         point == 0x2019;
}

/* Tokens of a text that is ASCII; no other text has so few rules, or comes so often. */
static void pi_tokenize_ascii(const char *text, size_t size, pi_tokens *tokens) {
  uint32_t run = PI_SEPARATOR;
  for (size_t n = 0; n < size; n++) {
    char c = text[n];
    c = c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
    uint32_t class_of = PI_SEPARATOR;
    if (c >= 'a' && c <= 'z') {
      class_of = PI_LETTER;
    } else if (c >= '0' && c <= '9') {
      class_of = PI_DIGIT;
    } else if (c == '\'' || c == '`') {
      char next = n + 1 < size ? (char)(text[n + 1] | 32) : '\0';
      if (run == PI_LETTER && next >= 'a' && next <= 'z') {
        c = '\'';
        class_of = PI_LETTER;
        run = PI_SEPARATOR; /* so that it begins a token */
      }
    } else if (c != '\0' && strchr("$+<=>^|~", c) != NULL) {
      class_of = PI_SYMBOL;
    }
    bool begins = class_of != run || class_of == PI_SYMBOL;
    run = class_of;
    if (class_of == PI_SEPARATOR) {
      continue;
    }
    if (begins) {
      pi_begin_token(tokens);
    }
    tokens->bytes[tokens->used++] = c;
    tokens->items[tokens->count - 1].size++;
  }
}

/* Whether the capital sigma at a place ends a word: a cased character is before it, none after it,
 * and those that have no case of their own are passed over. */
static bool pi_is_final_sigma(const uint32_t *points, size_t count, size_t place) {
  enum { cased = 1, ignored = 2 };
  size_t n = place;
  while (n > 0 && pi_sigma_case(points[n - 1]) == ignored) {
    n--;
  }
  if (n == 0 || pi_sigma_case(points[n - 1]) != cased) {
    return false;
  }
  for (n = place + 1; n < count && pi_sigma_case(points[n]) == ignored; n++) {
  }
  return n == count || pi_sigma_case(points[n]) != cased;
}

/* The lower case of the code point at a place, but for U+0130, which becomes two. */
static uint32_t pi_lower_in_text(const uint32_t *points, size_t count, size_t place) {
  uint32_t point = points[place];
  return point == 0x3A3 ? 0x3C3u - pi_is_final_sigma(points, count, place) : pi_lower(point);
}

/* Tokens of a text in its normal form. */
static void pi_tokenize_points(const uint32_t *points, size_t count, pi_tokens *tokens) {
  uint32_t run = PI_SEPARATOR;
  for (size_t n = 0; n < count; n++) {
    uint32_t point = points[n];
    if (point == '\'') {
      uint32_t next = n + 1 < count ? pi_lower(points[n + 1]) : 0;
      if (run == PI_LETTER && next != '\'' && pi_class_of(next) == PI_LETTER) {
        pi_begin_token(tokens);
        pi_extend_token(tokens, point);
      } else {
        run = PI_SEPARATOR;
      }
    } else if (point == 0x130) {
      pi_add_point(tokens, 'i', PI_LETTER, &run);
      pi_add_point(tokens, 0x307, PI_MARK, &run);
    } else {
      point = pi_lower_in_text(points, count, n);
      pi_add_point(tokens, point, pi_class_of(point), &run);
    }
  }
}

/* The bytes of the part of a text that is read, if it is ASCII; otherwise 0. */
static size_t pi_count_ascii(const char *text, size_t size) {
  size_t count = 0, most = size < PI_MAX_CHARS ? size : PI_MAX_CHARS;
  while (count < most && (unsigned char)text[count] < 0x80) {
    count++;
  }
  return count == most ? count : 0;
}

/* Writes the code points of a text in the normal form, with one sign for all apostrophes; how many
 * there are, at most PI_MAX_POINTS. */
static size_t pi_read_points(const char *text, size_t size, uint32_t *points) {
  /* They are first put where the normal form, which may be longer, does not reach them. */
  size_t count = 0, place = 0;
  for (; count < PI_MAX_CHARS && place < size; count++) {
    pi_next_point(text, size, &place);
  }
  uint32_t *cut = points + PI_MAX_POINTS - count;
  place = 0;
  for (size_t n = 0; n < count; n++) {
    uint32_t point = pi_next_point(text, size, &place);
    cut[n] = pi_is_apostrophe(point) ? '\'' : point;
  }
  return pi_normalise(points, PI_MAX_POINTS, count);
}

static void pi_tokenize(const char *text, size_t size, uint32_t *points, pi_tokens *tokens) {
  pintent_text source = {text, size};
  tokens->source = source;
  tokens->count = tokens->used = 0;
  size_t ascii = pi_count_ascii(text, size);
  if (ascii > 0) {
    pi_tokenize_ascii(text, ascii, tokens);
  } else {
    pi_tokenize_points(points, pi_read_points(text, size, points), tokens);
  }
}
