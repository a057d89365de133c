/* Another template set for a bot: its JSON, and which intents of the old one stay as they were. */

#include "edit.h"

/* Checks the encoding line by line, so that a line can be named. */
static bool pi_check_encoding(pintent_text text, pi_error *error) {
  size_t line = 1, start = 0;
  for (; start < text.size; line++) {
    const char *first = text.data + start, *end = memchr(first, '\n', text.size - start);
    size_t size = end == NULL ? text.size - start : (size_t)(end - first);
    if (!pi_is_utf8(first, size)) {
      return pi_fail(error, PINTENT_ERROR_TEMPLATES,
                     "line %zu is not UTF-8; save the file as UTF-8", line);
    }
    start += size + 1;
  }
  return true;
}

/* Reads the JSON of a set twice: as JSON, then for keys that are repeated, as Python does. */
static const pi_json *pi_read_given(pintent_text text, pi_arena *scratch, pi_error *error) {
  pi_json_rules rules = {PI_GIVEN_DEPTH, true, true, true};
  size_t space = 0;
  if (pi_starts(text, "\xEF\xBB\xBF")) { /* the mark that some editors begin a file with */
    text.data += 3;
    text.size -= 3;
  }
  while (space < text.size && strchr(" \t\r\n", text.data[space]) != NULL) {
    space++;
  }
  if (space == text.size) {
    pi_fail(error, PINTENT_ERROR_TEMPLATES,
            "the text is empty; write {\"lights_on\": [\"turn on the lights\"]}");
    return NULL;
  }
  if (!pi_check_encoding(text, error) ||
      pi_json_read(scratch, text.data, text.size, rules, error) == NULL) {
    return NULL;
  }
  rules.keeps_last = false;
  return pi_json_read(scratch, text.data, text.size, rules, error);
}

/* Makes the set of the new bot from the JSON that is given. */
static bool pi_read_new_set(pi_edit *edit) {
  pintent_bot *bot = edit->bot;
  const pi_json *set = pi_read_given(edit->change.set, &edit->scratch, edit->error);
  bool is_read = set != NULL && pi_store_set(set, &bot->shared->content, &bot->arena,
                                             &bot->templates, edit->error);
  if (!is_read) {
    pi_prefix(edit->error, "templates: ");
  }
  return is_read;
}

/* Whether the old rows may stay: they are vectors, or codes of the model's own codebook, which the
 * new index begins with. */
static bool pi_may_keep_rows(const pi_edit *edit) {
  const pi_matrix *old = &edit->old->index.rows, *rows = &edit->bot->index.rows;
  size_t books = rows->step == 0 ? 1 : rows->num_sub;
  size_t size = books * rows->codebook_size * rows->sub_dim * sizeof *rows->codebook;
  return !edit->bot->index.is_table ||
         (old->codebook != NULL && rows->codebook != NULL && old->step == rows->step &&
          old->codebook_size == rows->codebook_size && old->sub_dim == rows->sub_dim &&
          memcmp(old->codebook, rows->codebook, size) == 0);
}

/* The position that an intent of a new set had with the same templates; PI_NONE for another. */
static size_t pi_same_position(const pi_edit *edit, size_t intent) {
  const pi_templates *old = &edit->old->templates, *set = &edit->bot->templates;
  size_t position = pi_find_intent(old, set->names[intent]);
  size_t first = set->bounds[intent], count = set->bounds[intent + 1] - first;
  if (position == old->num_intents ||
      old->bounds[position + 1] - old->bounds[position] != count) {
    return PI_NONE;
  }
  for (size_t n = 0; n < count; n++) {
    if (!pi_same(old->texts[old->bounds[position] + n], set->texts[first + n])) {
      return PI_NONE;
    }
  }
  return position;
}
