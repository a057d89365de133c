/* Edits of a template set: `TemplateSet.add_intent` and `remove_intent` of Python. */

#include "edit.h"

static bool pi_refuse(pi_error *error, pintent_text name, const char *what) {
  pintent_text shown = pi_for_message(name);
  return pi_fail(error, PINTENT_ERROR_TEMPLATES, "add_intent: intent '%.*s'%s", PI_SHOWN(shown),
                 what);
}

/* Checks texts that are added; `kind` is what they are. */
static bool pi_check_added(pintent_text name, const pintent_text *texts, size_t count,
                           const char *kind, pi_error *error) {
  for (size_t n = 0; n < count; n++) {
    bool is_text = pi_is_utf8(texts[n].data, texts[n].size);
    if (!is_text || pi_is_blank(texts[n])) {
      char what[80];
      pi_format(what, sizeof what, ", %s %zu is %s; write a text, or remove it", kind, n + 1,
                is_text ? "empty or invisible" : "not UTF-8");
      return pi_refuse(error, name, what);
    }
  }
  return true;
}

/* Checks what is added to an intent, which may be a new one, in the order of Python's checks. */
static bool pi_check_addition(const pintent_addition *added, bool is_new, pi_error *error) {
  pintent_text name = added->name;
  bool has_rest = added->num_counter_examples > 0 || added->has_threshold;
  if (!pi_is_utf8(name.data, name.size) || pi_is_blank(name)) {
    return pi_refuse(error, name,
                     ": the name is empty, invisible or not valid text; give it a name");
  }
  if (added->num_templates == 0 && (is_new || !has_rest)) {
    return pi_refuse(error, name, " has no templates; write at least one");
  }
  if (!pi_check_added(name, added->templates, added->num_templates, "template", error) ||
      !pi_check_added(name, added->counter_examples, added->num_counter_examples,
                      "counter-example", error)) {
    return false;
  }
  return !added->has_threshold || (added->threshold >= -1 && added->threshold <= 1) ||
         pi_refuse(error, name, ": 'threshold' is not a number from -1 to 1");
}

/* The position of an intent in a set; the number of intents if there is none. */
static size_t pi_find_intent(const pi_templates *templates, pintent_text name) {
  size_t n = 0;
  while (n < templates->num_intents && !pi_same(templates->names[n], name)) {
    n++;
  }
  return n;
}

static bool pi_no_such_intent(const pi_templates *templates, pintent_text name, pi_error *error) {
  char known[300] = "none";
  size_t used = 0;
  pintent_text given = pi_for_message(name);
  for (size_t n = 0; n < templates->num_intents && used < sizeof known; n++) {
    pintent_text shown = pi_for_message(templates->names[n]);
    used += pi_format(known + used, sizeof known - used, "%s%.*s", n == 0 ? "" : ", ",
                      PI_SHOWN(shown));
  }
  return pi_fail(error, PINTENT_ERROR_TEMPLATES, "no intent '%.*s'; known: %s", PI_SHOWN(given),
                 known);
}

/* Where the next texts of the new set go. */
typedef struct pi_set_writer {
  pi_edit *edit;
  size_t intents, texts, exceptions;
} pi_set_writer;

static pintent_text pi_keep_edited(pi_edit *edit, pintent_text text) {
  return pi_keep(&edit->bot->shared->content, &edit->bot->arena, text, edit->error);
}

static void pi_add_texts(pi_set_writer *writer, const pintent_text *texts, size_t count) {
  for (size_t n = 0; n < count; n++) {
    writer->edit->bot->templates.texts[writer->texts++] = pi_keep_edited(writer->edit, texts[n]);
  }
}

static void pi_add_exception(pi_set_writer *writer, pintent_text text, int64_t intent) {
  pi_counter_example *stored =
      &writer->edit->bot->templates.counter_examples[writer->exceptions++];
  stored->text = pi_keep_edited(writer->edit, text);
  stored->intent = intent;
}

