/* The table of word vectors, which is the kind `static` and a part of the others. */

#include <math.h>

#include "encoder.h"

/* Whether a number of the manifest, of any type, has a value, as Python compares them. */
static bool pi_equals(const pi_json *value, double wanted) {
  double number = 0;
  if (value != NULL && (value->type == PI_JSON_TRUE || value->type == PI_JSON_FALSE)) {
    return (value->type == PI_JSON_TRUE ? 1.0 : 0.0) == wanted;
  }
  return pi_json_number(value, &number) && number == wanted;
}

static bool pi_read_tokenizer(const pi_json *manifest, pi_vocabulary *vocabulary, pi_error *error) {
  const pi_json *spec = pi_json_get(manifest, "tokenizer");
  if (!pi_json_is_object(spec)) {
    return pi_fail(error, PINTENT_ERROR_MODEL, "the manifest has no object 'tokenizer'");
  }
  const pi_json *name = pi_json_get(spec, "name");
  vocabulary->has_pieces = pi_json_is_string(name, "word_pieces");
  if (!vocabulary->has_pieces && !pi_json_is_string(name, "simple")) {
    return pi_fail(error, PINTENT_ERROR_MODEL,
                   "unknown tokenizer; this library has simple and word_pieces");
  }
  if (!pi_equals(pi_json_get(spec, "version"), 1) ||
      !pi_equals(pi_json_get(spec, "max_chars"), PI_MAX_CHARS)) {
    return pi_fail(error, PINTENT_ERROR_MODEL,
                   "unknown tokenizer; this library has version 1 with max_chars 4096");
  }
  vocabulary->is_known_to_simple = spec->of.members.count == 3;
  return true;
}

static bool pi_read_ngram_settings(const pi_json *manifest, pi_table *table, pi_error *error) {
  enum { longest = 64 };
  const double most_weight = 1000;
  const pi_json *entry = pi_json_get(manifest, "ngram_settings");
  if (!pi_json_is_object(entry)) {
    return pi_fail(error, PINTENT_ERROR_MODEL, "the manifest has no object 'ngram_settings'");
  }
  if (!pi_json_count(pi_json_get(entry, "max_n"), 1, longest, &table->max_n) ||
      !pi_json_count(pi_json_get(entry, "min_n"), 1, table->max_n, &table->min_n)) {
    return pi_fail(error, PINTENT_ERROR_MODEL,
                   "n-gram settings need whole numbers with 1 <= min_n <= max_n <= 64");
  }
  if (!pi_json_count(pi_json_get(entry, "num_buckets"), 1, INT64_MAX, &table->num_buckets)) {
    return pi_fail(error, PINTENT_ERROR_MODEL, "n-grams need at least one bucket");
  }
  if (!pi_json_number(pi_json_get(entry, "weight"), &table->weight) ||
      !(fabs(table->weight) <= most_weight)) {
    return pi_fail(error, PINTENT_ERROR_MODEL,
                   "the n-gram weight must be a finite number from -1000 to 1000");
  }
  const pi_json *hash = pi_json_get(entry, "hash"), *hashes = pi_json_get(entry, "num_hashes");
  if (hash != NULL && !pi_json_is_string(hash, "fnv1a")) {
    return pi_fail(error, PINTENT_ERROR_UNSUPPORTED,
                   "the n-gram hash is unknown; this library has fnv1a");
  }
  size_t one;
  if (hashes != NULL && !pi_json_count(hashes, 1, 1, &one)) {
    return pi_fail(error, PINTENT_ERROR_MODEL,
                   "num_hashes of the n-gram hash 'fnv1a' must be a whole number from 1 to 1");
  }
  return true;
}

/* Checks the counts of words, which only tools read. */
static bool pi_check_counts(const pi_file *file, size_t num_words, pi_error *error) {
  const pi_tensor *counts = pi_find_tensor(file, "vocabulary.counts");
  const pi_json *entry = pi_json_get(file->manifest, "counts");
  if (entry != NULL) {
    size_t steps;
    if (!pi_json_is_object(entry)) {
      return pi_fail(error, PINTENT_ERROR_MODEL, "the manifest has no object 'counts'");
    }
    if (counts == NULL || counts->dtype != PI_U8) {
      return pi_fail(error, PINTENT_ERROR_MODEL,
                     "vocabulary.counts must be uint8, since the manifest has 'counts'");
    }
    if (!pi_json_is_string(pi_json_get(entry, "coding"), "log2") ||
        !pi_json_count(pi_json_get(entry, "steps"), 8, 255, &steps)) {
      return pi_fail(error, PINTENT_ERROR_MODEL,
                     "the manifest's 'counts' must have the coding 'log2' and 8 to 255 steps");
    }
  }
  if (counts != NULL) {
    bool is_whole = counts->dtype != PI_BOOL && counts->dtype != PI_F16 &&
                    counts->dtype != PI_F32 && counts->dtype != PI_F64;
    if (!is_whole || counts->num_axes != 1 || counts->shape[0] != num_words) {
      return pi_fail(error, PINTENT_ERROR_MODEL, "vocabulary.counts must be %zu whole numbers",
                     num_words);
    }
  }
  return true;
}

/* Checks the codebook for templates, which only edits read. */
static bool pi_check_template_codebook(const pi_file *file, size_t dim, pi_error *error) {
  const pi_tensor *codebook = pi_find_tensor(file, "templates.codebook");
  if (codebook == NULL) {
    return true;
  }
  if (codebook->dtype != PI_F16 || codebook->num_axes != 3) {
    return pi_fail(error, PINTENT_ERROR_MODEL,
                   "templates.codebook must be finite float16 [num_codebooks, codebook_size, "
                   "sub_dim]");
  }
  return pi_check_codebook(codebook->shape[0], codebook->shape[1], codebook->shape[2], dim, error);
}

