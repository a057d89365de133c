/* The kind `contextual`: docs/contextual.md. */

#include <math.h>

#include "encoder.h"

enum { PI_NEW_WORDS = 12 }; /* words that are multiplied together */

static bool pi_context_scratch_init(const pi_encoder *encoder, size_t cache_bytes, pi_arena *arena,
                                    pi_encoder_scratch *scratch) {
  const pi_context *context = &encoder->context;
  size_t size = encoder->table.dim + context->width * context->hidden + 1;
  if (!pi_word_cache_init(&scratch->cache, size, PI_SEQUENCE, cache_bytes, arena)) {
    return false;
  }
  scratch->of_tokens = pi_arena_raw(arena, PI_SEQUENCE, sizeof *scratch->of_tokens);
  scratch->new_words = pi_arena_raw(arena, PI_NEW_WORDS, sizeof *scratch->new_words);
  scratch->units = pi_arena_raw(arena, PI_NEW_WORDS * encoder->table.dim, sizeof(float));
  scratch->products =
      pi_arena_raw(arena, PI_NEW_WORDS * context->width * context->hidden, sizeof(float));
  scratch->hidden = pi_arena_raw(arena, context->hidden, sizeof(float));
  scratch->gathered = pi_arena_raw(arena, context->hidden, sizeof(float));
  return scratch->new_words != NULL && scratch->units != NULL && scratch->products != NULL &&
         scratch->of_tokens != NULL && scratch->hidden != NULL && scratch->gathered != NULL;
}

/* The stored matrix has a row for each hidden unit, with a part for each place of the window: the rows
 * of another matrix, which multiplies the vectors of words. */
static pi_matrix pi_by_place(const pi_context *context, size_t dim) {
  pi_matrix parts = context->inner;
  parts.num = context->hidden * context->width;
  parts.dim = dim;
  parts.scales = NULL; /* of the rows of the stored one */
  return parts;
}

/* Computes what new words add to the hidden layers of the words around them, one place of the window
 * after the other, and to their own gates; behind their vectors, which are there already. */
static void pi_read_new_words(const pi_encoder *encoder, size_t num, const pi_kernels *kernels,
                              pi_encoder_scratch *scratch) {
  const pi_context *context = &encoder->context;
  size_t dim = encoder->table.dim, hidden = context->hidden, width = context->width;
  pi_matrix matrix = pi_by_place(context, dim);
  if (num == 0) {
    return;
  }
  for (size_t n = 0; n < num; n++) {
    const float *vector = scratch->new_words[n];
    float *unit = scratch->units + n * dim;
    double square = (double)kernels->dot(vector, vector, dim) / (double)dim + 1e-6;
    for (size_t d = 0; d < dim; d++) {
      unit[d] = vector[d] / (float)sqrt(square);
    }
  }
  pi_multiply(&matrix, scratch->units, dim, num, NULL, scratch->products, matrix.num,
              scratch->decoded, kernels);
  for (size_t n = 0; n < num; n++) {
    const float *products = scratch->products + n * matrix.num;
    float *layers = scratch->new_words[n] + dim;
    for (size_t unit = 0; unit < hidden; unit++) {
      float scale = pi_scale_of(&context->inner, unit);
      for (size_t place = 0; place < width; place++) {
        layers[place * hidden + unit] = scale * *products++;
      }
      layers[width / 2 * hidden + unit] += context->inner_bias[unit];
    }
    layers[width * hidden] =
        kernels->dot(context->gate, scratch->units + n * dim, dim) + context->gate_bias;
  }
}

/* Where the parts of a word are. Those of a new word are computed with those of others, in the end by
 * pi_gather_parts. */
static const float *pi_parts_of(const pi_encoder *encoder, pintent_text word, uint32_t number,
                                const pi_kernels *kernels, pi_encoder_scratch *scratch) {
  pi_word_cache *cache = &scratch->cache;
  size_t slot;
  float *parts = pi_find_parts(cache, word, number, &slot);
  if (parts != NULL) {
    return parts;
  }
  parts = pi_add_parts(cache, word, number, slot);
  if (number != PI_NO_WORD) {
    memset(parts, 0, encoder->table.dim * sizeof *parts);
    pi_add_row(&encoder->table.words, number, 1.0f, parts, scratch->decoded, kernels);
  } else {
    pi_embed_ngrams(&encoder->table, word, parts, kernels, scratch);
  }
  scratch->new_words[scratch->num_new++] = parts;
  if (scratch->num_new == PI_NEW_WORDS) {
    pi_read_new_words(encoder, scratch->num_new, kernels, scratch);
    scratch->num_new = 0;
  }
  return parts;
}

