/* The three forms of a template set (docs/templates.md): their values are checked in the order of
 * Python's reader, and the first that is wrong is named with its place and what to do. */

#include "bot.h"

static const char pi_set_keys[] =
    "$schema, language, threshold, margin, learn_names, intents, none, background";

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

/* The beginning of a text as it may stand in a message; nothing of one that is not UTF-8. */
static pintent_text pi_for_message(pintent_text text) {
  enum { most = 80 };
  pintent_text shown = {"", 0};
  if (text.size > 0 && pi_is_utf8(text.data, text.size)) {
    shown.data = text.data;
    shown.size = text.size < most ? text.size : most;
    while (shown.size < text.size && ((unsigned char)text.data[shown.size] & 0xC0) == 0x80) {
      shown.size--;
    }
  }
  return shown;
}

/* A set while it is read. In a short form the intents have nothing but templates. */
typedef struct pi_set_form {
  const pi_json *intents; /* the object whose members they are */
  bool is_short;
  pi_templates *templates; /* whose numbers are counted */
  pi_error *error;
} pi_set_form;

/* Whether a member of the intents' object is an intent. */
static bool pi_is_intent(const pi_set_form *form, const pi_json *member) {
  return !form->is_short || !pi_is(member->key, "$schema");
}

/* A text of a list, which in a short form may stand in an object. */
static const pi_json *pi_text_in(const pi_set_form *form, const pi_json *item) {
  return form->is_short && item->type == PI_JSON_OBJECT ? pi_json_get(item, "text") : item;
}

static const pi_json *pi_templates_in(const pi_set_form *form, const pi_json *intent) {
  return form->is_short ? intent : pi_json_get(intent, "templates");
}

/* What a value is, in a message. */
static const char *pi_kind_of(const pi_json *value) {
  static const char *const kinds[] = {"null",     "true or false", "true or false", "a number",
                                      "a number", "a text",        "a list",        "an object"};
  return kinds[value == NULL ? PI_JSON_NULL : value->type];
}

/* Says that a key of an intent, or of the set where the place is empty, has a wrong value. */
static bool pi_bad_value(const pi_set_form *form, const char *place, const char *key,
                         const char *found, const char *remedy) {
  return pi_fail(form->error, PINTENT_ERROR_TEMPLATES, "%s%s'%s' is %s; write %s", place,
                 *place == '\0' ? "" : ": ", key, found, remedy);
}

#define PI_WRITE_A_LIST "a list of texts: [\"...\", \"...\"]"

static bool pi_is_listed(pintent_text word, const char *list) {
  for (;; list += 2) {
    const char *end = strchr(list, ',');
    pintent_text listed = {list, end == NULL ? strlen(list) : (size_t)(end - list)};
    if (pi_same(word, listed) || end == NULL) {
      return pi_same(word, listed);
    }
    list = end;
  }
}

/* Checks that an object has no other keys than these. */
static bool pi_check_keys(const pi_set_form *form, const pi_json *object, const char *known,
                          const char *place) {
  for (const pi_json *member = object->of.members.first; member != NULL; member = member->next) {
    if (!pi_is_listed(member->key, known)) {
      pintent_text key = pi_for_message(member->key);
      return pi_fail(form->error, PINTENT_ERROR_TEMPLATES, "%s%sunknown key '%.*s'; known keys: %s",
                     place, *place == '\0' ? "" : ": ", PI_SHOWN(key), known);
    }
  }
  return true;
}

/* Reads a number from `least` to `most`, if there is one under the key. */
static bool pi_read_limit(const pi_set_form *form, const pi_json *object, const char *key, double least,
                          double most, const char *place, double *limit) {
  const pi_json *value = pi_json_get(object, key);
  char found[PI_NUMBER_SIZE], remedy[40];
  if (value == NULL) {
    return true;
  }
  bool is_number = pi_json_number(value, limit);
  if (is_number && *limit >= least && *limit <= most) {
    return true;
  }
  pi_format(found, sizeof found, "%g", is_number ? *limit : 0);
  pi_format(remedy, sizeof remedy, "a number from %g to %g", least, most);
  return pi_bad_value(form, place, key, is_number ? found : pi_kind_of(value), remedy);
}

/* Checks the texts of a list, and counts them. */
static bool pi_check_texts(const pi_set_form *form, const pi_json *list, const char *place,
                           const char *kind, size_t *count) {
  size_t position = 0;
  *count += list->of.members.count;
  for (const pi_json *item = list->of.members.first; item != NULL; item = item->next) {
    const pi_json *text = pi_text_in(form, item);
    bool is_text = text != NULL && text->type == PI_JSON_STRING;
    position++;
    if (text == item && is_text && !pi_is_blank(text->of.string)) {
      continue;
    }
    char at[200];
    pi_format(at, sizeof at, "%s, %s %zu", place, kind, position);
    if (text != item && !pi_check_keys(form, item, "text", at)) {
      return false;
    }
    if (!is_text || pi_is_blank(text->of.string)) {
      return pi_fail(form->error, PINTENT_ERROR_TEMPLATES, "%s is %s; write a text%s", at,
                     is_text ? "empty or invisible" : pi_kind_of(text),
                     is_text ? ", or remove it" : " in quotes");
    }
  }
  return true;
}

