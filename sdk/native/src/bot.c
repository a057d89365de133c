/* Opening and closing: from the bytes of a bot file to a bot. */

#include "bot.h"

/* The tokens of a text with a line feed, which no token contains, behind each. */
static size_t pi_list_tokens(const pi_tokens *tokens, char *list) {
  size_t size = 0;
  for (size_t n = 0; n < tokens->count; n++) {
    pintent_text token = pi_token_text(tokens, n);
    memcpy(list + size, token.data, token.size);
    size += token.size;
    list[size++] = '\n';
  }
  return size;
}

static bool pi_is_lower_hash(const void *context, size_t one, size_t other) {
  const pi_refusal *refusals = context;
  return refusals[one].hash < refusals[other].hash;
}

/* Stores the tokens of the counter-examples, in the order of their hashes. */
static bool pi_store_refusals(pintent_bot *bot, pi_arena *scratch, uint32_t *points,
                              pi_tokens *tokens, pi_error *error) {
  size_t count = bot->templates.num_counter_examples;
  pi_refusal *found = pi_take(scratch, count, sizeof *found, error);
  size_t *order = pi_take(scratch, count, sizeof *order, error);
  char *list = pi_arena_raw(scratch, PI_MAX_TOKEN_BYTES + PI_MAX_TOKENS, 1);
  bot->refusals = pi_take(&bot->arena, count, sizeof *bot->refusals, error);
  if (found == NULL || order == NULL || bot->refusals == NULL || list == NULL) {
    return pi_fail(error, PINTENT_ERROR_MEMORY, "there is no memory");
  }
  size_t kept = 0;
  for (size_t n = 0; n < count; n++) {
    const pi_counter_example *example = &bot->templates.counter_examples[n];
    pi_tokenize(example->text.data, example->text.size, points, tokens);
    pi_refusal *refusal = &found[kept];
    refusal->tokens.size = pi_list_tokens(tokens, list);
    if (refusal->tokens.size > 0) {
      refusal->tokens.data = pi_copy(&bot->arena, list, refusal->tokens.size, error);
      refusal->hash = pi_fnv(PI_FNV_START, list, refusal->tokens.size);
      refusal->intent = example->intent;
      order[kept] = kept;
      kept++;
    }
  }
  pi_sort(order, kept, pi_is_lower_hash, found);
  for (size_t n = 0; n < kept; n++) {
    bot->refusals[n] = found[order[n]];
  }
  bot->num_refusals = kept;
  return error->status == PINTENT_OK;
}

/* Reads the entry `bot` of the manifest, with the model and the templates read. */
static bool pi_read_bot_entry(const pi_file *file, pintent_bot *bot, pi_error *error) {
  const pi_json *entry = pi_json_get(file->manifest, "bot");
  const pi_json *correct = pi_json_get(entry, "correct");
  const pi_json *index = pi_json_get(entry, "index"), *decision = pi_json_get(entry, "decision");
  if (correct != NULL && correct->type != PI_JSON_TRUE && correct->type != PI_JSON_FALSE) {
    return pi_fail(error, PINTENT_ERROR_MODEL, "the bot's correct must be true or false");
  }
  if (!pi_json_is_object(index) || !pi_json_is_object(decision)) {
    return pi_fail(error, PINTENT_ERROR_MODEL, "the manifest has no object '%s'",
                   pi_json_is_object(index) ? "decision" : "index");
  }
  if (!pi_read_index(file, index, bot, error) || !pi_read_decision(file, decision, bot, error)) {
    return false;
  }
  bot->corrects_texts = correct == NULL || correct->type == PI_JSON_TRUE;
  return true;
}

/* Begins a bot without intents, with the choices of `pocketintent build`. */
static bool pi_begin_bot(const pi_file *file, pintent_bot *bot, pi_error *error) {
  bot->templates.threshold = 0.5;
  bot->templates.learns_names = true;
  bot->decision = PI_LOGISTIC;
  bot->corrects_texts = true;
  bot->index.is_table = true;
  bot->index.max_error = PI_MAX_ERROR;
  bot->index.bounds = pi_take(&bot->arena, 1, sizeof *bot->index.bounds, error);
  return pi_take_templates(&bot->templates, &bot->arena, error) &&
         pi_read_own_codebook(file, bot, error);
}

