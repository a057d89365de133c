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

/* Reads the tokens of a text in ASCII one after the other. No other text has so few rules, or comes so
 * often. */
typedef struct pi_ascii {
  const char *text;
  size_t size, place;
  bool follows_letter;
  /* The token that was read. */
  size_t start, length;
  uint64_t head; /* its first eight bytes, with zeros behind a shorter one */
} pi_ascii;

/* Eight bytes from a place on in lower case: with a 1 in this bit, as the lower case of letters has it,
 * nothing else becomes a letter. */
static inline uint64_t pi_lower_eight(const pi_ascii *ascii, size_t place) {
  return pi_load_eight(ascii->text, ascii->size, place) | pi_eight(0x20);
}

/* The letters at the beginning of eight bytes in lower case. */
static inline size_t pi_count_letters(uint64_t eight) {
  uint64_t from_a = eight + pi_eight(0x80 - 'a'), beyond_z = eight + pi_eight(0x7F - 'z');
  uint64_t others = (~from_a | beyond_z) & pi_eight(0x80);
  return others == 0 ? 8 : pi_lowest_byte(others);
}

/* The letters from a place on. */
static inline size_t pi_letters_at(const pi_ascii *ascii, size_t place) {
  size_t length = 0, found = 8;
  while (found == 8 && place + length < ascii->size) {
    found = pi_count_letters(pi_lower_eight(ascii, place + length));
    length += found;
  }
  return length;
}

static inline void pi_cut_head(pi_ascii *ascii, uint64_t head) {
  size_t length = ascii->length;
  ascii->head = length < 8 ? head & (((uint64_t)1 << 8 * length) - 1) : head;
}

/* Reads what begins with no letter; its length is 0 if it is no token, and separates others. The value
 * is copied, so that a compiler keeps that of the caller in registers. */
static pi_ascii pi_read_other(pi_ascii ascii) {
  char c = ascii.text[ascii.start];
  uint64_t eight = pi_lower_eight(&ascii, ascii.start);
  if (c == '\'' || c == '`') {
    size_t letters = ascii.follows_letter ? pi_letters_at(&ascii, ascii.start + 1) : 0;
    ascii.follows_letter = letters > 0;
    ascii.length = letters > 0 ? letters + 1 : 0;
    pi_cut_head(&ascii, (eight & ~(uint64_t)0xFF) | '\'');
    return ascii;
  }
  ascii.follows_letter = false;
  if (c != '\0' && strchr("$+<=>^|~", c) != NULL) {
    ascii.length = 1;
    ascii.head = (unsigned char)c;
    return ascii;
  }
  for (size_t n = ascii.start; n < ascii.size; n++, ascii.length++) {
    if (ascii.text[n] < '0' || ascii.text[n] > '9') {
      break;
    }
  }
  pi_cut_head(&ascii, eight);
  return ascii;
}

/* Reads the next token; false at the end. */
PI_INLINE bool pi_next_ascii(pi_ascii *ascii) {
  while (ascii->place < ascii->size) {
    uint64_t eight = pi_lower_eight(ascii, ascii->place);
    ascii->start = ascii->place;
    ascii->length = pi_count_letters(eight);
    if (ascii->length > 0) {
      ascii->length += ascii->length == 8 ? pi_letters_at(ascii, ascii->start + 8) : 0;
      ascii->follows_letter = true;
      pi_cut_head(ascii, eight);
    } else if (ascii->text[ascii->start] != ' ') {
      *ascii = pi_read_other(*ascii);
    }
    ascii->place += ascii->length;
    if (ascii->length == 0 || (ascii->place < ascii->size && ascii->text[ascii->place] == ' ')) {
      ascii->follows_letter = false;
      ascii->place++;
    }
    if (ascii->length > 0) {
      return true;
    }
  }
  return false;
}

/* Writes the token that was read, and up to eight bytes behind it. */
static inline void pi_write_ascii(const pi_ascii *ascii, char *bytes) {
  memcpy(bytes, &ascii->head, sizeof ascii->head);
  for (size_t n = 8; n < ascii->length; n += 8) {
    uint64_t eight = pi_lower_eight(ascii, ascii->start + n);
    memcpy(bytes + n, &eight, sizeof eight);
  }
}

static void pi_tokenize_ascii(const char *text, size_t size, pi_tokens *tokens) {
  pi_ascii ascii = {text, size, 0, false, 0, 0, 0};
  size_t count = 0, used = 0;
  while (pi_next_ascii(&ascii)) {
    pi_token token = {(uint32_t)used, (uint32_t)ascii.length};
    pi_write_ascii(&ascii, tokens->bytes + used);
    tokens->items[count++] = token;
    used += ascii.length;
  }
  tokens->count = count;
  tokens->used = used;
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
static size_t pi_ascii_part(const char *text, size_t size) {
  size_t most = size < PI_MAX_CHARS ? size : PI_MAX_CHARS;
  return pi_ascii_size(text, most) == most ? most : 0;
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
  size_t ascii = pi_ascii_part(text, size);
  if (ascii > 0) {
    pi_tokenize_ascii(text, ascii, tokens);
  } else {
    pi_tokenize_points(points, pi_read_points(text, size, points), tokens);
  }
}
