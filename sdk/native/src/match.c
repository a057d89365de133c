/* Matching: from a text to its match, and what else is asked of a text. */

#include "bot.h"

/* Takes what a search among rows needs: the rows of a scan, where the cache has room for them, or a
 * table; with a few rows it takes longer to fill a table than to decode them. `logistic` searches
 * among the templates of its best intents alone: a scan pays where these are many. */
static bool pi_search_init(const pintent_bot *bot, size_t cache_bytes, pi_arena *arena,
                           pintent_scratch *scratch) {
  const pi_matrix *rows = &bot->index.rows;
  bool searches_all = bot->decision != PI_LOGISTIC;
  bool scans = (searches_all || rows->num / PI_SCAN_FEW >= bot->index.num) &&
               pi_can_scan(rows, cache_bytes);
  if (!scans && !searches_all) {
    return true;
  }
  scratch->similarities = pi_arena_take(arena, rows->num + PI_GROUP, sizeof(float));
  if (scans) {
    scratch->nearest = pi_arena_take(arena, bot->index.num, sizeof *scratch->nearest);
    return scratch->similarities != NULL && scratch->nearest != NULL &&
           pi_scan_init(bot, arena, scratch->row, &scratch->scan);
  }
  if (scratch->similarities == NULL || rows->num < PI_SCAN_FEW) {
    return scratch->similarities != NULL;
  }
  if (rows->form == PI_CODES_8) {
    scratch->table = pi_arena_raw(arena, rows->num_sub * rows->codebook_size, sizeof(float));
    return scratch->table != NULL;
  }
  return true;
}

pintent_status pintent_scratch_new(const pintent_bot *bot, size_t cache_bytes,
                                   pintent_scratch **result) {
  if (result == NULL) {
    return PINTENT_ERROR_ARGUMENT;
  }
  *result = NULL;
  if (bot == NULL) {
    return PINTENT_ERROR_ARGUMENT;
  }
  enum { joined = PI_MAX_TOKEN_BYTES + PI_MAX_TOKENS + PI_CORRECTED };
  size_t dim = bot->encoder.table.dim, num = bot->index.num;
  pi_arena arena;
  pi_arena_init(&arena, &bot->arena.allocator);
  pintent_scratch *scratch = pi_arena_take(&arena, 1, sizeof *scratch);
  if (scratch == NULL) {
    return PINTENT_ERROR_MEMORY;
  }
  scratch->bot = bot;
  scratch->points = pi_arena_raw(&arena, PI_MAX_POINTS, sizeof *scratch->points);
  scratch->joined = pi_arena_raw(&arena, joined, 1);
  scratch->features = pi_arena_take(&arena, dim + PI_NUM_BUCKETS + 2, sizeof(float));
  scratch->totals = pi_arena_take(&arena, num + PI_ROWS, sizeof(float));
  scratch->row = pi_arena_take(&arena, dim, sizeof(float));
  bool is_complete = pi_tokens_init(&scratch->tokens, &arena) &&
                     pi_tokens_init(&scratch->corrected, &arena) && scratch->points != NULL &&
                     scratch->joined != NULL && scratch->features != NULL &&
                     scratch->totals != NULL && scratch->row != NULL;
  is_complete = is_complete && pi_search_init(bot, cache_bytes, &arena, scratch) &&
                pi_encoder_scratch_init(&bot->encoder, cache_bytes, &arena, &scratch->encoder);
  if (!is_complete) {
    pi_arena_free(&arena);
    return PINTENT_ERROR_MEMORY;
  }
  atomic_fetch_add(bot->users, 1);
  scratch->arena = arena;
  *result = scratch;
  return PINTENT_OK;
}

void pintent_scratch_free(pintent_scratch *scratch) {
  if (scratch != NULL) {
    const pintent_bot *bot = scratch->bot;
    pi_arena arena = scratch->arena; /* the scratch itself is in it */
    pi_arena_free(&arena);
    pi_leave_bot(bot);
  }
}

static bool pi_can_use(const pintent_bot *bot, const pintent_scratch *scratch, const char *text,
                       size_t size) {
  return bot != NULL && scratch != NULL && scratch->bot == bot && (text != NULL || size == 0);
}

/* Reads a text, encodes it and scores the intents. */
static bool pi_score_text(const pintent_bot *bot, pintent_scratch *scratch, const char *text,
                          size_t size) {
  pintent_text given = {text == NULL ? "" : text, size};
  pi_read_text(&bot->encoder.table.vocabulary, &bot->own_words, bot->corrects, given,
               scratch->points, &scratch->tokens, &scratch->corrected, scratch->joined);
  pi_encode_tokens(&bot->encoder, &scratch->tokens, bot->kernels, &scratch->encoder);
  return pi_score(bot, scratch);
}