/* Writes an intent: what it had, from `place` on among the old counter-examples, and what is added. */
static void pi_write_intent(pi_set_writer *writer, size_t position, const pintent_addition *added,
                            size_t *place) {
  const pi_templates *old = &writer->edit->old->templates;
  pi_templates *set = &writer->edit->bot->templates;
  size_t intent = writer->intents++;
  bool is_old = position < old->num_intents;
  set->names[intent] = pi_keep_edited(writer->edit, is_old ? old->names[position] : added->name);
  set->has_own[intent] = is_old && old->has_own[position];
  set->thresholds[intent] = is_old ? old->thresholds[position] : set->threshold;
  if (is_old) {
    pi_add_texts(writer, old->texts + old->bounds[position],
                 old->bounds[position + 1] - old->bounds[position]);
  }
  for (; *place < old->num_counter_examples &&
         old->counter_examples[*place].intent == (int64_t)position;
       ++*place) {
    pi_add_exception(writer, old->counter_examples[*place].text, (int64_t)intent);
  }
  if (added != NULL) {
    pi_add_texts(writer, added->templates, added->num_templates);
    for (size_t n = 0; n < added->num_counter_examples; n++) {
      pi_add_exception(writer, added->counter_examples[n], (int64_t)intent);
    }
    set->has_own[intent] |= added->has_threshold != 0;
    set->thresholds[intent] = added->has_threshold ? added->threshold : set->thresholds[intent];
  }
  set->bounds[intent + 1] = writer->texts;
}

/* The numbers of the new set. */
static void pi_count_edited(const pi_edit *edit, pi_templates *set) {
  const pi_templates *old = &edit->old->templates;
  const pintent_addition *added = edit->change.addition;
  size_t position = edit->change.position;
  if (added != NULL) {
    set->num_intents += position == old->num_intents;
    set->num_templates += added->num_templates;
    set->num_counter_examples += added->num_counter_examples;
    return;
  }
  set->num_intents--;
  set->num_templates -= old->bounds[position + 1] - old->bounds[position];
  for (size_t n = 0; n < old->num_counter_examples; n++) {
    set->num_counter_examples -= old->counter_examples[n].intent == (int64_t)position;
  }
}

/* Makes the set of the new bot. */
static bool pi_edit_templates(pi_edit *edit) {
  const pi_templates *old = &edit->old->templates;
  pi_templates *set = &edit->bot->templates;
  pi_set_writer writer = {edit, 0, 0, 0};
  size_t place = 0;
  *set = *old;
  pi_count_edited(edit, set);
  if (!pi_take_templates(set, &edit->bot->arena, edit->error)) {
    return false;
  }
  set->schema = pi_keep_edited(edit, old->schema);
  set->language = pi_keep_edited(edit, old->language);
  for (size_t n = 0; n < old->num_background; n++) {
    set->background[n] = pi_keep_edited(edit, old->background[n]);
  }
  for (; place < old->num_counter_examples && old->counter_examples[place].intent == PI_ALL_INTENTS;
       place++) {
    pi_add_exception(&writer, old->counter_examples[place].text, PI_ALL_INTENTS);
  }
  for (size_t n = 0; n < old->num_intents + (set->num_intents > old->num_intents); n++) {
    bool is_changed = n == edit->change.position;
    if (!is_changed || edit->change.addition != NULL) {
      pi_write_intent(&writer, n, is_changed ? edit->change.addition : NULL, &place);
    } else {
      while (place < old->num_counter_examples &&
             old->counter_examples[place].intent == (int64_t)n) {
        place++;
      }
    }
  }
  return edit->error->status == PINTENT_OK;
}

/* Whether an edit leaves all texts as they were. */
static bool pi_keeps_texts(const pi_change *change) {
  return change->addition != NULL && change->addition->num_templates == 0 &&
         change->addition->num_counter_examples == 0;
}

/* The position that an intent of the new set had; PI_NONE for a new one. */
static size_t pi_old_position(const pi_edit *edit, size_t intent) {
  size_t position = edit->change.position;
  if (edit->change.addition == NULL) {
    return intent + (intent >= position);
  }
  return intent < edit->old->templates.num_intents ? intent : PI_NONE;
}

/* The intent of the new set whose templates are not the old ones; PI_NONE if there is none. */
static size_t pi_changed_intent(const pi_edit *edit) {
  const pintent_addition *added = edit->change.addition;
  return added != NULL && added->num_templates > 0 ? edit->change.position : PI_NONE;
}
