/* What holds of every bot and text, and is checked for each that a fuzzer makes. */

#ifndef PINTENT_CHECKS_H
#define PINTENT_CHECKS_H

#include "../tests/hooks.c"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(claim) ((claim) ? (void)0 : fail(#claim, __FILE__, __LINE__))

static void fail(const char *claim, const char *file, int line) {
  fprintf(stderr, "%s:%d: this does not hold: %s\n", file, line, claim);
  abort();
}

/* A copy as large as the bytes, so that each access beyond them is found; the caller frees it. */
static void *copy_bytes(const void *data, size_t size) {
  void *copy = malloc(size + (size == 0));
  CHECK(copy != NULL);
  if (size > 0) {
    memcpy(copy, data, size);
  }
  return copy;
}

/* What rounding may change of a score: words from the cache of a scratch change its last digits. Without
 * a limit for models whose numbers a fuzzer made. */
static double rounding = 1e-5;

/* Whether an intent is the one that was found, up to rounding if the next one is as near. */
static inline void check_again(const pintent_match *match, const pintent_candidate *again) {
  CHECK(fabs(again->score - match->nearest.score) <= rounding);
  if (match->has_runner_up ? match->margin > 2 * rounding : rounding < 1) {
    CHECK(again->intent.data == match->nearest.intent.data);
  }
}

/* Of a match alone. */
static inline void check_match(const pintent_bot *bot, const pintent_match *match) {
  bool is_probability = strcmp(pintent_decision(bot), "logistic") == 0;
  double least = is_probability ? 0 : -1.00001, most = is_probability ? 1 : 1.00001;
  CHECK(isfinite(match->nearest.score) && isfinite(match->margin));
  CHECK(match->nearest.score >= least && match->nearest.score <= most);
  CHECK(match->margin >= 0 && (match->has_runner_up || match->margin == 0));
  CHECK((match->intent.data != NULL) == (match->reason == PINTENT_REASON_NONE));
  CHECK(match->intent.data == NULL || match->intent.data == match->nearest.intent.data);
  CHECK((match->runner_up.intent.data != NULL) == (match->has_runner_up != 0));
  CHECK((match->nearest.intent.data != NULL) == (match->nearest.template_text.data != NULL));
  CHECK(match->nearest.intent.data != NULL || match->nearest.score == 0);
}

/* The ranking has the match's intents, in descending order. */
static inline void check_ranking(const pintent_bot *bot, pintent_scratch *scratch, const char *text,
                          size_t size, const pintent_match *match) {
  enum { most = 8 };
  pintent_candidate ranking[most];
  size_t count = most + 1;
  CHECK(pintent_rank(bot, scratch, text, size, most, ranking, &count) == PINTENT_OK);
  CHECK(count <= most && count <= pintent_num_intents(bot));
  CHECK((count > 0) == (match->nearest.intent.data != NULL) && (count > 1) == match->has_runner_up);
  if (count > 0) {
    check_again(match, &ranking[0]);
  }
  for (size_t n = 1; n < count; n++) {
    CHECK(isfinite(ranking[n].score) && ranking[n].score <= ranking[n - 1].score);
  }
}

/* A JSON text is complete at its length, and no shorter buffer is written beyond its end. */
static inline void check_json(const pintent_bot *bot, pintent_scratch *scratch, const char *text,
                       size_t size, bool ranks) {
  size_t length = 0, again = 0;
  for (int is_long = 0; is_long < 2; is_long++) {
    size_t room = length + (size_t)is_long;
    char *json = malloc(room + (room == 0));
    CHECK(json != NULL);
    pintent_status status =
        ranks ? pintent_rank_json(bot, scratch, text, size, 2, json, room, &again)
              : pintent_match_json(bot, scratch, text, size, json, room, &again);
    CHECK(status == (is_long ? PINTENT_OK : PINTENT_ERROR_SIZE) && (!is_long || again == length));
    if (is_long) {
      const pi_json_rules strict = {16, false, true, false};
      pi_error error = {PINTENT_OK, {""}};
      pi_arena arena;
      pi_arena_init(&arena, NULL);
      CHECK(json[length] == '\0' && pi_is_utf8(json, length));
      CHECK(pi_json_read(&arena, json, length, strict, &error) != NULL);
      pi_arena_free(&arena);
    }
    length = again;
    free(json);
  }
}

static inline void check_vector(const pintent_bot *bot, pintent_scratch *scratch, const char *text,
                         size_t size) {
  size_t dim = pintent_dim(bot);
  float *vector = malloc(dim * sizeof *vector);
  double square = 0;
  CHECK(vector != NULL);
  CHECK(pintent_encode(bot, scratch, text, size, vector, dim) == PINTENT_OK);
  for (size_t n = 0; n < dim; n++) {
    square += (double)vector[n] * (double)vector[n];
  }
  CHECK(square == 0 || fabs(square - 1) < 1e-4);
  free(vector);
}

/* All that a bot says of a text; the same text again gives the same. The match goes to `match`. */
static inline void check_text(const pintent_bot *bot, pintent_scratch *scratch, const char *text,
                       size_t size, pintent_match *match) {
  pintent_match again;
  pintent_text read;
  CHECK(pintent_match_text(bot, scratch, text, size, match) == PINTENT_OK);
  check_match(bot, match);
  check_ranking(bot, scratch, text, size, match);
  check_json(bot, scratch, text, size, false);
  check_json(bot, scratch, text, size, true);
  CHECK(pintent_read(bot, scratch, text, size, &read) == PINTENT_OK);
  CHECK(read.data == text || pi_is_utf8(read.data, read.size));
  check_vector(bot, scratch, text, size);
  CHECK(pintent_match_text(bot, scratch, text, size, &again) == PINTENT_OK);
  check_again(match, &again.nearest);
}

/* A saved bot, in memory that the caller frees. */
static inline char *save_bot(const pintent_bot *bot, size_t *size) {
  CHECK(pintent_save_buffer(bot, NULL, 0, size) == PINTENT_ERROR_SIZE);
  char *content = malloc(*size);
  CHECK(content != NULL);
  CHECK(pintent_save_buffer(bot, content, *size, size) == PINTENT_OK);
  return content;
}

/* A bot that is saved and opened again answers as before. */
static inline void check_save(const pintent_bot *bot, const char *text, size_t size) {
  size_t length;
  char *content = save_bot(bot, &length);
  pintent_bot *opened;
  pintent_scratch *scratch, *of_opened;
  pintent_match match, again;
  CHECK(pintent_open_buffer(content, length, NULL, &opened, NULL) == PINTENT_OK);
  opened->kernels = bot->kernels;
  CHECK(pintent_num_intents(opened) == pintent_num_intents(bot));
  CHECK(pintent_scratch_new(bot, 0, &scratch) == PINTENT_OK);
  CHECK(pintent_scratch_new(opened, 0, &of_opened) == PINTENT_OK);
  CHECK(pintent_match_text(bot, scratch, text, size, &match) == PINTENT_OK);
  CHECK(pintent_match_text(opened, of_opened, text, size, &again) == PINTENT_OK);
  CHECK(match.nearest.score == again.nearest.score && match.reason == again.reason);
  CHECK(pi_same(match.nearest.intent, again.nearest.intent));
  CHECK(pi_same(match.nearest.template_text, again.nearest.template_text));
  pintent_scratch_free(of_opened);
  pintent_scratch_free(scratch);
  pintent_close(opened);
  free(content);
}

#endif