/* Finds the parts of the tokens of a text that have a vector; how many these are. */
static size_t pi_gather_parts(const pi_encoder *encoder, const pi_tokens *tokens,
                              const pi_kernels *kernels, pi_encoder_scratch *scratch) {
  const pi_vocabulary *vocabulary = &encoder->table.vocabulary;
  pi_make_room(&scratch->cache, PI_SEQUENCE);
  size_t count = 0;
  scratch->num_new = 0;
  for (size_t n = 0; n < tokens->count && count < PI_SEQUENCE; n++) {
    pintent_text token = pi_token_text(tokens, n);
    uint32_t number = pi_find_word(&vocabulary->words, token);
    if (number == PI_NO_WORD && vocabulary->has_pieces) {
      size_t found =
          pi_split_word(vocabulary, token, scratch->pieces, PI_SEQUENCE - count);
      for (size_t piece = 0; piece < found && count < PI_SEQUENCE; piece++) {
        number = scratch->pieces[piece];
        pintent_text entry = pi_word(&vocabulary->words, number);
        scratch->of_tokens[count++] = pi_parts_of(encoder, entry, number, kernels, scratch);
      }
    } else if (number != PI_NO_WORD || encoder->table.has_ngrams) {
      scratch->of_tokens[count++] = pi_parts_of(encoder, token, number, kernels, scratch);
    }
  }
  pi_read_new_words(encoder, scratch->num_new, kernels, scratch);
  return count;
}

static void pi_encode_context(const pi_encoder *encoder, const pi_tokens *tokens,
                              const pi_kernels *kernels, pi_encoder_scratch *scratch) {
  const pi_context *context = &encoder->context;
  size_t dim = encoder->table.dim, hidden = context->hidden, reach = context->width / 2;
  float *vector = scratch->vector, *plain = scratch->plain, *gathered = scratch->gathered;
  memset(vector, 0, dim * sizeof *vector);
  memset(plain, 0, dim * sizeof *plain);
  memset(gathered, 0, hidden * sizeof *gathered);
  size_t count = pi_gather_parts(encoder, tokens, kernels, scratch);
  if (count == 0) {
    return;
  }
  for (size_t token = 0; token < count; token++) {
    float *layer = scratch->hidden;
    memset(layer, 0, hidden * sizeof *layer);
    for (size_t place = 0; place < context->width; place++) {
      size_t other = token + place - reach; /* wraps around before the first token */
      if (other < count) {
        kernels->add(layer, scratch->of_tokens[other] + dim + place * hidden, 1.0f, hidden);
      }
    }
    for (size_t n = 0; n < hidden; n++) {
      layer[n] = layer[n] > 0 ? layer[n] : 0;
    }
    const float *parts = scratch->of_tokens[token];
    float gate = kernels->dot(layer, context->hidden_gate, hidden) +
                 parts[dim + context->width * hidden];
    gate *= 0.5f;
    if (gate == gate) { /* a number; isnan would add a library of 7 KB on Windows */
      kernels->tanh(&gate, 1);
    }
    gate += 1.0f; /* 2 * sigmoid, which is 0 where Python's is */
    kernels->add(vector, parts, gate, dim);
    kernels->add(plain, parts, 1.0f, dim);
    kernels->add(gathered, layer, gate, hidden);
  }
  float *change = scratch->word;
  pi_multiply(&context->outer, gathered, hidden, 1, NULL, change, dim, scratch->decoded, kernels);
  kernels->add(vector, change, 1.0f, dim);
  if (context->word_share != 0) {
    double length = sqrt((double)kernels->dot(plain, plain, dim));
    pi_normalise_vector(vector, dim, kernels);
    kernels->add(vector, plain, (float)(context->word_share / (length > 0 ? length : 1)), dim);
  }
  pi_normalise_vector(vector, dim, kernels);
}
