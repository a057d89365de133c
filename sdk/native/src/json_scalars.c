/* Strings, numbers and words of JSON. */

#include "json.h"

typedef struct pi_json_reader {
  pi_arena *arena;
  const char *text;
  size_t size, place;
  pi_json_rules rules;
  pi_error *error;
} pi_json_reader;

static bool pi_json_fail(pi_json_reader *reader, const char *what) {
  size_t line = 1, column = 1;
  if (!reader->rules.is_given) {
    return pi_fail(reader->error, PINTENT_ERROR_MODEL, "%s at byte %zu", what, reader->place);
  }
  for (size_t n = 0; n < reader->place && n < reader->size; n++) {
    bool ends_line = reader->text[n] == '\n';
    line += ends_line;
    column = ends_line ? 1 : column + ((reader->text[n] & 0xC0) != 0x80);
  }
  return pi_fail(reader->error, PINTENT_ERROR_TEMPLATES,
                 "not JSON at line %zu, column %zu: %s; names and texts stand in double quotes, "
                 "with a comma between two of them and none after the last",
                 line, column, what);
}

static void pi_json_skip_space(pi_json_reader *reader) {
  while (reader->place < reader->size) {
    char c = reader->text[reader->place];
    if (c != ' ' && c != '\t' && c != '\n' && c != '\r') {
      return;
    }
    reader->place++;
  }
}

/* The character at the place; 0 at the end, which is no character of JSON outside strings. */
static char pi_json_peek(const pi_json_reader *reader) {
  return reader->place < reader->size ? reader->text[reader->place] : '\0';
}

static bool pi_json_hex(pi_json_reader *reader, uint32_t *value) {
  *value = 0;
  for (int n = 0; n < 4; n++, reader->place++) {
    char c = pi_json_peek(reader);
    uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                     : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10)
                     : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A' + 10)
                                            : 16;
    if (digit == 16) {
      return pi_json_fail(reader, "an escape without four digits");
    }
    *value = *value << 4 | digit;
  }
  return true;
}

/* Writes the UTF-8 of a code point, of half a surrogate pair in three bytes; the number of bytes. */
static size_t pi_write_point(uint32_t point, char *data) {
  if (point < 0x80) {
    data[0] = (char)point;
    return 1;
  }
  if (point < 0x800) {
    data[0] = (char)(0xC0 | point >> 6);
    data[1] = (char)(0x80 | (point & 0x3F));
    return 2;
  }
  if (point < 0x10000) {
    data[0] = (char)(0xE0 | point >> 12);
    data[1] = (char)(0x80 | (point >> 6 & 0x3F));
    data[2] = (char)(0x80 | (point & 0x3F));
    return 3;
  }
  data[0] = (char)(0xF0 | point >> 18);
  data[1] = (char)(0x80 | (point >> 12 & 0x3F));
  data[2] = (char)(0x80 | (point >> 6 & 0x3F));
  data[3] = (char)(0x80 | (point & 0x3F));
  return 4;
}

