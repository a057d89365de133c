/* The JSON reader: a loop over the text, which needs no stack of its own. */

#include "json.h"

static bool pi_json_is_before(const void *context, size_t one, size_t other) {
  pi_json *const *members = context;
  int order = pi_order(members[one]->key, members[other]->key);
  return order < 0 || (order == 0 && one < other);
}

/* Brings the values of an object, which are in `sorted`, into the order of their keys; of those with
 * equal keys one is left, or it is an error. */
static bool pi_json_sort(pi_json_reader *reader, pi_json *object, pi_json **sorted) {
  size_t count = object->of.members.count;
  pi_json **members = pi_take(reader->arena, count, sizeof *members, reader->error);
  size_t *order = pi_take(reader->arena, count, sizeof *order, reader->error);
  if (members == NULL || order == NULL) {
    return false;
  }
  for (size_t n = 0; n < count; n++) {
    order[n] = n;
    members[n] = sorted[n];
  }
  pi_sort(order, count, pi_json_is_before, members);
  size_t kept = 0, repeated = count;
  for (size_t n = 0; n < count; n++) {
    pi_json *member = members[order[n]];
    if (kept == 0 || !pi_same(sorted[kept - 1]->key, member->key)) {
      sorted[kept++] = member;
    } else if (!reader->rules.keeps_last) {
      repeated = order[n] < repeated ? order[n] : repeated;
    } else { /* the first place, with the last value */
      pi_json *first = sorted[kept - 1], *next = first->next;
      pintent_text key = first->key;
      *first = *member;
      first->key = key;
      first->next = next;
      members[order[n]] = NULL;
    }
  }
  if (repeated < count) {
    return pi_fail(reader->error,
                   reader->rules.is_given ? PINTENT_ERROR_TEMPLATES : PINTENT_ERROR_MODEL,
                   "'%.*s' appears twice in one object; merge the two",
                   PI_SHOWN(members[repeated]->key));
  }
  if (kept < count) {
    pi_json **link = &object->of.members.first;
    for (size_t n = 0; n < count; n++) {
      if (members[n] != NULL) {
        *link = members[n];
        link = &members[n]->next;
      }
    }
    *link = NULL;
  }
  object->of.members.count = kept;
  return true;
}

/* Sorts the keys of an object that is read, and finds those that are repeated. */
static bool pi_json_close_object(pi_json_reader *reader, pi_json *object) {
  pi_json **sorted =
      pi_take(reader->arena, object->of.members.count, sizeof *sorted, reader->error);
  if (sorted == NULL) {
    return false;
  }
  bool is_sorted = true;
  size_t count = 0;
  for (pi_json *member = object->of.members.first; member != NULL; member = member->next) {
    is_sorted = is_sorted && (count == 0 || pi_order(sorted[count - 1]->key, member->key) < 0);
    sorted[count++] = member;
  }
  object->of.members.sorted = sorted;
  return is_sorted || pi_json_sort(reader, object, sorted);
}

/* Reads the key of an object's next member. */
static bool pi_json_key(pi_json_reader *reader, pi_json *value) {
  if (pi_json_peek(reader) != '"') {
    return pi_json_fail(reader, "a key that is no string");
  }
  if (!pi_json_string(reader, &value->key, &value->has_surrogate)) {
    return false;
  }
  pi_json_skip_space(reader);
  if (pi_json_peek(reader) != ':') {
    return pi_json_fail(reader, "a key without a colon");
  }
  reader->place++;
  pi_json_skip_space(reader);
  return true;
}

/* Adds a value to the container that is read, with its key if that is an object. */
static pi_json *pi_json_begin(pi_json_reader *reader, pi_json *parent) {
  static const pi_json nothing;
  pi_json *value = pi_arena_raw(reader->arena, 1, sizeof *value);
  if (value == NULL) {
    pi_fail(reader->error, PINTENT_ERROR_MEMORY, "there is no memory for JSON");
    return NULL;
  }
  *value = nothing;
  if (parent == NULL) {
    return value;
  }
  if (parent->type == PI_JSON_OBJECT && !pi_json_key(reader, value)) {
    return NULL;
  }
  if (parent->of.members.last == NULL) {
    parent->of.members.first = value;
  } else {
    parent->of.members.last->next = value;
  }
  parent->of.members.last = value;
  parent->of.members.count++;
  return value;
}

/* Reads what follows a complete value: a comma, or the end of containers. False at an error. */
static bool pi_json_follow(pi_json_reader *reader, pi_json **parent, int *depth) {
  while (*parent != NULL) {
    pi_json_skip_space(reader);
    char c = pi_json_peek(reader);
    bool is_object = (*parent)->type == PI_JSON_OBJECT;
    if (c == ',') {
      reader->place++;
      pi_json_skip_space(reader);
      return true;
    }
    if (c != (is_object ? '}' : ']')) {
      return pi_json_fail(reader, "neither a comma nor the end of a list or object");
    }
    pi_json *closed = *parent;
    reader->place++;
    *parent = closed->of.members.outer;
    --*depth;
    if (is_object && !pi_json_close_object(reader, closed)) {
      return false;
    }
  }
  return true;
}

static pi_json *pi_json_read(pi_arena *arena, const char *text, size_t size, pi_json_rules rules,
                             pi_error *error) {
  pi_json_reader reader = {arena, text, size, 0, rules, error};
  pi_json *root = NULL, *parent = NULL;
  int depth = 0;
  pi_json_skip_space(&reader);
  do {
    pi_json *value = pi_json_begin(&reader, parent);
    if (value == NULL) {
      return NULL;
    }
    root = root == NULL ? value : root;
    char c = pi_json_peek(&reader);
    if (c == '{' || c == '[') {
      value->type = c == '{' ? PI_JSON_OBJECT : PI_JSON_ARRAY;
      if (++depth > rules.max_depth) {
        pi_json_fail(&reader, "nested too deeply");
        return NULL;
      }
      reader.place++;
      value->of.members.outer = parent;
      parent = value;
      pi_json_skip_space(&reader);
      if (pi_json_peek(&reader) != (c == '{' ? '}' : ']')) {
        continue;
      }
    } else if (c == '"') {
      value->type = PI_JSON_STRING;
      if (!pi_json_string(&reader, &value->of.string, &value->has_surrogate)) {
        return NULL;
      }
    } else if (c == '-' || (c >= '0' && c <= '9')) {
      if (!pi_json_read_number(&reader, value)) {
        return NULL;
      }
    } else if (!pi_json_word(&reader, value)) {
      return NULL;
    }
    if (!pi_json_follow(&reader, &parent, &depth)) {
      return NULL;
    }
  } while (parent != NULL);
  pi_json_skip_space(&reader);
  if (reader.place != size) {
    pi_json_fail(&reader, "more than one value");
    return NULL;
  }
  return root;
}
