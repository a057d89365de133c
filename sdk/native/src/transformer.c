/* The kind `transformer`: docs/transformer.md. The numbers of all tokens are kept in groups, as
 * kernels.h describes. */

#include <math.h>

#include "encoder.h"

/* The tokens of a text with the start, in whole groups. */
enum { PI_STATES = (PI_SEQUENCE + 1 + PI_MOST_OF_GROUP - 1) / PI_MOST_OF_GROUP * PI_MOST_OF_GROUP };

static inline size_t pi_even(size_t size) { return size + size % 2; }

static bool pi_transformer_scratch_init(const pi_encoder *encoder, pi_arena *arena,
                                        pi_encoder_scratch *scratch) {
  const pi_transformer *network = &encoder->transformer;
  size_t dim = encoder->table.dim, of_head = pi_even(dim / network->heads) + 2;
  size_t size = PI_STATES * sizeof(float);
  scratch->states = pi_arena_raw(arena, pi_even(dim), size);
  scratch->parts = pi_arena_raw(arena, pi_even(3 * dim), size);
  scratch->mixed = pi_arena_raw(arena, pi_even(dim), size);
  scratch->inner = pi_arena_raw(arena, pi_even(network->feedforward), size);
  scratch->scores = pi_arena_raw(arena, PI_GROUPS * PI_MOST_OF_GROUP, size);
  scratch->keys = pi_arena_raw(arena, of_head, size);
  scratch->values = pi_arena_raw(arena, of_head, size);
  return scratch->states != NULL && scratch->parts != NULL && scratch->mixed != NULL &&
         scratch->inner != NULL && scratch->scores != NULL && scratch->keys != NULL &&
         scratch->values != NULL;
}

/* What the layers of a network read and write for a text. */
typedef struct pi_reading {
  size_t dim, width;    /* numbers of a state, and with what makes them even */
  size_t count, groups; /* tokens with the start */
  size_t group;         /* tokens of a group */
  const pi_kernels *kernels;
  pi_encoder_scratch *scratch;
} pi_reading;

/* Multiplies a matrix with the numbers of all tokens. */
static void pi_apply_matrix(const pi_reading *reading, const pi_matrix *matrix, const float *bias,
                            const float *states, float *out, bool adds) {
  pi_products products = {out, pi_even(matrix->num) * reading->group, NULL, bias, adds};
  pi_multiply_groups(matrix, states, pi_even(matrix->dim) * reading->group, reading->count,
                     &products, reading->scratch->decoded, reading->kernels);
}

static void pi_apply_norm(const pi_reading *reading, const pi_norm *norm) {
  for (size_t n = 0; n < reading->groups; n++) {
    reading->kernels->norm(reading->scratch->states + n * reading->width * reading->group,
                           norm->weight, norm->bias, reading->dim);
  }
}

/* Copies the keys of a head, token by token, and its values, number by number: those of its numbers
 * and zeros for what shares their pairs, from an even number on. */
static void pi_copy_head(const pi_reading *reading, size_t head, size_t size, size_t first,
                         size_t width) {
  size_t group = reading->group, dim = reading->dim, length = pi_even(reading->count);
  float *keys = reading->scratch->keys, *values = reading->scratch->values;
  memset(values, 0, width * length * sizeof *values);
  for (size_t token = 0; token < reading->count; token++, keys += width, values++) {
    const float *parts = reading->scratch->parts + pi_place(group, pi_even(3 * dim), token, 0);
    for (size_t n = 0; n < width; n++) {
      size_t key = dim + first + n, value = key + dim;
      bool is_own = first + n >= head * size && first + n < (head + 1) * size;
      keys[n] = is_own ? parts[(key - key % 2) * group + key % 2] : 0;
      values[n * length] = is_own ? parts[(value - value % 2) * group + value % 2] : 0;
    }
  }
}

/* Adds to each state's mixture the values of a head, by how its query fits the keys. */
static void pi_attend_head(const pi_reading *reading, size_t head, size_t size) {
  size_t first = head * size / 2 * 2, width = pi_even((head + 1) * size) - first;
  size_t count = reading->count, group = reading->group, stride = pi_even(3 * reading->dim) * group;
  size_t of_scores = pi_even(count) * group;
  const pi_kernels *kernels = reading->kernels;
  pi_encoder_scratch *scratch = reading->scratch;
  const pi_pairs keys = {scratch->keys, NULL, count, width / 2, width};
  const pi_pairs values = {scratch->values, NULL, width, pi_even(count) / 2, pi_even(count)};
  const pi_products scores = {scratch->scores, of_scores, NULL, NULL, false};
  pi_products mixed = {scratch->mixed + first * group, reading->width * group, NULL, NULL, true};
  const float *queries = scratch->parts + first * group;
  pi_copy_head(reading, head, size, first, width);
  for (size_t start = 0; start < reading->groups; start += PI_GROUPS) {
    size_t left = reading->groups - start, groups = left < PI_GROUPS ? left : PI_GROUPS;
    kernels->multiply_groups(&keys, queries + start * stride, stride, groups * group, &scores);
    for (size_t n = 0; n < groups; n++) {
      kernels->softmax_groups(scratch->scores + n * of_scores, count,
                              (float)(1.0 / sqrt((double)size)));
    }
    kernels->multiply_groups(&values, scratch->scores, of_scores, groups * group, &mixed);
    mixed.out += groups * mixed.stride;
  }
}

