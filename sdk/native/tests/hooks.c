/* The library with a few of its inner functions made visible, for tests alone. */

#define PINTENT_ALL_SETS 1

#include "../pocketintent.c"
#include "kernel_hooks.c"

/* Writes what is listed, each with a line feed behind it; the length, even if it does not fit. */
static size_t hook_list(pi_output *output, pintent_text text) {
  pi_put(output, text.data, text.size);
  pi_put(output, "\n", 1);
  return output->size;
}

static size_t hook_list_tokens(pi_output *output, const pi_tokens *tokens) {
  for (size_t n = 0; n < tokens->count; n++) {
    hook_list(output, pi_token_text(tokens, n));
  }
  return output->size;
}

/* The tokens of a text, in an arena that the caller frees. */
static void hook_tokenize(const char *text, size_t size, pi_arena *arena, pi_tokens *tokens) {
  pi_arena_init(arena, NULL);
  uint32_t *points = pi_arena_raw(arena, PI_MAX_POINTS, sizeof *points);
  pi_tokens_init(tokens, arena);
  pi_tokenize(text, size, points, tokens);
}

/* Tokens of `simple`. */
PINTENT_API size_t hook_tokens(const char *text, size_t size, char *out, size_t capacity) {
  pi_output output = {out, capacity, 0};
  pi_arena arena;
  pi_tokens tokens;
  hook_tokenize(text, size, &arena, &tokens);
  hook_list_tokens(&output, &tokens);
  pi_arena_free(&arena);
  return output.size;
}

/* A vocabulary of the entries in a text, with a line feed between two. */
static bool hook_vocabulary(pi_vocabulary *vocabulary, pintent_text text, pi_arena *arena) {
  pi_error error = {PINTENT_OK, {""}};
  memset(vocabulary, 0, sizeof *vocabulary);
  return pi_read_words(vocabulary, text, arena, &error);
}

/* How many vectors of texts a bot keeps; they become those of other texts if that is asked for. */
PINTENT_API size_t hook_kept_vectors(pintent_bot *bot, bool turns) {
  size_t size = bot->vectors.count * bot->encoder.table.dim;
  for (size_t n = 0; turns && n < size; n++) {
    bot->vectors.numbers[n] = -bot->vectors.numbers[n];
  }
  return bot->vectors.count;
}

/* Tokens of `word_pieces`. */
PINTENT_API size_t hook_pieces(const char *words, size_t words_size, const char *text, size_t size,
                               char *out, size_t capacity) {
  pi_output output = {out, capacity, 0};
  pi_arena arena;
  pi_arena_init(&arena, NULL);
  pi_vocabulary vocabulary;
  pintent_text entries = {words, words_size};
  pi_tokens tokens;
  uint32_t *points = pi_arena_raw(&arena, PI_MAX_POINTS, sizeof *points);
  uint32_t *pieces = pi_arena_raw(&arena, PI_MAX_TOKEN_BYTES, sizeof *pieces);
  pi_tokens_init(&tokens, &arena);
  hook_vocabulary(&vocabulary, entries, &arena);
  vocabulary.has_pieces = true;
  pi_tokenize(text, size, points, &tokens);
  for (size_t n = 0; n < tokens.count; n++) {
    pintent_text token = pi_token_text(&tokens, n);
    uint32_t number = pi_find_word(&vocabulary.words, token);
    if (number != PI_NO_WORD) {
      hook_list(&output, token);
      continue;
    }
    size_t count = pi_split_word(&vocabulary, token, pieces, PI_MAX_TOKEN_BYTES);
    for (size_t piece = 0; piece < count; piece++) {
      hook_list(&output, pi_word(&vocabulary.words, pieces[piece]));
    }
  }
  pi_arena_free(&arena);
  return output.size;
}