static pintent_candidate pi_candidate(const pintent_bot *bot, pi_hit hit) {
  pintent_candidate candidate = {
      bot->templates.names[bot->index.intents[hit.intent]],
      bot->templates.texts[bot->index.templates[hit.row]],
      hit.score,
  };
  return candidate;
}

/* Whether a text never gets an intent, since its tokens are those of a counter-example. */
static bool pi_is_refused(const pintent_bot *bot, pintent_scratch *scratch, size_t intent) {
  if (bot->num_refusals == 0 || scratch->tokens.count == 0) {
    return false;
  }
  pintent_text list = {scratch->joined, pi_list_tokens(&scratch->tokens, scratch->joined)};
  uint32_t hash = pi_fnv(PI_FNV_START, list.data, list.size);
  size_t low = 0, high = bot->num_refusals;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (bot->refusals[middle].hash < hash) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  for (; low < bot->num_refusals && bot->refusals[low].hash == hash; low++) {
    const pi_refusal *refusal = &bot->refusals[low];
    if ((refusal->intent == PI_ALL_INTENTS || refusal->intent == (int64_t)intent) &&
        pi_same(refusal->tokens, list)) {
      return true;
    }
  }
  return false;
}

pintent_status pintent_match_text(const pintent_bot *bot, pintent_scratch *scratch,
                                  const char *text, size_t size, pintent_match *match) {
  if (!pi_can_use(bot, scratch, text, size) || match == NULL) {
    return PINTENT_ERROR_ARGUMENT;
  }
  memset(match, 0, sizeof *match);
  if (!pi_score_text(bot, scratch, text, size)) {
    match->reason =
        bot->index.num == 0 ? PINTENT_REASON_NO_TEMPLATES : PINTENT_REASON_UNKNOWN_WORDS;
    return PINTENT_OK;
  }
  pi_hit best = pi_take_best(bot, scratch);
  size_t intent = bot->index.intents[best.intent];
  match->nearest = pi_candidate(bot, best);
  if (bot->index.num > 1) {
    match->runner_up = pi_candidate(bot, pi_take_best(bot, scratch));
    match->has_runner_up = 1;
    match->margin = match->nearest.score - match->runner_up.score;
  }
  if (pi_is_refused(bot, scratch, intent)) {
    match->reason = PINTENT_REASON_COUNTER_EXAMPLE;
  } else if (best.score < bot->templates.thresholds[intent]) {
    match->reason = PINTENT_REASON_BELOW_THRESHOLD;
  } else if (match->has_runner_up && match->margin < bot->templates.margin) {
    match->reason = PINTENT_REASON_AMBIGUOUS;
  } else {
    match->intent = match->nearest.intent;
  }
  return PINTENT_OK;
}

pintent_status pintent_rank(const pintent_bot *bot, pintent_scratch *scratch, const char *text,
                            size_t size, size_t limit, pintent_candidate *candidates,
                            size_t *count) {
  if (!pi_can_use(bot, scratch, text, size) || limit == 0 || candidates == NULL || count == NULL) {
    return PINTENT_ERROR_ARGUMENT;
  }
  *count = 0;
  if (pi_score_text(bot, scratch, text, size)) {
    for (; *count < limit && *count < bot->index.num; ++*count) {
      candidates[*count] = pi_candidate(bot, pi_take_best(bot, scratch));
    }
  }
  return PINTENT_OK;
}

pintent_status pintent_read(const pintent_bot *bot, pintent_scratch *scratch, const char *text,
                            size_t size, pintent_text *read) {
  if (!pi_can_use(bot, scratch, text, size) || read == NULL) {
    return PINTENT_ERROR_ARGUMENT;
  }
  pintent_text given = {text == NULL ? "" : text, size};
  *read = pi_read_text(&bot->encoder.table.vocabulary, &bot->own_words, bot->corrects, given,
                       scratch->points, &scratch->tokens, &scratch->corrected, scratch->joined);
  return PINTENT_OK;
}

pintent_status pintent_encode(const pintent_bot *bot, pintent_scratch *scratch, const char *text,
                              size_t size, float *vector, size_t dim) {
  if (!pi_can_use(bot, scratch, text, size) || vector == NULL) {
    return PINTENT_ERROR_ARGUMENT;
  }
  if (dim < bot->encoder.table.dim) {
    return PINTENT_ERROR_SIZE;
  }
  pi_tokenize(text == NULL ? "" : text, size, scratch->points, &scratch->tokens);
  pi_encode_tokens(&bot->encoder, &scratch->tokens, bot->kernels, &scratch->encoder);
  memcpy(vector, scratch->encoder.vector, bot->encoder.table.dim * sizeof *vector);
  return PINTENT_OK;
}