/* Finds what is looked up for each text, with all else read. */
static bool pi_finish_bot(pintent_bot *bot, pi_arena *scratch, pi_error *error) {
  bot->corrects = bot->corrects_texts && bot->encoder.table.vocabulary.is_known_to_simple;
  pi_tokens tokens;
  uint32_t *points = pi_arena_raw(scratch, PI_MAX_POINTS, sizeof *points);
  if (points == NULL || !pi_tokens_init(&tokens, scratch)) {
    return pi_fail(error, PINTENT_ERROR_MEMORY, "there is no memory");
  }
  return pi_store_refusals(bot, scratch, points, &tokens, error) &&
         (!bot->corrects || pi_find_own_words(bot, scratch, points, &tokens, error));
}

/* Reads a bot from its content, or the model alone for a bot without intents. */
static bool pi_read_bot(pintent_bot *bot, const char *path, bool is_model, pi_arena *scratch,
                        pi_error *error) {
  pi_file file = {NULL, NULL, 0};
  const pi_content *content = &bot->shared->content;
  pi_arena *shared = &bot->shared->arena;
  if (!pi_read_file(content->data, content->size, shared, scratch, &file, error)) {
    pi_prefix(error, "%.200s cannot be used as a model: ", path);
    return false;
  }
  const pi_json *entry = pi_json_get(file.manifest, "bot");
  bool is_read =
      (is_model || entry == NULL ||
       pi_check_version(pi_json_get(entry, "version"), "the bot", error)) &&
      (is_model || entry != NULL ||
       pi_fail(error, PINTENT_ERROR_MODEL,
               "it is a model without templates; make a bot file of it by `pocketintent build`")) &&
      (is_model ||
       pi_read_templates(&file, content, &bot->arena, scratch, &bot->templates, error)) &&
      pi_read_encoder(&file, shared, scratch, &bot->encoder, error) &&
      (is_model ? pi_begin_bot(&file, bot, error) : pi_read_bot_entry(&file, bot, error)) &&
      pi_finish_bot(bot, scratch, error);
  if (!is_read) {
    pi_prefix(error, "%.200s: ", path);
  }
  return is_read;
}

/* A bot without content, and one that uses it; NULL if there is no memory. */
static pintent_bot *pi_new_bot(const pintent_allocator *allocator, pi_error *error) {
  pi_arena arena;
  pi_arena_init(&arena, allocator);
  pintent_bot *bot = pi_take(&arena, 1, sizeof *bot, error);
  atomic_size_t *users = pi_take(&arena, 1, sizeof *users, error);
  if (bot == NULL || users == NULL) {
    pi_arena_free(&arena);
    return NULL;
  }
  atomic_init(users, 1);
  bot->users = users;
  bot->arena = arena; /* which from now on owns itself */
  return bot;
}

/* What bots of one file share, used by one; NULL if there is no memory. */
static pi_shared *pi_new_shared(const pintent_allocator *allocator, pi_error *error) {
  pi_arena arena;
  pi_arena_init(&arena, allocator);
  pi_shared *shared = pi_take(&arena, 1, sizeof *shared, error);
  if (shared != NULL) {
    atomic_init(&shared->users, 1);
    shared->arena = arena;
  }
  return shared;
}

/* Leaves what bots share; the last one ends it. */
static void pi_leave_shared(pi_shared *shared) {
  if (shared != NULL && atomic_fetch_sub(&shared->users, 1) == 1) {
    pi_close_content(&shared->content);
    pi_arena arena = shared->arena;
    pi_arena_free(&arena);
  }
}

/* Leaves a bot; the last one who does ends it. */
static void pi_leave_bot(const pintent_bot *bot) {
  if (atomic_fetch_sub(bot->users, 1) == 1) {
    pi_leave_shared(bot->shared);
    pi_arena arena = bot->arena; /* the bot itself is in it */
    pi_arena_free(&arena);
  }
}