/* Tokens of a text as they are read, with the own texts of a bot and filters of lost words. */
PINTENT_API size_t hook_read(const pintent_text *own_texts, size_t num_texts, const char *words,
                             size_t words_size, const pintent_text *filters, size_t num_filters,
                             const char *text, size_t size, char *out, size_t capacity) {
  pi_output output = {out, capacity, 0};
  pi_error error = {PINTENT_OK, {""}};
  pi_arena arena;
  pi_arena_init(&arena, NULL);
  pi_vocabulary vocabulary;
  pintent_text entries = {words, words_size}, given = {text, size};
  pi_tokens tokens, corrected;
  pi_own_words own;
  pi_counter counter;
  uint32_t *points = pi_arena_raw(&arena, PI_MAX_POINTS, sizeof *points);
  char *joined = pi_arena_raw(&arena, PI_MAX_TOKEN_BYTES + PI_MAX_TOKENS + PI_CORRECTED, 1);
  pintent_text *lost = pi_arena_take(&arena, num_filters, sizeof *lost);
  pi_tokens_init(&tokens, &arena);
  pi_tokens_init(&corrected, &arena);
  hook_vocabulary(&vocabulary, entries, &arena);
  memset(&own, 0, sizeof own);
  pi_counter_init(&counter, 0, &arena, &error);
  for (size_t n = 0; n < num_texts; n++) {
    pi_count_text(&counter, own_texts[n], points, &tokens, &error);
  }
  pi_keep_words(&counter, &own, &arena, &error);
  if (num_filters > 0) {
    memcpy(lost, filters, num_filters * sizeof *lost);
  }
  vocabulary.lost = lost;
  vocabulary.num_lost = num_filters;
  pi_read_text(&vocabulary, &own, true, given, points, &tokens, &corrected, joined);
  hook_list_tokens(&output, &tokens);
  pi_arena_free(&arena);
  return output.size;
}

/* The numbers of a text's characters, of an alphabet in the order of its code points; how many there
 * are, at most `most`. */
PINTENT_API size_t hook_spell(uint32_t *alphabet, uint32_t *alphabet_numbers, size_t count,
                              size_t most, const char *text, size_t size, uint32_t *numbers) {
#ifdef PINTENT_NO_CHARACTERS
  (void)alphabet, (void)alphabet_numbers, (void)count, (void)most, (void)text, (void)size;
  (void)numbers;
  return 0;
#else
  pi_alphabet own = {count, alphabet, alphabet_numbers, most};
  pintent_text given = {text, size};
  pi_arena arena;
  pi_arena_init(&arena, NULL);
  uint32_t *points = pi_arena_raw(&arena, PI_MAX_POINTS, sizeof *points);
  size_t spelled = pi_spell(&own, given, points, numbers);
  pi_arena_free(&arena);
  return spelled;
#endif
}

/* Replaces numbers by their hyperbolic tangent. */
PINTENT_API void hook_tanh(const char *name, float *numbers, size_t size) {
  pi_choose_kernels(name)->tanh(numbers, size);
}

typedef struct hook_hashes {
  uint32_t *values;
  size_t capacity, count;
} hook_hashes;

static void hook_add_hash(void *context, uint32_t hash) {
  hook_hashes *hashes = context;
  if (hashes->count < hashes->capacity) {
    hashes->values[hashes->count] = hash;
  }
  hashes->count++;
}

/* Hashes of a word's n-grams, from left to right; how many there are. */
PINTENT_API size_t hook_hash_ngrams(const char *word, size_t size, size_t least, size_t most,
                                    uint32_t *values, size_t capacity) {
  hook_hashes hashes = {values, capacity, 0};
  pintent_text text = {word, size};
  pi_visit_ngrams(text, least, most, hook_add_hash, &hashes);
  return hashes.count;
}

/* Signed counts of the n-grams of a text. */
PINTENT_API void hook_count_ngrams(const char *text, size_t size, float *counts) {
  pi_arena arena;
  pi_tokens tokens;
  hook_tokenize(text, size, &arena, &tokens);
  pi_count_ngrams(&tokens, counts);
  pi_arena_free(&arena);
}

