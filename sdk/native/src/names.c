/* The names of intents, from which `logistic` learns: docs/recognition.md. */

#include "edit.h"

/* Whether a code point is a capital letter, or a small one, as Python's `isupper` and `islower` tell;
 * a few letters break the rule, and have their case in the table. */
static bool pi_has_case(uint32_t point, bool is_capital) {
  enum { cased = 1, capital = 1, small = 2 };
  uint32_t given = pi_properties_of(point) >> 5 & 3;
  if (given != 0) {
    return given == (is_capital ? capital : small);
  }
  bool has_lower = pi_lower(point) != point || point == 0x130;
  return is_capital ? has_lower : !has_lower && pi_sigma_case(point) == cased;
}

/* Writes the name of an intent as a text, with a space before a capital that begins a word in it: of
 * `cardArrival` and `openURLAgain`. It takes at most twice the bytes. */
static size_t pi_words_of_name(pintent_text name, char *text) {
  size_t size = 0, place = 0, start = 0;
  uint32_t before = 0, point = name.size > 0 ? pi_next_point(name.data, name.size, &place) : 0;
  for (size_t count = 0; start < name.size && count < PI_MAX_CHARS; count++) {
    size_t end = place;
    uint32_t after = end < name.size ? pi_next_point(name.data, name.size, &place) : ' ';
    after = count + 1 < PI_MAX_CHARS ? after : ' ';
    if (count > 0 && pi_has_case(point, true) &&
        (pi_has_case(before, false) || (pi_has_case(before, true) && pi_has_case(after, false)))) {
      text[size++] = ' ';
    }
    memcpy(text + size, name.data + start, end - start);
    size += end - start;
    start = end;
    before = point;
    point = after;
  }
  return size;
}
