/* Edits of an open bot: each makes another bot, and leaves the first as it was. */

#include "edit.h"

/* What an edit reads and encodes texts with. */
static bool pi_begin_edit(pi_edit *edit) {
  enum { cache_bytes = 1 << 20 }; /* of the words of a contextual model */
  const pi_content *content = &edit->bot->shared->content;
  edit->points = pi_arena_raw(&edit->scratch, PI_MAX_POINTS, sizeof *edit->points);
  if (edit->points == NULL || !pi_tokens_init(&edit->tokens, &edit->scratch) ||
      !pi_encoder_scratch_init(&edit->bot->encoder, cache_bytes, &edit->scratch, &edit->encoder)) {
    return pi_fail(edit->error, PINTENT_ERROR_MEMORY, "there is no memory for an edit");
  }
  return pi_list_file(content->data, content->size, &edit->scratch, &edit->scratch, &edit->file,
                      edit->error);
}

/* Gives the classifier of a bot whose texts stay to the new one. */
static bool pi_copy_classifier(pi_edit *edit) {
  const pi_classifier *old = &edit->old->classifier;
  pi_classifier *classifier = &edit->bot->classifier;
  pi_arena *arena = &edit->bot->arena;
  size_t size = old->weights.num * old->weights.dim * sizeof(float);
  *classifier = *old;
  classifier->weights.rows = pi_copy(arena, old->weights.rows, size, edit->error);
  classifier->negations =
      pi_take(arena, old->num_negations, sizeof *classifier->negations, edit->error);
  for (size_t n = 0; classifier->negations != NULL && n < old->num_negations; n++) {
    pintent_text word = old->negations[n];
    classifier->negations[n].data = pi_copy(arena, word.data, word.size, edit->error);
    classifier->negations[n].size = word.size;
  }
  return edit->error->status == PINTENT_OK;
}

static bool pi_edit_decision(pi_edit *edit) {
  if (edit->bot->decision != PI_LOGISTIC || edit->bot->index.num == 0) {
    return true;
  }
  bool is_kept = edit->change.set.data == NULL && pi_keeps_texts(&edit->change);
  return is_kept ? pi_copy_classifier(edit) : pi_fit(edit);
}

/* Makes the parts of the new bot. */
static bool pi_make_bot(pi_edit *edit) {
  pintent_bot *bot = edit->bot;
  bool is_new_set = edit->change.set.data != NULL;
  return pi_begin_edit(edit) &&
         (is_new_set ? pi_read_new_set(edit) : pi_edit_templates(edit)) &&
         pi_begin_vectors(edit) && pi_edit_index(edit) && pi_edit_decision(edit) &&
         pi_store_refusals(bot, &edit->scratch, edit->points, &edit->tokens, edit->error) &&
         (!bot->corrects ||
          pi_find_own_words(bot, &edit->scratch, edit->points, &edit->tokens, edit->error));
}

/* Makes the bot of a change that is checked. */
static pintent_bot *pi_edit_bot(const pintent_bot *old, pi_change change, pi_error *error) {
  pintent_bot *bot = pi_new_bot(&old->arena.allocator, error);
  if (bot == NULL) {
    return NULL;
  }
  atomic_fetch_add(&old->shared->users, 1);
  bot->shared = old->shared;
  bot->kernels = old->kernels;
  bot->scan = old->scan;
  bot->encoder = old->encoder;
  bot->decision = old->decision;
  bot->corrects = old->corrects;
  bot->corrects_texts = old->corrects_texts;
  pi_edit edit = {.old = old, .bot = bot, .change = change, .error = error};
  pi_arena_init(&edit.scratch, &old->arena.allocator);
  bool is_made = pi_make_bot(&edit) && error->status == PINTENT_OK;
  pi_arena_free(&edit.scratch);
  if (!is_made) {
    pi_leave_bot(bot);
    bot = NULL;
  }
  return bot;
}

/* Whether each text of a list has data. */
static bool pi_are_texts(const pintent_text *texts, size_t count) {
  for (size_t n = 0; texts != NULL && n < count; n++) {
    if (texts[n].data == NULL && texts[n].size > 0) {
      return false;
    }
  }
  return texts != NULL || count == 0;
}

/* Ends an edit: hands over the message and the bot. */
static pintent_status pi_end_edit(const pi_error *error, pintent_bot *bot, pintent_bot **edited,
                                  pintent_message *message) {
  *edited = bot;
  if (message != NULL) {
    *message = error->message;
  }
  return error->status;
}

pintent_status pintent_add_intent(const pintent_bot *bot, const pintent_addition *addition,
                                  pintent_bot **edited, pintent_message *message) {
  if (edited == NULL) {
    return PINTENT_ERROR_ARGUMENT;
  }
  *edited = NULL;
  if (bot == NULL || addition == NULL || !pi_are_texts(&addition->name, 1) ||
      !pi_are_texts(addition->templates, addition->num_templates) ||
      !pi_are_texts(addition->counter_examples, addition->num_counter_examples)) {
    return PINTENT_ERROR_ARGUMENT;
  }
  pi_error error = {PINTENT_OK, {""}};
  pi_change change = {pi_find_intent(&bot->templates, addition->name), addition, {NULL, 0}};
  bool is_new = change.position == bot->templates.num_intents;
  bool is_right = pi_check_addition(addition, is_new, &error);
  return pi_end_edit(&error, is_right ? pi_edit_bot(bot, change, &error) : NULL, edited, message);
}

pintent_status pintent_remove_intent(const pintent_bot *bot, const char *name, size_t size,
                                     pintent_bot **edited, pintent_message *message) {
  if (edited == NULL) {
    return PINTENT_ERROR_ARGUMENT;
  }
  *edited = NULL;
  if (bot == NULL || (name == NULL && size > 0)) {
    return PINTENT_ERROR_ARGUMENT;
  }
  pi_error error = {PINTENT_OK, {""}};
  pintent_text intent = {name, size};
  pi_change change = {pi_find_intent(&bot->templates, intent), NULL, {NULL, 0}};
  bool is_there = change.position < bot->templates.num_intents ||
                  pi_no_such_intent(&bot->templates, intent, &error);
  return pi_end_edit(&error, is_there ? pi_edit_bot(bot, change, &error) : NULL, edited, message);
}

pintent_status pintent_set_templates(const pintent_bot *bot, const char *json, size_t size,
                                     pintent_bot **edited, pintent_message *message) {
  if (edited == NULL) {
    return PINTENT_ERROR_ARGUMENT;
  }
  *edited = NULL;
  if (bot == NULL || (json == NULL && size > 0)) {
    return PINTENT_ERROR_ARGUMENT;
  }
  pi_error error = {PINTENT_OK, {""}};
  pi_change change = {PI_NONE, NULL, {json == NULL ? "" : json, size}};
  return pi_end_edit(&error, pi_edit_bot(bot, change, &error), edited, message);
}
