/* The tokens of a text, and room for those of any text. */

#ifndef PINTENT_TOKENS_H
#define PINTENT_TOKENS_H

#include "base.h"
#include "unicode_tables.h"

enum {
  PI_MAX_POINTS = PI_MAX_CHARS * PI_MAX_EXPANSION,
  PI_MAX_TOKENS = PI_MAX_CHARS * PI_MAX_TOKENS_OF_POINT,
  PI_MAX_TOKEN_BYTES = PI_MAX_CHARS * PI_MAX_BYTES_OF_POINT
};

typedef struct pi_token {
  uint32_t start; /* in the bytes of all tokens */
  uint32_t size;
} pi_token;

typedef struct pi_tokens {
  pi_token *items;
  size_t count;
  char *bytes; /* the tokens one after the other */
  size_t used;
  pintent_text source; /* the text that was split */
} pi_tokens;

/* Takes the room for the tokens of any text; false if there is no memory. */
static bool pi_tokens_init(pi_tokens *tokens, pi_arena *arena);

static pintent_text pi_token_text(const pi_tokens *tokens, size_t number);

/* Splits a text into its tokens. `points` is room for PI_MAX_POINTS numbers. */
static void pi_tokenize(const char *text, size_t size, uint32_t *points, pi_tokens *tokens);

#endif