/* Opens a path, or the content of the caller where the path is NULL. */
static pintent_status pi_open(const char *path, const void *data, size_t size, bool is_model,
                              const pintent_allocator *allocator, pintent_bot **result,
                              pintent_message *message) {
  if (message != NULL) {
    message->text[0] = '\0';
  }
  if (result == NULL) {
    return PINTENT_ERROR_ARGUMENT;
  }
  *result = NULL;
  if ((path == NULL && data == NULL) ||
      (allocator != NULL && (allocator->allocate == NULL || allocator->release == NULL))) {
    if (message != NULL) {
      pi_format(message->text, sizeof message->text, "there is nothing to open, or no allocator");
    }
    return PINTENT_ERROR_ARGUMENT;
  }
  pi_error error = {PINTENT_OK, {""}};
  pi_arena scratch;
  pi_arena_init(&scratch, allocator);
  pintent_bot *bot = pi_new_bot(allocator, &error);
  if (bot != NULL) {
    bot->shared = pi_new_shared(allocator, &error);
    bot->kernels = pi_choose_kernels(NULL);
    bot->scan = pi_choose_scan(NULL);
    bool is_open = bot->shared != NULL;
    const char *name = path == NULL ? "the buffer" : path;
    if (is_open && path != NULL) {
      is_open = pi_open_content(path, &bot->shared->arena, &bot->shared->content, &error);
    } else if (is_open) {
      bot->shared->content.data = data;
      bot->shared->content.size = size;
      is_open = size >= 8 || pi_fail(&error, PINTENT_ERROR_MODEL,
                                     "the buffer is not a model file: it has only %zu bytes", size);
    }
    if (!is_open || !pi_read_bot(bot, name, is_model, &scratch, &error)) {
      pintent_close(bot);
      bot = NULL;
    }
  }
  pi_arena_free(&scratch);
  *result = bot;
  if (message != NULL) {
    *message = error.message;
  }
  return error.status;
}

pintent_status pintent_open(const char *path, const pintent_allocator *allocator, pintent_bot **bot,
                            pintent_message *message) {
  return pi_open(path, NULL, 0, false, allocator, bot, message);
}

pintent_status pintent_open_buffer(const void *data, size_t size,
                                   const pintent_allocator *allocator, pintent_bot **bot,
                                   pintent_message *message) {
  return pi_open(NULL, data, size, false, allocator, bot, message);
}

pintent_status pintent_open_model(const char *path, const pintent_allocator *allocator,
                                  pintent_bot **bot, pintent_message *message) {
  return pi_open(path, NULL, 0, true, allocator, bot, message);
}

pintent_status pintent_open_model_buffer(const void *data, size_t size,
                                         const pintent_allocator *allocator, pintent_bot **bot,
                                         pintent_message *message) {
  return pi_open(NULL, data, size, true, allocator, bot, message);
}

void pintent_close(pintent_bot *bot) {
  if (bot != NULL) {
    pi_leave_bot(bot);
  }
}

size_t pintent_num_intents(const pintent_bot *bot) {
  return bot == NULL ? 0 : bot->templates.num_intents;
}

pintent_text pintent_intent(const pintent_bot *bot, size_t position) {
  pintent_text none = {NULL, 0};
  return position < pintent_num_intents(bot) ? bot->templates.names[position] : none;
}

double pintent_threshold(const pintent_bot *bot, size_t position) {
  return position < pintent_num_intents(bot) ? bot->templates.thresholds[position] : 0;
}

size_t pintent_num_templates(const pintent_bot *bot) {
  return bot == NULL ? 0 : bot->templates.num_templates;
}

size_t pintent_dim(const pintent_bot *bot) { return bot == NULL ? 0 : bot->encoder.table.dim; }

const char *pintent_kind(const pintent_bot *bot) {
  return bot == NULL ? "" : pi_kinds[bot->encoder.kind];
}

const char *pintent_decision(const pintent_bot *bot) {
  return bot == NULL ? "" : pi_decisions[bot->decision];
}

const char *pintent_instructions(const pintent_bot *bot) {
  return bot == NULL ? "" : bot->kernels->name;
}

const char *pintent_version(void) { return "0.1.0"; }

const char *pintent_unicode_version(void) { return PI_UNICODE_VERSION; }
