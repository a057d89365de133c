/* The template set of a bot: from JSON, in a bot file or as it was given, to its texts. */

#include "bot.h"

enum { PI_STORED_DEPTH = 1024, PI_GIVEN_DEPTH = 16 }; /* levels of brackets */

/* Where the texts of a set go. */
typedef struct pi_set_store {
  const pi_set_form *form;
  const pi_content *content;
  pi_arena *arena;
  size_t texts, exceptions; /* stored */
} pi_set_store;

/* A text that lasts as long as a bot: in its file, or copied. */
static pintent_text pi_keep(const pi_content *content, pi_arena *arena, pintent_text text,
                            pi_error *error) {
  uintptr_t place = (uintptr_t)text.data, start = (uintptr_t)content->data;
  if (text.data != NULL && (place < start || place >= start + content->size)) {
    text.data = pi_copy(arena, text.data, text.size, error);
  }
  return text;
}

static pintent_text pi_keep_text(const pi_set_store *store, pintent_text text) {
  return pi_keep(store->content, store->arena, text, store->form->error);
}

/* A text under a key; without data if there is none. */
static pintent_text pi_keep_string(const pi_set_store *store, const pi_json *set, const char *key) {
  const pi_json *value = pi_json_get(set, key);
  pintent_text none = {NULL, 0};
  return value != NULL && value->type == PI_JSON_STRING ? pi_keep_text(store, value->of.string)
                                                        : none;
}

/* Stores the texts of a list, if there is one; how many these are. */
static size_t pi_store_texts(const pi_set_store *store, const pi_json *list, pintent_text *texts) {
  size_t count = 0;
  const pi_json *item = list == NULL ? NULL : list->of.members.first;
  for (; item != NULL; item = item->next) {
    texts[count++] = pi_keep_text(store, pi_text_in(store->form, item)->of.string);
  }
  return count;
}

static void pi_store_exceptions(pi_set_store *store, const pi_json *list, int64_t intent) {
  const pi_json *text = list == NULL ? NULL : list->of.members.first;
  for (; text != NULL; text = text->next) {
    pi_counter_example *stored =
        &store->form->templates->counter_examples[store->exceptions++];
    stored->text = pi_keep_text(store, text->of.string);
    stored->intent = intent;
  }
}

static void pi_store_intent(pi_set_store *store, const pi_json *intent, size_t number) {
  pi_templates *templates = store->form->templates;
  const pi_json *settings = store->form->is_short ? NULL : intent;
  templates->names[number] = pi_keep_text(store, intent->key);
  templates->thresholds[number] = templates->threshold;
  templates->has_own[number] =
      pi_json_number(pi_json_get(settings, "threshold"), &templates->thresholds[number]);
  store->texts += pi_store_texts(store, pi_templates_in(store->form, intent),
                                 templates->texts + store->texts);
  templates->bounds[number + 1] = store->texts;
  pi_store_exceptions(store, pi_json_get(settings, "except"), (int64_t)number);
}

/* Takes the room for the texts, of which the numbers are known. */
static bool pi_take_templates(pi_templates *templates, pi_arena *arena, pi_error *error) {
  size_t num = templates->num_intents;
  templates->names = pi_take(arena, num, sizeof *templates->names, error);
  templates->thresholds = pi_take(arena, num, sizeof *templates->thresholds, error);
  templates->has_own = pi_take(arena, num, sizeof *templates->has_own, error);
  templates->bounds = pi_take(arena, num + 1, sizeof *templates->bounds, error);
  templates->texts = pi_take(arena, templates->num_templates, sizeof *templates->texts, error);
  templates->background =
      pi_take(arena, templates->num_background, sizeof *templates->background, error);
  templates->counter_examples = pi_take(arena, templates->num_counter_examples,
                                        sizeof *templates->counter_examples, error);
  return error->status == PINTENT_OK;
}

/* Checks and stores a set that is read, in any of the forms. */
static bool pi_store_set(const pi_json *set, const pi_content *content, pi_arena *arena,
                         pi_templates *templates, pi_error *error) {
  pi_set_form form = {NULL, false, templates, error};
  pi_set_store store = {&form, content, arena, 0, 0};
  size_t number = 0;
  if (!pi_check_set(&form, set) || !pi_take_templates(templates, arena, error)) {
    return false;
  }
  templates->schema = pi_keep_string(&store, set, "$schema");
  if (!form.is_short) {
    templates->language = pi_keep_string(&store, set, "language");
    pi_store_texts(&store, pi_json_get(set, "background"), templates->background);
    pi_store_exceptions(&store, pi_json_get(set, "none"), PI_ALL_INTENTS);
  }
  for (const pi_json *intent = form.intents->of.members.first; intent != NULL;
       intent = intent->next) {
    if (pi_is_intent(&form, intent)) {
      pi_store_intent(&store, intent, number++);
    }
  }
  return error->status == PINTENT_OK;
}

/* Reads the tensor bot.templates, with its tree in `scratch`. */
static bool pi_read_set(const pi_file *file, const pi_content *content, pi_arena *arena,
                        pi_arena *scratch, pi_templates *templates, pi_error *error) {
  const pi_tensor *tensor = pi_find_tensor(file, "bot.templates");
  const pi_json_rules rules = {PI_STORED_DEPTH, true, true, false};
  if (tensor == NULL || tensor->dtype != PI_U8 || tensor->num_axes != 1) {
    return pi_fail(error, PINTENT_ERROR_MODEL,
                   "bot.templates is missing or not uint8 [num_bytes]");
  }
  const pi_json *set = NULL;
  if (!pi_is_utf8(tensor->data, tensor->size)) {
    pi_fail(error, PINTENT_ERROR_MODEL, "it is not UTF-8");
  } else {
    set = pi_json_read(scratch, tensor->data, tensor->size, rules, error);
  }
  if (set == NULL) {
    pi_prefix(error, "bot.templates is not JSON: ");
    return false;
  }
  if (!pi_json_is_object(pi_json_get(set, "intents"))) {
    return pi_fail(error, PINTENT_ERROR_MODEL, "bot.templates is not in the long form");
  }
  return pi_store_set(set, content, arena, templates, error);
}

/* The same, after which the tree has gone; the texts are of the file or the arena. */
static bool pi_read_templates(const pi_file *file, const pi_content *content, pi_arena *arena,
                              pi_arena *scratch, pi_templates *templates, pi_error *error) {
  pi_mark mark = pi_arena_mark(scratch);
  bool is_read = pi_read_set(file, content, arena, scratch, templates, error);
  pi_arena_rewind(scratch, mark);
  return is_read;
}