/* The canonical form of a JSON text; 0 if it is refused. */
PINTENT_API size_t hook_json(const char *text, size_t size, int max_depth, bool keeps_last,
                             bool is_strict, char *out, size_t capacity) {
  pi_output output = {out, capacity, 0};
  pi_error error = {PINTENT_OK, {""}};
  pi_arena arena;
  pi_arena_init(&arena, NULL);
  pi_json_rules rules = {max_depth, keeps_last, is_strict, false};
  const pi_json *value =
      pi_is_utf8(text, size) ? pi_json_read(&arena, text, size, rules, &error) : NULL;
  bool is_complete = value != NULL && pi_json_write(value, NULL, pi_put, &output);
  pi_arena_free(&arena);
  return is_complete ? output.size : 0;
}

/* Shortest form of a number. */
PINTENT_API size_t hook_write_double(double number, char *text) {
  return pi_write_double(number, text);
}

PINTENT_API void hook_sha256(const char *data, size_t size, size_t first, bool is_plain,
                             char *text) {
  pi_sha256 sha;
  pi_sha_init(&sha);
  pi_sha_add(&sha, data, first);
  pi_sha_add(&sha, data + first, size - first);
  if (is_plain) { /* the blocks again, without the processor's instructions */
    pi_sha256 plain;
    pi_sha_init(&plain);
    pi_sha_blocks(plain.state, (const unsigned char *)data, size / 64);
    if (size % 64 == 0 && size > 0) {
      memcpy(sha.state, plain.state, sizeof plain.state);
    }
  }
  pi_sha_finish(&sha, text);
}

/* Computes a bot with a set of instructions, or the best below it that the machine has. */
PINTENT_API const char *hook_use_kernels(pintent_bot *bot, const char *name) {
  bot->kernels = pi_choose_kernels(name);
  bot->scan = pi_choose_scan(name);
  return bot->kernels->name;
}

/* The sums of a scan by a set of instructions. */
PINTENT_API void hook_scan(const char *name, const uint8_t *rows, size_t size, size_t num_groups,
                           const int8_t *query, int32_t *sums) {
  pi_choose_scan(name)(rows, size, num_groups, query, sums);
}

/* A bot of float rows, by its kernels' name, and the memory that searches in it. */
static bool hook_open_rows(const char *name, const float *rows, size_t dim, size_t *bounds,
                           size_t num, pi_decision decision, size_t cache_bytes, pi_arena *arena,
                           pintent_bot *bot, pintent_scratch *scratch) {
  memset(bot, 0, sizeof *bot);
  memset(scratch, 0, sizeof *scratch);
  pi_arena_init(arena, NULL);
  bot->kernels = pi_choose_kernels(name);
  bot->scan = pi_choose_scan(name);
  bot->decision = decision;
  bot->encoder.table.dim = dim;
  bot->index.num = num;
  bot->index.bounds = bounds;
  bot->index.rows.num = bounds[num] + num;
  bot->index.rows.dim = dim;
  bot->index.rows.rows = rows;
  scratch->row = pi_arena_take(arena, dim, sizeof(float));
  scratch->totals = pi_arena_take(arena, num + PI_ROWS, sizeof(float));
  return scratch->row != NULL && scratch->totals != NULL &&
         pi_search_init(bot, cache_bytes, arena, scratch);
}

/* Ranks the intents of a query among float rows: for each intent its templates, then the centroid.
 * Writes the ranked intents, the rows of their nearest templates among the templates, and their
 * scores; the number of intents that were scored exactly, or 0 without a scan. */
