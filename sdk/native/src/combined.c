/* The kind `combined`, a table of words with a network for those that it lacks: docs/charemb.md. */

#include <math.h>

#include "encoder.h"

/* The tensors of a file under a prefix, without it, and an entry of the manifest: the file of a part. */
static bool pi_part_of_file(const pi_file *file, const char *prefix, const pi_json *manifest,
                            pi_arena *scratch, pi_file *part, pi_error *error) {
  size_t length = strlen(prefix);
  part->manifest = manifest;
  part->num_tensors = 0;
  part->tensors = pi_take(scratch, file->num_tensors, sizeof *part->tensors, error);
  for (size_t n = 0; part->tensors != NULL && n < file->num_tensors; n++) {
    if (pi_starts(file->tensors[n].name, prefix)) {
      pi_tensor tensor = file->tensors[n];
      tensor.name.data += length;
      tensor.name.size -= length;
      part->tensors[part->num_tensors++] = tensor;
    }
  }
  return part->tensors != NULL;
}

/* Word pieces are of a table of words, which a network over characters replaces. */
static bool pi_check_no_pieces(const pi_table *table, pi_error *error) {
  return !table->vocabulary.has_pieces ||
         pi_fail(error, PINTENT_ERROR_MODEL,
                 "the tokenizer 'word_pieces' needs a model with a table of words");
}

/* A number above 0 and at most 1 of the manifest's attention. */
static bool pi_read_fraction(const pi_json *entry, const char *name, double least, double *value,
                             pi_error *error) {
  if (pi_json_number(pi_json_get(entry, name), value) && *value > 0 && *value >= least &&
      *value <= 1) {
    return true;
  }
  return pi_fail(error, PINTENT_ERROR_MODEL, "attention: %s must be above %g and at most 1", name,
                 least);
}

/* The number of rows that answer: all, without a setting. */
static bool pi_read_answering(const pi_json *words, size_t num, size_t *answering,
                              pi_error *error) {
  *answering = num;
  if (words == NULL || words->type == PI_JSON_NULL) {
    return true;
  }
  if (words->type != PI_JSON_INTEGER || words->is_negative ||
      (words->of.integer == 0 && !words->is_large)) {
    return pi_fail(error, PINTENT_ERROR_MODEL, "attention: words must be 1 or more");
  }
  if (!words->is_large && words->of.integer < num) {
    *answering = (size_t)words->of.integer;
  }
  return true;
}

/* One over the length of each row that answers, and over the temperature; 0 for zeros. */
static const float *pi_find_factors(const pi_matrix *rows, float temperature, pi_arena *arena,
                                    pi_arena *scratch, pi_error *error) {
  const pi_kernels *kernels = pi_choose_kernels(NULL);
  float *factors = pi_take(arena, rows->num, sizeof *factors, error);
  float *row = pi_take(scratch, rows->dim, sizeof *row, error);
  for (size_t n = 0; factors != NULL && row != NULL && n < rows->num; n++) {
    pi_decode_row(rows, n, row, kernels);
    float scale = fabsf(pi_scale_of(rows, n));
    float length = scale * sqrtf(kernels->dot(row, row, rows->dim));
    factors[n] = length > 0 ? 1.0f / length / temperature : 0.0f;
  }
  return row == NULL ? NULL : factors;
}

static bool pi_read_attraction(const pi_json *entry, const pi_table *table, pi_arena *arena,
                               pi_arena *scratch, pi_attraction *attraction, pi_error *error) {
  double share = 0, temperature = 0, weight = 0;
  const pi_json *words = pi_json_get(entry, "words");
  size_t num = 0, settings = 3 + (words != NULL);
  if (!pi_json_is_object(entry) || entry->of.members.count != settings) {
    return pi_fail(error, PINTENT_ERROR_MODEL,
                   "the manifest's attention must have share, temperature, weight");
  }
  if (!pi_read_fraction(entry, "share", 0, &share, error) ||
      !pi_read_fraction(entry, "temperature", 1e-6, &temperature, error) ||
      !pi_read_fraction(entry, "weight", 0, &weight, error) ||
      !pi_read_answering(words, table->words.num, &num, error)) {
    return false;
  }
  if (num == 0 || pi_product(num, table->dim) > PI_MOST_NUMBERS) {
    return pi_fail(error, PINTENT_ERROR_MODEL,
                   "attention: the table needs 1 to 268435456 numbers, not %zu times %zu", num,
                   table->dim);
  }
  pi_matrix rows = table->words;
  rows.num = num;
  attraction->words = num;
  attraction->share = (float)share;
  attraction->weight = (float)weight;
  attraction->factors = pi_find_factors(&rows, (float)temperature, arena, scratch, error);
  return attraction->factors != NULL;
}