/* Checks a list that may be missing, under a key of the set or of an intent. */
static bool pi_check_list(const pi_set_form *form, const pi_json *object, const char *key,
                          const char *place, const char *kind, size_t *count) {
  const pi_json *list = pi_json_get(object, key);
  char named[20];
  if (list == NULL) {
    return true;
  }
  if (list->type != PI_JSON_ARRAY) {
    return pi_bad_value(form, place, key, pi_kind_of(list), PI_WRITE_A_LIST);
  }
  pi_format(named, sizeof named, "'%s'", key);
  return pi_check_texts(form, list, *place == '\0' ? named : place, kind, count);
}

static bool pi_check_templates(const pi_set_form *form, const pi_json *list, const char *place) {
  bool is_missing = list == NULL || list->type == PI_JSON_NULL;
  if (is_missing || list->type != PI_JSON_ARRAY) {
    return pi_fail(form->error, PINTENT_ERROR_TEMPLATES, "%s has %s%s; write " PI_WRITE_A_LIST,
                   place, is_missing ? "no list of templates" : pi_kind_of(list),
                   is_missing ? "" : " as templates");
  }
  if (list->of.members.count == 0) {
    return pi_fail(form->error, PINTENT_ERROR_TEMPLATES,
                   "%s has no templates; write at least one", place);
  }
  return pi_check_texts(form, list, place, "template", &form->templates->num_templates);
}

/* Checks an intent, and counts its texts. */
static bool pi_check_intent(const pi_set_form *form, const pi_json *intent) {
  char place[128];
  double threshold;
  if (form->is_short && intent->type != PI_JSON_ARRAY && pi_is_listed(intent->key, pi_set_keys)) {
    return pi_fail(form->error, PINTENT_ERROR_TEMPLATES,
                   "'%.*s' is %s; a set with settings has its intents in an object: "
                   "{\"intents\": {\"lights_on\": {\"templates\": [\"...\"]}}}",
                   PI_SHOWN(intent->key), pi_kind_of(intent));
  }
  pintent_text name = pi_for_message(intent->key);
  pi_format(place, sizeof place, "intent '%.*s'", PI_SHOWN(name));
  if (pi_is_blank(intent->key)) {
    return pi_fail(form->error, PINTENT_ERROR_TEMPLATES,
                   "%s: the name is empty, invisible or not valid text; give it a name", place);
  }
  if (form->is_short) {
    return pi_check_templates(form, intent, place);
  }
  if (intent->type != PI_JSON_OBJECT) {
    return pi_fail(form->error, PINTENT_ERROR_TEMPLATES,
                   "%s is %s; write {\"templates\": [\"...\", \"...\"]}", place,
                   pi_kind_of(intent));
  }
  return pi_check_keys(form, intent, "templates, except, threshold", place) &&
         pi_check_templates(form, pi_json_get(intent, "templates"), place) &&
         pi_check_list(form, intent, "except", place, "counter-example",
                       &form->templates->num_counter_examples) &&
         pi_read_limit(form, intent, "threshold", -1, 1, place, &threshold);
}

/* Checks what belongs to no intent but the texts, and notes it. */
static bool pi_check_head(const pi_set_form *form, const pi_json *set) {
  static const char *const keys[] = {"$schema", "language"};
  pi_templates *templates = form->templates;
  if (!form->is_short && !pi_check_keys(form, set, pi_set_keys, "")) {
    return false;
  }
  for (int n = 0; n < (form->is_short ? 1 : 2); n++) {
    const pi_json *value = pi_json_get(set, keys[n]);
    bool is_text = value != NULL && value->type == PI_JSON_STRING;
    if (is_text ? value->of.string.size == 0 : value != NULL && value->type != PI_JSON_NULL) {
      return pi_bad_value(form, "", keys[n], is_text ? "empty or not valid text" : pi_kind_of(value),
                          "a text, or remove it");
    }
  }
  const pi_json *learn = form->is_short ? NULL : pi_json_get(set, "learn_names");
  templates->learns_names = learn == NULL || learn->type == PI_JSON_TRUE;
  if (form->is_short) {
    return true;
  }
  if (!pi_read_limit(form, set, "threshold", -1, 1, "", &templates->threshold) ||
      !pi_read_limit(form, set, "margin", 0, 2, "", &templates->margin)) {
    return false;
  }
  return learn == NULL || learn->type == PI_JSON_TRUE || learn->type == PI_JSON_FALSE ||
         pi_bad_value(form, "", "learn_names", pi_kind_of(learn), "true or false");
}

/* Checks a set in any of the forms, and counts its texts. */
static bool pi_check_set(pi_set_form *form, const pi_json *set) {
  pi_templates *templates = form->templates;
  if (set->type != PI_JSON_OBJECT) {
    return pi_fail(form->error, PINTENT_ERROR_TEMPLATES,
                   "the top level is %s; write an object with intents", pi_kind_of(set));
  }
  form->intents = pi_json_get(set, "intents");
  form->is_short = !pi_json_is_object(form->intents);
  form->intents = form->is_short ? set : form->intents;
  templates->threshold = 0.5;
  if (!pi_check_head(form, set)) {
    return false;
  }
  for (const pi_json *intent = form->intents->of.members.first; intent != NULL;
       intent = intent->next) {
    if (pi_is_intent(form, intent)) {
      templates->num_intents++;
      if (!pi_check_intent(form, intent)) {
        return false;
      }
    }
  }
  return form->is_short ||
         (pi_check_list(form, set, "none", "", "text", &templates->num_counter_examples) &&
          pi_check_list(form, set, "background", "", "text", &templates->num_background));
}
