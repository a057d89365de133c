/* The templates of a bot file, in the long form of docs/templates.md, with all its checks. */

#include "bot.h"

enum { PI_TEMPLATES_DEPTH = 1024 };

/* White space, control characters, and what Unicode calls default ignorable, in pairs of bounds. */
static const uint32_t pi_invisible[] = {
    0x0,    0x20,   0x7F,   0xA0,   0xAD,   0xAD,   0x34F,  0x34F,   0x61C,   0x61C,
    0x115F, 0x1160, 0x1680, 0x1680, 0x17B4, 0x17B5, 0x180B, 0x180F,  0x2000,  0x200F,
    0x2028, 0x202F, 0x205F, 0x206F, 0x2800, 0x2800, 0x3000, 0x3000,  0x3164,  0x3164,
    0xFE00, 0xFE0F, 0xFEFF, 0xFEFF, 0xFFA0, 0xFFA0, 0xFFF0, 0xFFFB,  0x1BCA0, 0x1BCA3,
    0x1D173, 0x1D17A, 0xE0000, 0xE0FFF};

static bool pi_is_blank(pintent_text text) {
  for (size_t place = 0; place < text.size;) {
    uint32_t point = pi_next_point(text.data, text.size, &place);
    bool is_visible = true;
    if (point > 0x20 && point < 0x7F) {
      return false;
    }
    for (size_t n = 0; n < PI_COUNT(pi_invisible); n += 2) {
      is_visible &= point < pi_invisible[n] || point > pi_invisible[n + 1];
    }
    if (is_visible) {
      return false;
    }
  }
  return true;
}

typedef struct pi_templates_reader {
  const pi_content *content;
  pi_arena *arena;
  pi_templates *templates;
  pi_error *error;
} pi_templates_reader;

static bool pi_bad_templates(pi_templates_reader *reader, const char *place, const char *what) {
  return pi_fail(reader->error, PINTENT_ERROR_TEMPLATES, "%s%s", place, what);
}

/* A text that lasts as long as a bot: in its file, or copied. */
static pintent_text pi_keep(const pi_content *content, pi_arena *arena, pintent_text text,
                            pi_error *error) {
  uintptr_t place = (uintptr_t)text.data, start = (uintptr_t)content->data;
  if (text.data != NULL && (place < start || place >= start + content->size)) {
    text.data = pi_copy(arena, text.data, text.size, error);
  }
  return text;
}

static pintent_text pi_keep_text(pi_templates_reader *reader, pintent_text text) {
  return pi_keep(reader->content, reader->arena, text, reader->error);
}

static bool pi_check_keys(pi_templates_reader *reader, const pi_json *object,
                          const char *const *known, const char *place) {
  for (const pi_json *member = object->of.members.first; member != NULL; member = member->next) {
    const char *const *key = known;
    while (*key != NULL && !pi_is(member->key, *key)) {
      key++;
    }
    if (*key == NULL) {
      return pi_fail(reader->error, PINTENT_ERROR_TEMPLATES, "%sunknown key '%.*s'", place,
                     PI_SHOWN(member->key));
    }
  }
  return true;
}

/* A number from `least` to `most`, if there is one under the key. */
static bool pi_read_limit(pi_templates_reader *reader, const pi_json *object, const char *key,
                          double least, double most, const char *place, double *limit) {
  const pi_json *value = pi_json_get(object, key);
  if (value == NULL) {
    return true;
  }
  if (!pi_json_number(value, limit) || !(*limit >= least && *limit <= most)) {
    return pi_fail(reader->error, PINTENT_ERROR_TEMPLATES,
                   "%s'%s' is not a number from %g to %g", place, key, least, most);
  }
  return true;
}

/* Checks a list of texts; their number. */
static bool pi_check_texts(pi_templates_reader *reader, const pi_json *list, const char *place,
                           size_t *count) {
  if (list == NULL || list->type != PI_JSON_ARRAY) {
    return pi_bad_templates(reader, place, "there is no list of texts; write [\"...\", \"...\"]");
  }
  *count += list->of.members.count;
  size_t position = 0;
  for (const pi_json *text = list->of.members.first; text != NULL; text = text->next) {
    position++;
    if (text->type != PI_JSON_STRING || pi_is_blank(text->of.string)) {
      return pi_fail(reader->error, PINTENT_ERROR_TEMPLATES,
                     "%stext %zu is %s; write a text in quotes, or remove it", place, position,
                     text->type == PI_JSON_STRING ? "empty or invisible" : "no text");
    }
  }
  return true;
}

