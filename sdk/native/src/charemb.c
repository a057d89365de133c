/* The kind `charemb`, and the vectors of unknown words for the kind `combined`: docs/charemb.md. */

#include "encoder.h"

/* Reads the kind `charemb`, which has no words. */
static bool pi_read_charemb(const pi_file *file, pi_arena *arena, pi_arena *scratch,
                            pi_encoder *encoder, pi_error *error) {
  pi_table *table = &encoder->table;
  pi_background background;
  if (!pi_read_characters(file, arena, scratch, &encoder->characters, error)) {
    return false;
  }
  table->dim = encoder->characters.dim;
  if (!pi_equals(pi_json_get(file->manifest, "dim"), (double)table->dim)) {
    return pi_fail(error, PINTENT_ERROR_MODEL,
                   "the manifest has another dim, but the vectors have %zu dimensions", table->dim);
  }
  if (!pi_read_tokenizer(file->manifest, &table->vocabulary, error) ||
      !pi_check_no_pieces(table, error)) {
    return false;
  }
  table->vocabulary.is_known_to_simple = false; /* nothing is corrected without known words */
  return pi_read_background(file, table, &background, scratch, error);
}

static bool pi_char_scratch_init(const pi_encoder *encoder, size_t cache_bytes, pi_arena *arena,
                                 pi_encoder_scratch *scratch) {
  enum { many = 1 << 15 };
  const pi_characters *network = &encoder->characters;
  pi_char_scratch *own = &scratch->characters;
  bool reads_words = encoder->kind == PI_COMBINED || network->reads_words;
  size_t most = pi_most_characters(&network->alphabet), room = PI_CHARS_TOGETHER + most;
  size_t words = encoder->attraction.words, hidden = network->hidden, gates = network->gates;
  size_t inputs = network->char_dim > network->state ? network->char_dim : network->state;
  size_t further = network->num_layers > 1 ? room * network->state : 0, together = PI_TOGETHER;
  size_t rows = PI_ROWS_OF_STEPS, length = network->cell == PI_ATTENTION ? most : 0;
  if (network->cell == PI_ATTENTION) {
    further = gates = rows = 0;
  }
  own->num_queries = words < many ? PI_TOGETHER : 1;
  const pi_char_room rooms[] = {
      {&own->last, together * network->state},
      {&own->inner, together * network->inner.num},
      {&own->outer, together * network->outer.num},
      {&own->units, own->num_queries * network->dim},
      {&own->similarities, own->num_queries * words},
      {&own->states, (length > 0 ? length : together) * hidden},
      {&own->memories, together * hidden},
      {&own->products, together * gates},
      {&own->projected, rows * gates},
      {&own->inputs, rows * inputs},
      {&own->outputs[0], further},
      {&own->outputs[1], further},
      {&own->normed, length * hidden},
      {&own->parts, length * 3 * hidden},
      {&own->mixed, length * hidden},
      {&own->feed, length * 4 * hidden},
      {&own->scores, length},
  };
  own->points = pi_arena_raw(arena, PI_MAX_POINTS, sizeof *own->points);
  own->numbers = pi_arena_raw(arena, room, sizeof *own->numbers);
  own->of_rows = pi_arena_raw(arena, rows, sizeof *own->of_rows);
  bool is_complete = own->points != NULL && own->numbers != NULL && own->of_rows != NULL;
  for (size_t n = 0; n < sizeof rooms / sizeof *rooms; n++) {
    *rooms[n].place = pi_arena_raw(arena, rooms[n].count, sizeof(float));
    is_complete &= *rooms[n].place != NULL;
  }
  own->num_waiting = own->num_chars = 0;
  return is_complete && (!reads_words || pi_word_cache_init(&scratch->cache, network->dim,
                                                            PI_UNKNOWN_WORDS, cache_bytes, arena));
}

/* Numbers of the longest row of a matrix that is decoded while words are read. */
static size_t pi_longest_row(const pi_characters *network) {
  size_t sizes[] = {network->char_dim, network->state, network->inner.num, 0}, longest = 0;
  sizes[3] = network->cell == PI_ATTENTION ? 4 * network->hidden : network->hidden;
  for (size_t n = 0; n < 4; n++) {
    longest = sizes[n] > longest ? sizes[n] : longest;
  }
  return longest;
}

/* Brings the longest words to the front. */
static void pi_order_waiting(pi_char_scratch *own) {
  for (size_t n = 1; n < own->num_waiting; n++) {
    pi_spelling spelling = own->waiting[n];
    size_t place = n;
    for (; place > 0 && own->waiting[place - 1].count < spelling.count; place--) {
      own->waiting[place] = own->waiting[place - 1];
    }
    own->waiting[place] = spelling;
  }
}

/* Writes a vector, of unit length but for the length that the network gives it. */
static void pi_write_char_vector(const pi_characters *network, const float *output, float *vector,
                                 const pi_kernels *kernels) {
  const float most = 20;
  memcpy(vector, output, network->dim * sizeof *vector);
  pi_normalise_vector(vector, network->dim, kernels);
  if (network->has_length) {
    float length = output[network->dim];
    length = length < -most ? -most : length > most ? most : length;
    float powers[2] = {0, length}; /* of e, in the end with a common factor */
    kernels->softmax(powers, 2);
    for (size_t n = 0; n < network->dim; n++) {
      vector[n] *= powers[1] / powers[0];
    }
  }
}