/* Adds to each state a mixture of the values of all. */
static void pi_attend(const pi_reading *reading, const pi_layer *layer, size_t heads) {
  pi_encoder_scratch *scratch = reading->scratch;
  pi_apply_matrix(reading, &layer->input, layer->input_bias, scratch->states, scratch->parts,
                  false);
  memset(scratch->mixed, 0,
         reading->groups * reading->group * reading->width * sizeof *scratch->mixed);
  for (size_t head = 0; head < heads; head++) {
    pi_attend_head(reading, head, reading->dim / heads);
  }
  pi_apply_matrix(reading, &layer->output, layer->output_bias, scratch->mixed, scratch->states,
                  true);
  pi_apply_norm(reading, &layer->norms[0]);
}

static void pi_feed(const pi_reading *reading, const pi_layer *layer, size_t feedforward) {
  pi_encoder_scratch *scratch = reading->scratch;
  pi_apply_matrix(reading, &layer->inner, layer->inner_bias, scratch->states, scratch->inner,
                  false);
  reading->kernels->gelu(scratch->inner, reading->groups * reading->group * pi_even(feedforward));
  pi_apply_matrix(reading, &layer->outer, layer->outer_bias, scratch->inner, scratch->states, true);
  pi_apply_norm(reading, &layer->norms[1]);
}

/* Puts the vector of a token into its group. The first one of a group clears it. */
static void pi_place_state(const pi_reading *reading, size_t token, const float *vector) {
  size_t size = reading->group * reading->width;
  if (token % reading->group == 0) {
    memset(reading->scratch->states + token / reading->group * size, 0, size * sizeof *vector);
  }
  float *state = reading->scratch->states + pi_place(reading->group, reading->width, token, 0);
  for (size_t n = 0; n < reading->dim; n++) {
    state[(n - n % 2) * reading->group + n % 2] = vector[n];
  }
}

/* Repeats the tokens of a last group that fills at most its first half in the second half. */
static void pi_repeat_tokens(const pi_reading *reading) {
  size_t half = reading->group / 2, whole = reading->groups * reading->group;
  if (whole - reading->count < half) {
    return;
  }
  for (size_t token = whole - half; token < whole; token++) {
    for (size_t n = 0; n < reading->width; n++) {
      reading->scratch->states[pi_place(reading->group, reading->width, token, n)] =
          reading->scratch->states[pi_place(reading->group, reading->width, token - half, n)];
    }
  }
}

/* Places the vectors of the tokens that have one behind the start; how many these are. */
static size_t pi_place_tokens(const pi_reading *reading, const pi_encoder *encoder,
                              const pi_tokens *tokens) {
  const pi_table *table = &encoder->table;
  const pi_kernels *kernels = reading->kernels;
  pi_encoder_scratch *scratch = reading->scratch;
  float *state = scratch->plain;
  size_t count = 0;
  for (size_t n = 0; n < tokens->count && count < PI_SEQUENCE; n++) {
    pintent_text token = pi_token_text(tokens, n);
    uint32_t number = pi_find_word(&table->vocabulary.words, token);
    size_t found = 1;
    scratch->pieces[0] = number;
    if (number == PI_NO_WORD) {
      found = table->vocabulary.has_pieces
                  ? pi_split_word(&table->vocabulary, token, scratch->pieces, PI_SEQUENCE - count)
                  : table->has_ngrams;
    }
    for (size_t piece = 0; piece < found && count < PI_SEQUENCE; piece++) {
      memset(state, 0, table->dim * sizeof *state);
      if (scratch->pieces[piece] == PI_NO_WORD) {
        pi_embed_ngrams(table, token, state, kernels, scratch);
      } else {
        pi_add_row(&table->words, scratch->pieces[piece], 1.0f, state, scratch->decoded, kernels);
      }
      pi_add_row(&encoder->transformer.positions, count, 1.0f, state, scratch->decoded, kernels);
      pi_place_state(reading, ++count, state);
    }
  }
  return count;
}

static void pi_encode_transformer(const pi_encoder *encoder, const pi_tokens *tokens,
                                  const pi_kernels *kernels, pi_encoder_scratch *scratch) {
  const pi_transformer *network = &encoder->transformer;
  size_t dim = encoder->table.dim;
  pi_reading reading = {dim, pi_even(dim), 0, 0, kernels->group, kernels, scratch};
  memset(scratch->vector, 0, dim * sizeof *scratch->vector);
  pi_place_state(&reading, 0, network->start);
  size_t count = pi_place_tokens(&reading, encoder, tokens);
  if (count == 0) {
    return;
  }
  reading.count = count + 1;
  reading.groups = (reading.count + reading.group - 1) / reading.group;
  pi_repeat_tokens(&reading);
  pi_apply_norm(&reading, &network->norm);
  for (size_t n = 0; n < network->num_layers; n++) {
    pi_attend(&reading, &network->layers[n], network->heads);
    pi_feed(&reading, &network->layers[n], network->feedforward);
  }
  for (size_t token = 0; token < reading.count; token++) {
    const float *state = scratch->states + pi_place(reading.group, reading.width, token, 0);
    for (size_t n = 0; n < dim; n++) {
      scratch->vector[n] += state[(n - n % 2) * reading.group + n % 2];
    }
  }
  pi_normalise_vector(scratch->vector, dim, kernels);
}