PINTENT_API size_t hook_search(const char *name, const float *rows, size_t dim, size_t *bounds,
                               size_t num, int decision, size_t cache_bytes, float *query,
                               size_t limit, size_t *intents, size_t *nearest, double *scores) {
  pi_arena arena;
  pintent_bot bot;
  pintent_scratch scratch;
  size_t compared = 0;
  if (hook_open_rows(name, rows, dim, bounds, num, (pi_decision)decision, cache_bytes, &arena, &bot,
                     &scratch)) {
    scratch.encoder.vector = query;
    if (pi_score(&bot, &scratch)) {
      for (size_t n = 0; n < limit; n++) {
        pi_hit hit = pi_take_best(&bot, &scratch);
        intents[n] = hit.intent;
        nearest[n] = hit.row;
        scores[n] = hit.score;
      }
    }
    for (size_t n = 0; scratch.nearest != NULL && n < num; n++) {
      compared += scratch.nearest[n] != PI_NOT_COMPARED;
    }
  }
  pi_arena_free(&arena);
  return compared;
}

/* Writes the estimates of rows, and up to a group more; how wrong they can be, or -1. */
PINTENT_API float hook_estimate(const char *name, const float *rows, size_t num_rows, size_t dim,
                                const float *query, float *estimates) {
  pi_arena arena;
  pintent_bot bot;
  pintent_scratch scratch;
  size_t bounds[] = {0, num_rows - 1};
  float slack = -1;
  if (hook_open_rows(name, rows, dim, bounds, 1, PI_NEAREST, SIZE_MAX, &arena, &bot, &scratch) &&
      scratch.scan.rows != NULL) {
    pi_scan_query(&scratch.scan, query, dim);
    pi_estimate(&bot, &scratch.scan, 0, num_rows, estimates);
    slack = scratch.scan.slack;
  }
  pi_arena_free(&arena);
  return slack;
}

#ifndef PINTENT_NO_EDITS

/* The words of an intent's name; `text` has room for twice its bytes. */
PINTENT_API size_t hook_words_of_name(const char *name, size_t size, char *text) {
  pintent_text given = {name, size};
  return pi_words_of_name(given, text);
}

PINTENT_API unsigned hook_to_half(float number) { return pi_to_half(number); }

/* Draws twice of some rows, as Python's `default_rng(0)` does. */
PINTENT_API bool hook_draw(bool *first, size_t first_count, size_t first_size, bool *second,
                           size_t second_count, size_t second_size) {
  pi_error error = {PINTENT_OK, {""}};
  pi_random random = pi_random_zero();
  pi_arena arena;
  pi_arena_init(&arena, NULL);
  bool is_drawn = pi_mark_rows(&random, first, first_count, first_size, &arena, &error) &&
                  pi_mark_rows(&random, second, second_count, second_size, &arena, &error);
  pi_arena_free(&arena);
  return is_drawn;
}

/* A codebook by the algorithm of Linde, Buzo and Gray. */
PINTENT_API bool hook_fit_lbg(const float *vectors, size_t num, size_t dim, size_t size,
                              float *codebook) {
  pi_error error = {PINTENT_OK, {""}};
  pi_arena arena;
  pi_arena_init(&arena, NULL);
  bool is_fitted = pi_fit_lbg(vectors, num, dim, size, codebook, &arena, &error);
  pi_arena_free(&arena);
  return is_fitted;
}

#endif

/* Each conversion of pi_format. */
PINTENT_API size_t hook_format(int number, size_t size, unsigned long long large, unsigned bits,
                               double real, const char *word, int most, char *out,
                               size_t capacity) {
  return pi_format(out, capacity, "%d|%zu|%llu|%08x|%04x|%u|%g|%.*s|%.3s|%c|%%|%s.", number, size,
                   large, bits, bits, bits, real, most, word, word, word[0], word);
}

PINTENT_API size_t hook_sizes(size_t number) {
  const size_t sizes[] = {sizeof(pintent_text), sizeof(pintent_candidate), sizeof(pintent_match),
                          sizeof(pintent_allocator), sizeof(pintent_message),
                          sizeof(pintent_addition)};
  return number < sizeof sizes / sizeof *sizes ? sizes[number] : 0;
}