/* Reads the words that wait. */
static void pi_read_waiting(const pi_encoder *encoder, const pi_kernels *kernels,
                            pi_encoder_scratch *scratch) {
  const pi_characters *network = &encoder->characters;
  pi_char_scratch *own = &scratch->characters;
  size_t num = own->num_waiting, mlp = network->inner.num, outputs = network->outer.num;
  if (num == 0) {
    return;
  }
  pi_order_waiting(own);
  if (network->cell == PI_ATTENTION) {
    pi_run_char_transformer(network, scratch->decoded, kernels, own);
  } else {
    pi_run_recurrent(network, scratch->decoded, kernels, own);
  }
  pi_multiply(&network->inner, own->last, network->state, num, network->inner_bias, own->inner, mlp,
              scratch->decoded, kernels);
  for (size_t n = 0; n < num * mlp; n++) {
    own->inner[n] = own->inner[n] > 0 ? own->inner[n] : 0;
  }
  pi_multiply(&network->outer, own->inner, mlp, num, network->outer_bias, own->outer, outputs,
              scratch->decoded, kernels);
  for (size_t n = 0; n < num; n++) {
    pi_write_char_vector(network, own->outer + n * outputs, own->waiting[n].vector, kernels);
  }
  if (encoder->attraction.words > 0) {
    pi_attract(encoder, kernels, scratch);
  }
  own->num_waiting = own->num_chars = 0;
}

/* Lets a word or text wait to be read; its vector is written with those of others, at the latest by
 * pi_read_waiting. */
static void pi_await(const pi_encoder *encoder, pintent_text text, float *vector,
                     const pi_kernels *kernels, pi_encoder_scratch *scratch) {
  const pi_characters *network = &encoder->characters;
  pi_char_scratch *own = &scratch->characters;
  pi_spelling spelling = {own->num_chars, 0, vector};
  spelling.count = pi_spell(&network->alphabet, text, own->points, own->numbers + spelling.start);
  memset(vector, 0, network->dim * sizeof *vector);
  if (spelling.count == 0) {
    return;
  }
  own->waiting[own->num_waiting++] = spelling;
  own->num_chars += spelling.count;
  if (own->num_waiting == PI_TOGETHER || own->num_chars > PI_CHARS_TOGETHER) {
    pi_read_waiting(encoder, kernels, scratch);
  }
}

/* Notes an unknown word of a text; those after the first PI_UNKNOWN_WORDS different ones are left
 * out. */
static void pi_note_word(const pi_encoder *encoder, const pi_tokens *tokens, size_t number,
                         const pi_kernels *kernels, pi_encoder_scratch *scratch) {
  pi_char_scratch *own = &scratch->characters;
  pintent_text word = pi_token_text(tokens, number);
  uint32_t hash = pi_fnv(PI_FNV_START, word.data, word.size);
  for (size_t n = 0; n < own->num_distinct; n++) {
    pi_distinct *other = &own->distinct[n];
    if (other->hash == hash && pi_same(pi_token_text(tokens, other->token), word)) {
      other->uses += 1.0f;
      return;
    }
  }
  if (own->num_distinct == PI_UNKNOWN_WORDS) {
    return;
  }
  size_t slot;
  float *vector = pi_find_parts(&scratch->cache, word, PI_NO_WORD, &slot);
  if (vector == NULL) {
    vector = pi_add_parts(&scratch->cache, word, PI_NO_WORD, slot);
    pi_await(encoder, word, vector, kernels, scratch);
  }
  pi_distinct distinct = {hash, number, 1.0f, vector};
  own->distinct[own->num_distinct++] = distinct;
}

/* The sum of the vectors of a text's words, at unit length. */
static void pi_encode_words(const pi_encoder *encoder, const pi_tokens *tokens,
                            const pi_kernels *kernels, pi_encoder_scratch *scratch) {
  const pi_table *table = &encoder->table;
  pi_char_scratch *own = &scratch->characters;
  pi_sum sum;
  pi_begin_sum(&sum, scratch->vector, scratch->plain, table->dim, kernels);
  pi_make_room(&scratch->cache, PI_UNKNOWN_WORDS);
  own->num_distinct = 0;
  for (size_t n = 0; n < tokens->count; n++) {
    uint32_t number = pi_find_word(&table->vocabulary.words, pi_token_text(tokens, n));
    if (number != PI_NO_WORD) {
      pi_add_row(&table->words, number, 1.0f, pi_next_of_sum(&sum), scratch->decoded, kernels);
    } else {
      pi_note_word(encoder, tokens, n, kernels, scratch);
    }
  }
  pi_read_waiting(encoder, kernels, scratch);
  for (size_t n = 0; n < own->num_distinct; n++) {
    kernels->add(pi_next_of_sum(&sum), own->distinct[n].vector, own->distinct[n].uses, table->dim);
  }
  pi_end_sum(&sum);
  pi_normalise_vector(scratch->vector, table->dim, kernels);
}

static void pi_encode_characters(const pi_encoder *encoder, const pi_tokens *tokens,
                                 const pi_kernels *kernels, pi_encoder_scratch *scratch) {
  if (encoder->kind == PI_COMBINED || encoder->characters.reads_words) {
    pi_encode_words(encoder, tokens, kernels, scratch);
    return;
  }
  pi_await(encoder, tokens->source, scratch->vector, kernels, scratch);
  pi_read_waiting(encoder, kernels, scratch);
  pi_normalise_vector(scratch->vector, encoder->table.dim, kernels);
}