/* Reads an escape after its backslash, and writes what it stands for. */
static bool pi_json_escape(pi_json_reader *reader, char *data, size_t *size, bool *has_surrogate) {
  static const char signs[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
  char c = pi_json_peek(reader);
  const char *sign = c == '\0' ? NULL : strchr(signs, c);
  if (sign != NULL) {
    reader->place++;
    data[(*size)++] = meanings[sign - signs];
    return true;
  }
  if (c != 'u') {
    return pi_json_fail(reader, "an unknown escape");
  }
  reader->place++;
  uint32_t point = 0, second = 0;
  if (!pi_json_hex(reader, &point)) {
    return false;
  }
  if (point >= 0xD800 && point < 0xDC00 && reader->size - reader->place >= 6 &&
      reader->text[reader->place] == '\\' && reader->text[reader->place + 1] == 'u') {
    size_t start = reader->place;
    reader->place += 2;
    if (!pi_json_hex(reader, &second)) {
      return false;
    }
    if (second >= 0xDC00 && second < 0xE000) {
      point = 0x10000 + ((point - 0xD800) << 10) + (second - 0xDC00);
    } else {
      reader->place = start;
    }
  }
  if (point >= 0xD800 && point < 0xE000) {
    if (reader->rules.is_strict) {
      return pi_json_fail(reader, "half of a surrogate pair");
    }
    *has_surrogate = true;
  }
  *size += pi_write_point(point, data + *size);
  return true;
}

static size_t pi_json_plain(const char *text, size_t size) {
  size_t n = 0;
  for (; n + 8 <= size; n += 8) {
    uint64_t eight;
    memcpy(&eight, text + n, sizeof eight);
    uint64_t special = pi_bytes_below(eight, ' ') | pi_bytes_below(eight ^ pi_eight('"'), 1) |
                       pi_bytes_below(eight ^ pi_eight('\\'), 1);
    if (special != 0) {
      return n + pi_lowest_byte(special);
    }
  }
  for (; n < size; n++) {
    unsigned char c = (unsigned char)text[n];
    if (c < ' ' || c == '"' || c == '\\') {
      break;
    }
  }
  return n;
}

static bool pi_json_string(pi_json_reader *reader, pintent_text *text, bool *has_surrogate) {
  size_t start = ++reader->place, end = start;
  bool has_escape = false;
  for (;;) {
    end += end < reader->size ? pi_json_plain(reader->text + end, reader->size - end) : 0;
    if (end >= reader->size || reader->text[end] == '"') {
      break;
    }
    if (reader->text[end] != '\\') {
      reader->place = end;
      return pi_json_fail(reader, "a control character in a string");
    }
    has_escape = true;
    end += 2;
  }
  if (end >= reader->size) {
    return pi_json_fail(reader, "a string without an end");
  }
  text->data = reader->text + start;
  text->size = end - start;
  if (has_escape) { /* no escape is shorter than what it stands for */
    char *data = pi_arena_raw(reader->arena, end - start, 1);
    if (data == NULL) {
      return pi_fail(reader->error, PINTENT_ERROR_MEMORY, "there is no memory for JSON");
    }
    size_t size = 0;
    while (reader->place < end) {
      size_t plain = pi_json_plain(reader->text + reader->place, end - reader->place);
      memcpy(data + size, reader->text + reader->place, plain);
      size += plain;
      reader->place += plain + 1; /* behind the backslash, or the quote at the end */
      if (reader->place <= end && !pi_json_escape(reader, data, &size, has_surrogate)) {
        return false;
      }
    }
    text->data = data;
    text->size = size;
  }
  reader->place = end + 1;
  return true;
}

static bool pi_json_read_number(pi_json_reader *reader, pi_json *value) {
  enum { most_digits = 4300 }; /* of a whole number, as in Python */
  size_t start = reader->place;
  value->is_negative = pi_json_peek(reader) == '-';
  reader->place += value->is_negative;
  size_t first = reader->place;
  while (pi_json_peek(reader) >= '0' && pi_json_peek(reader) <= '9') {
    reader->place++;
  }
  size_t digits = reader->place - first;
  if (digits == 0 || (digits > 1 && reader->text[first] == '0')) {
    return pi_json_fail(reader, "a value that is none");
  }
  bool is_whole = true;
  for (int part = 0; part < 2; part++) {
    char c = pi_json_peek(reader);
    if (part == 0 ? c != '.' : c != 'e' && c != 'E') {
      continue;
    }
    reader->place++;
    if (part == 1 && (pi_json_peek(reader) == '-' || pi_json_peek(reader) == '+')) {
      reader->place++;
    }
    size_t from = reader->place;
    while (pi_json_peek(reader) >= '0' && pi_json_peek(reader) <= '9') {
      reader->place++;
    }
    if (reader->place == from) {
      return pi_json_fail(reader, "a number without its digits");
    }
    is_whole = false;
  }
  if (is_whole) {
    if (digits > most_digits) {
      return pi_json_fail(reader, "a whole number with too many digits");
    }
    value->type = PI_JSON_INTEGER;
    for (size_t n = first; n < first + digits; n++) {
      uint64_t digit = (uint64_t)(reader->text[n] - '0');
      value->is_large |= value->of.integer > (UINT64_MAX - digit) / 10;
      value->of.integer = 10 * value->of.integer + digit;
    }
    value->is_large |= value->is_negative && value->of.integer > (uint64_t)1 << 63;
    if (!value->is_large || !reader->rules.is_strict) {
      return true;
    }
  }
  value->type = PI_JSON_FLOAT;
  value->of.number = pi_read_double(reader->text + start, reader->place - start);
  if (reader->rules.is_strict && value->of.number - value->of.number != 0) {
    return pi_json_fail(reader, "a number beyond the range");
  }
  return true;
}

static bool pi_json_word(pi_json_reader *reader, pi_json *value) {
  static const char *const words[] = {"null", "false", "true"};
  for (int n = 0; n < 3; n++) {
    size_t size = strlen(words[n]);
    if (reader->size - reader->place >= size &&
        memcmp(reader->text + reader->place, words[n], size) == 0) {
      value->type = (pi_json_type)n;
      reader->place += size;
      return true;
    }
  }
  return pi_json_fail(reader, "a value that is none");
}
