/* What is asked of a JSON tree: values by key, numbers, and the canonical form. */

#include <math.h>

#include "json.h"

static const pi_json *pi_json_get(const pi_json *object, const char *key) {
  if (!pi_json_is_object(object)) {
    return NULL;
  }
  pintent_text wanted = pi_text_of(key);
  size_t low = 0, high = object->of.members.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = pi_order(object->of.members.sorted[middle]->key, wanted);
    if (order == 0) {
      return object->of.members.sorted[middle];
    }
    low = order < 0 ? middle + 1 : low;
    high = order < 0 ? high : middle;
  }
  return NULL;
}

static bool pi_json_count(const pi_json *value, uint64_t least, uint64_t most, size_t *count) {
  if (value == NULL || value->type != PI_JSON_INTEGER || value->is_large ||
      (value->is_negative && value->of.integer != 0) || value->of.integer < least ||
      value->of.integer > most || value->of.integer > SIZE_MAX) {
    return false;
  }
  *count = (size_t)value->of.integer;
  return true;
}

static bool pi_json_number(const pi_json *value, double *number) {
  if (value == NULL || (value->type != PI_JSON_INTEGER && value->type != PI_JSON_FLOAT)) {
    return false;
  }
  if (value->type == PI_JSON_FLOAT) {
    *number = value->of.number;
  } else { /* an integer of more than 64 bits is beyond all limits that numbers have here */
    double magnitude = value->is_large ? 1e30 : (double)value->of.integer;
    *number = value->is_negative ? -magnitude : magnitude;
  }
  return true;
}

/* Writes what stands in a string for a character that cannot stand for itself. */
static size_t pi_json_escaped(unsigned char c, char *escape, size_t size) {
  static const char controls[] = "\b\t\n\f\r", letters[] = "btnfr";
  const char *control = c == '\0' ? NULL : strchr(controls, c);
  if (control != NULL) {
    return pi_format(escape, size, "\\%c", letters[control - controls]);
  }
  return pi_format(escape, size, c < ' ' ? "\\u%04x" : "\\%c", c);
}

static void pi_json_write_string(pintent_text text, pi_sink_bytes sink, void *context) {
  sink(context, "\"", 1);
  for (size_t start = 0; start < text.size; start++) {
    char escape[8];
    size_t plain = pi_json_plain(text.data + start, text.size - start);
    if (plain > 0) {
      sink(context, text.data + start, plain);
      start += plain;
    }
    if (start < text.size) {
      unsigned char c = (unsigned char)text.data[start];
      sink(context, escape, pi_json_escaped(c, escape, sizeof escape));
    }
  }
  sink(context, "\"", 1);
}

static bool pi_json_write_scalar(const pi_json *value, pi_sink_bytes sink, void *context) {
  char text[PI_NUMBER_SIZE];
  size_t size = 0;
  switch (value->type) {
    case PI_JSON_FALSE:
      sink(context, "false", 5);
      return true;
    case PI_JSON_TRUE:
      sink(context, "true", 4);
      return true;
    case PI_JSON_STRING:
      pi_json_write_string(value->of.string, sink, context);
      return !value->has_surrogate;
    case PI_JSON_INTEGER:
      if (value->is_negative && value->of.integer != 0) {
        text[size++] = '-';
      }
      size += pi_format(text + size, sizeof text - size, "%llu",
                        (unsigned long long)value->of.integer);
      sink(context, text, size);
      return !value->is_large;
    case PI_JSON_FLOAT:
      if (isfinite(value->of.number)) {
        sink(context, text, pi_write_double(value->of.number, text));
        return true;
      }
      break;
    default:
      break;
  }
  sink(context, "null", 4);
  return true;
}

/* The depth is bounded by that of the reader, and each level takes little of the stack. */
static bool pi_json_write(const pi_json *value, const char *without, pi_sink_bytes sink,
                          void *context) {
  bool is_object = value->type == PI_JSON_OBJECT;
  if (!is_object && value->type != PI_JSON_ARRAY) {
    return pi_json_write_scalar(value, sink, context);
  }
  bool is_complete = true, is_first = true;
  const pi_json *member = value->of.members.first;
  sink(context, is_object ? "{" : "[", 1);
  for (size_t n = 0; n < value->of.members.count; n++) {
    const pi_json *item = is_object ? value->of.members.sorted[n] : member;
    member = is_object ? NULL : member->next;
    if (is_object && without != NULL && pi_is(item->key, without)) {
      continue;
    }
    if (!is_first) {
      sink(context, ",", 1);
    }
    is_first = false;
    if (is_object) {
      pi_json_write_string(item->key, sink, context);
      sink(context, ":", 1);
      is_complete &= !item->has_surrogate;
    }
    is_complete &= pi_json_write(item, NULL, sink, context);
  }
  sink(context, is_object ? "}" : "]", 1);
  return is_complete;
}