/* Reads the weights of the buckets, and the lines of the background, which only fits read. */
static bool pi_read_background(const pi_file *file, pi_table *table, pi_background *background,
                               pi_arena *arena, pi_error *error) {
  pi_matrix *vectors = &background->vectors, *ngrams = &background->ngrams;
  memset(background, 0, sizeof *background);
  const pi_json *entry = pi_json_get(file->manifest, "background");
  if (entry == NULL || entry->type == PI_JSON_NULL) {
    return true;
  }
  if (entry->type != PI_JSON_OBJECT) {
    return pi_fail(error, PINTENT_ERROR_MODEL, "the manifest has no object 'background'");
  }
  const uint64_t num_buckets = 512;
  if (!pi_read_matrix(file, "background.vectors", pi_json_get(entry, "vectors"), arena, vectors,
                      error) ||
      !pi_read_matrix(file, "background.ngrams", pi_json_get(entry, "ngrams"), arena, ngrams,
                      error)) {
    return false;
  }
  const pi_tensor *idf = pi_need_tensor(file, "background.idf", PI_F16, 1, &num_buckets, error);
  if (idf == NULL) {
    return false;
  }
  if (vectors->num != ngrams->num || ngrams->dim != num_buckets) {
    return pi_fail(error, PINTENT_ERROR_MODEL,
                   "the background has %zu vectors and n-grams of the shape [%zu, %zu]; a row of "
                   "512 is expected for each vector",
                   vectors->num, ngrams->num, ngrams->dim);
  }
  if (vectors->dim != table->dim) {
    return pi_fail(error, PINTENT_ERROR_MODEL,
                   "the background has %zu dimensions, but the model has %zu", vectors->dim,
                   table->dim);
  }
  table->idf = (const uint16_t *)(const void *)idf->data;
  return true;
}

static bool pi_read_table(const pi_file *file, pi_arena *arena, pi_arena *scratch, pi_table *table,
                          pi_error *error) {
  const pi_json *manifest = file->manifest, *ngrams = pi_json_get(manifest, "ngrams");
  pi_background background;
  if (!pi_read_matrix(file, "words", pi_json_get(manifest, "words"), arena, &table->words, error)) {
    return false;
  }
  table->dim = table->words.dim;
  table->has_ngrams = ngrams != NULL;
  if (table->has_ngrams && (!pi_read_matrix(file, "ngrams", ngrams, arena, &table->ngrams, error) ||
                            !pi_read_ngram_settings(manifest, table, error))) {
    return false;
  }
  if (!pi_read_vocabulary(file, &table->vocabulary, arena, error) ||
      !pi_read_tokenizer(manifest, &table->vocabulary, error) ||
      !pi_check_template_codebook(file, table->dim, error) ||
      !pi_read_background(file, table, &background, scratch, error)) {
    return false;
  }
  size_t num_words = table->vocabulary.words.count;
  if (table->words.num != num_words) {
    return pi_fail(error, PINTENT_ERROR_MODEL, "the vocabulary has %zu words, but %zu vectors",
                   num_words, table->words.num);
  }
  if (!pi_check_counts(file, num_words, error)) {
    return false;
  }
  if (table->has_ngrams &&
      (table->ngrams.num != table->num_buckets || table->ngrams.dim != table->dim)) {
    return pi_fail(error, PINTENT_ERROR_MODEL,
                   "the n-gram vectors have the shape [%zu, %zu], but %zu n-gram buckets of dim "
                   "%zu are expected",
                   table->ngrams.num, table->ngrams.dim, table->num_buckets, table->dim);
  }
  if (!pi_equals(pi_json_get(manifest, "dim"), (double)table->dim)) {
    return pi_fail(error, PINTENT_ERROR_MODEL,
                   "the manifest has another dim, but the vectors have %zu dimensions", table->dim);
  }
  return true;
}

/* Brings a vector to unit length; zeros stay zeros. */
static void pi_normalise_vector(float *vector, size_t dim, const pi_kernels *kernels) {
  double length = sqrt((double)kernels->dot(vector, vector, dim));
  for (size_t n = 0; length > 0 && n < dim; n++) {
    vector[n] /= (float)length;
  }
}

/* The sum of the vectors of a text's tokens, at unit length. */
static void pi_encode_static(const pi_table *table, const pi_tokens *tokens,
                             const pi_kernels *kernels, pi_encoder_scratch *scratch) {
  pi_sum sum;
  pi_begin_sum(&sum, scratch->vector, scratch->plain, table->dim, kernels);
  for (size_t n = 0; n < tokens->count; n++) {
    pintent_text token = pi_token_text(tokens, n);
    uint32_t number = pi_find_word(&table->vocabulary.words, token);
    if (number != PI_NO_WORD) {
      pi_add_row(&table->words, number, 1.0f, pi_next_of_sum(&sum), scratch->decoded, kernels);
    } else if (table->vocabulary.has_pieces) {
      size_t count = pi_split_word(&table->vocabulary, token, scratch->pieces, PI_MAX_TOKEN_BYTES);
      for (size_t piece = 0; piece < count; piece++) {
        pi_add_row(&table->words, scratch->pieces[piece], 1.0f, pi_next_of_sum(&sum),
                   scratch->decoded, kernels);
      }
    } else if (table->has_ngrams) {
      pi_embed_ngrams(table, token, scratch->word, kernels, scratch);
      kernels->add(pi_next_of_sum(&sum), scratch->word, 1.0f, table->dim);
    }
  }
  pi_end_sum(&sum);
  pi_normalise_vector(scratch->vector, table->dim, kernels);
}