static bool pi_check_head(pi_templates_reader *reader, const pi_json *form) {
  static const char *const keys[] = {"$schema",     "language", "threshold", "margin",
                                     "learn_names", "intents",  "none",      "background",
                                     NULL};
  if (!pi_check_keys(reader, form, keys, "")) {
    return false;
  }
  for (int n = 0; n < 2; n++) {
    const pi_json *value = pi_json_get(form, keys[n]);
    if (value != NULL && value->type != PI_JSON_NULL &&
        (value->type != PI_JSON_STRING || value->of.string.size == 0)) {
      return pi_fail(reader->error, PINTENT_ERROR_TEMPLATES,
                     "'%s' is empty or no text; write a text, or remove it", keys[n]);
    }
  }
  const pi_json *learn = pi_json_get(form, "learn_names");
  if (learn != NULL && learn->type != PI_JSON_TRUE && learn->type != PI_JSON_FALSE) {
    return pi_bad_templates(reader, "", "'learn_names' is not true or false");
  }
  reader->templates->learns_names = learn == NULL || learn->type == PI_JSON_TRUE;
  const pi_json *background = pi_json_get(form, "background");
  return background == NULL || pi_check_texts(reader, background, "'background': ",
                                              &reader->templates->num_background);
}

/* Checks an intent, and counts its texts. */
static bool pi_check_intent(pi_templates_reader *reader, const pi_json *intent) {
  static const char *const keys[] = {"templates", "except", "threshold", NULL};
  char place[128];
  pi_format(place, sizeof place, "intent '%.*s': ", PI_SHOWN(intent->key));
  if (pi_is_blank(intent->key)) {
    return pi_bad_templates(reader, place, "the name is empty or invisible; give it a name");
  }
  if (intent->type != PI_JSON_OBJECT) {
    return pi_bad_templates(reader, place, "it is no object; write {\"templates\": [\"...\"]}");
  }
  const pi_json *texts = pi_json_get(intent, "templates"), *except = pi_json_get(intent, "except");
  if (!pi_check_keys(reader, intent, keys, place) ||
      !pi_check_texts(reader, texts, place, &reader->templates->num_templates)) {
    return false;
  }
  if (texts->of.members.count == 0) {
    return pi_bad_templates(reader, place, "there are no templates; write at least one");
  }
  return except == NULL ||
         pi_check_texts(reader, except, place, &reader->templates->num_counter_examples);
}