static bool pi_read_combined(const pi_file *file, pi_arena *arena, pi_arena *scratch,
                             pi_encoder *encoder, pi_error *error) {
  const pi_json *entry = pi_json_get(file->manifest, "charemb");
  const pi_json *attention = pi_json_get(file->manifest, "attention");
  pi_file part;
  pi_background background;
  if (!pi_json_is_object(entry)) {
    return pi_fail(error, PINTENT_ERROR_MODEL, "the manifest has no object 'charemb'");
  }
  pi_table own = {.dim = encoder->table.dim};
  if (!pi_part_of_file(file, "charemb.", entry, scratch, &part, error) ||
      !pi_check_no_pieces(&encoder->table, error) ||
      !pi_read_characters(&part, arena, scratch, &encoder->characters, error) ||
      !pi_read_background(&part, &own, &background, scratch, error)) {
    pi_prefix(error, "charemb: ");
    return false;
  }
  if (encoder->characters.dim != encoder->table.dim) {
    return pi_fail(error, PINTENT_ERROR_MODEL,
                   "the words have %zu dimensions and the character network has %zu",
                   encoder->table.dim, encoder->characters.dim);
  }
  if (encoder->table.has_ngrams) {
    return pi_fail(error, PINTENT_ERROR_MODEL,
                   "a combined encoder can have no n-grams");
  }
  return attention == NULL || attention->type == PI_JSON_NULL ||
         pi_read_attraction(attention, &encoder->table, arena, scratch, &encoder->attraction,
                            error);
}

/* Moves the vector of an unknown word towards the words that it is similar to, and keeps its length
 * but for the weight. */
static void pi_turn_vector(const pi_encoder *encoder, float *similarities, float *vector,
                           const pi_kernels *kernels, pi_encoder_scratch *scratch) {
  const float least = 4.1399378e-8f; /* exp(-17): words of less weight than the nearest's are left out */
  const pi_attraction *attraction = &encoder->attraction;
  size_t dim = encoder->table.dim, words = attraction->words;
  double length = sqrt((double)kernels->dot(vector, vector, dim)), total = 0;
  float largest = 0;
  if (length == 0) {
    return;
  }
  for (size_t n = 0; n < words; n++) {
    similarities[n] *= attraction->factors[n];
  }
  kernels->softmax(similarities, words);
  for (size_t n = 0; n < words; n++) {
    largest = similarities[n] > largest ? similarities[n] : largest;
    total += (double)similarities[n]; /* 1, but for what the sum of floats lost */
  }
  pi_sum sum;
  pi_begin_sum(&sum, scratch->word, scratch->block, dim, kernels);
  kernels->add(pi_next_of_sum(&sum), vector, 1.0f - attraction->share, dim);
  for (size_t n = 0; n < words; n++) {
    if (similarities[n] > least * largest) {
      float weight = attraction->share * (float)((double)similarities[n] / total);
      pi_add_row(&encoder->table.words, n, weight, pi_next_of_sum(&sum), scratch->decoded, kernels);
    }
  }
  pi_end_sum(&sum);
  pi_normalise_vector(scratch->word, dim, kernels);
  memset(vector, 0, dim * sizeof *vector);
  kernels->add(vector, scratch->word, attraction->weight * (float)length, dim);
}

/* Attends to the table, with the vectors of the words that were read as queries: Vaswani et al. 2017. */
static void pi_attract(const pi_encoder *encoder, const pi_kernels *kernels,
                       pi_encoder_scratch *scratch) {
  pi_char_scratch *own = &scratch->characters;
  size_t dim = encoder->table.dim, words = encoder->attraction.words, num = 0;
  pi_matrix rows = encoder->table.words;
  rows.num = words;
  for (size_t first = 0; first < own->num_waiting; first += num) {
    size_t left = own->num_waiting - first;
    num = left < own->num_queries ? left : own->num_queries;
    for (size_t n = 0; n < num; n++) {
      memcpy(own->units + n * dim, own->waiting[first + n].vector, dim * sizeof(float));
      pi_normalise_vector(own->units + n * dim, dim, kernels);
    }
    pi_multiply(&rows, own->units, dim, num, NULL, own->similarities, words, scratch->decoded,
                kernels);
    for (size_t n = 0; n < num; n++) {
      pi_turn_vector(encoder, own->similarities + n * words, own->waiting[first + n].vector,
                     kernels, scratch);
    }
  }
}