/* Stores a checked intent. */
static bool pi_store_intent(pi_templates_reader *reader, const pi_json *intent, size_t number,
                            double threshold, size_t *num_texts, size_t *num_exceptions) {
  pi_templates *templates = reader->templates;
  char place[128];
  pi_format(place, sizeof place, "intent '%.*s': ", PI_SHOWN(intent->key));
  templates->names[number] = pi_keep_text(reader, intent->key);
  templates->has_own[number] = pi_json_get(intent, "threshold") != NULL;
  templates->thresholds[number] = threshold;
  if (!pi_read_limit(reader, intent, "threshold", -1, 1, place, &templates->thresholds[number])) {
    return false;
  }
  for (const pi_json *text = pi_json_get(intent, "templates")->of.members.first; text != NULL;
       text = text->next) {
    templates->texts[(*num_texts)++] = pi_keep_text(reader, text->of.string);
  }
  templates->bounds[number + 1] = *num_texts;
  const pi_json *except = pi_json_get(intent, "except");
  for (const pi_json *text = except == NULL ? NULL : except->of.members.first; text != NULL;
       text = text->next) {
    pi_counter_example *stored = &templates->counter_examples[(*num_exceptions)++];
    stored->text = pi_keep_text(reader, text->of.string);
    stored->intent = (int64_t)number;
  }
  return true;
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

/* Stores what belongs to no intent. */
static void pi_store_head(pi_templates_reader *reader, const pi_json *form) {
  pi_templates *templates = reader->templates;
  const pi_json *schema = pi_json_get(form, "$schema"), *language = pi_json_get(form, "language");
  if (schema != NULL && schema->type == PI_JSON_STRING) {
    templates->schema = pi_keep_text(reader, schema->of.string);
  }
  if (language != NULL && language->type == PI_JSON_STRING) {
    templates->language = pi_keep_text(reader, language->of.string);
  }
  const pi_json *background = pi_json_get(form, "background");
  const pi_json *text = background == NULL ? NULL : background->of.members.first;
  for (size_t n = 0; text != NULL; text = text->next) {
    templates->background[n++] = pi_keep_text(reader, text->of.string);
  }
}

static bool pi_store_templates(pi_templates_reader *reader, const pi_json *form) {
  pi_templates *templates = reader->templates;
  templates->threshold = 0.5;
  const pi_json *intents = pi_json_get(form, "intents"), *none = pi_json_get(form, "none");
  if (!pi_read_limit(reader, form, "threshold", -1, 1, "", &templates->threshold) ||
      !pi_read_limit(reader, form, "margin", 0, 2, "", &templates->margin)) {
    return false;
  }
  size_t texts = 0, exceptions = 0;
  if (!pi_take_templates(templates, reader->arena, reader->error)) {
    return false;
  }
  pi_store_head(reader, form);
  for (const pi_json *text = none == NULL ? NULL : none->of.members.first; text != NULL;
       text = text->next) {
    pi_counter_example *stored = &templates->counter_examples[exceptions++];
    stored->text = pi_keep_text(reader, text->of.string);
    stored->intent = PI_ALL_INTENTS;
  }
  size_t number = 0;
  for (const pi_json *intent = intents->of.members.first; intent != NULL; intent = intent->next) {
    if (!pi_store_intent(reader, intent, number++, templates->threshold, &texts, &exceptions)) {
      return false;
    }
  }
  return reader->error->status == PINTENT_OK;
}

/* Reads the tensor bot.templates, with its tree in `scratch`. */
static bool pi_read_set(const pi_file *file, const pi_content *content, pi_arena *arena,
                        pi_arena *scratch, pi_templates *templates, pi_error *error) {
  const pi_tensor *tensor = pi_find_tensor(file, "bot.templates");
  const pi_json_rules rules = {PI_TEMPLATES_DEPTH, true, true};
  if (tensor == NULL || tensor->dtype != PI_U8 || tensor->num_axes != 1) {
    return pi_fail(error, PINTENT_ERROR_MODEL,
                   "bot.templates is missing or not uint8 [num_bytes]");
  }
  const pi_json *form = NULL;
  if (!pi_is_utf8(tensor->data, tensor->size)) {
    pi_fail(error, PINTENT_ERROR_MODEL, "it is not UTF-8");
  } else {
    form = pi_json_read(scratch, tensor->data, tensor->size, rules, error);
  }
  if (form == NULL) {
    pi_prefix(error, "bot.templates is not JSON: ");
    return false;
  }
  const pi_json *intents = pi_json_get(form, "intents"), *none = pi_json_get(form, "none");
  if (!pi_json_is_object(intents)) {
    return pi_fail(error, PINTENT_ERROR_MODEL, "bot.templates is not in the long form");
  }
  pi_templates_reader reader = {content, arena, templates, error};
  templates->num_intents = intents->of.members.count;
  if (!pi_check_head(&reader, form) ||
      (none != NULL && !pi_check_texts(&reader, none, "'none': ",
                                       &templates->num_counter_examples))) {
    return false;
  }
  for (const pi_json *intent = intents->of.members.first; intent != NULL; intent = intent->next) {
    if (!pi_check_intent(&reader, intent)) {
      return false;
    }
  }
  return pi_store_templates(&reader, form);
}

/* The same, after which the tree has gone; the texts are of the file or the arena. */
static bool pi_read_templates(const pi_file *file, const pi_content *content, pi_arena *arena,
                              pi_arena *scratch, pi_templates *templates, pi_error *error) {
  pi_mark mark = pi_arena_mark(scratch);
  bool is_read = pi_read_set(file, content, arena, scratch, templates, error);
  pi_arena_rewind(scratch, mark);
  return is_read;
}
