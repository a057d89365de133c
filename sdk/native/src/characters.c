/* From a text to the characters that a network reads: docs/charemb.md. */

#include "encoder.h"

/* The numbers of a text's characters while they are written. */
typedef struct pi_spelled {
  const pi_alphabet *alphabet;
  uint32_t *numbers;
  size_t count;
  bool is_after_space; /* which is written when a character follows it */
  bool ends_with_space, has_known;
} pi_spelled;

static bool pi_is_lower_point(const void *context, size_t one, size_t other) {
  const uint32_t *points = context;
  return points[one] < points[other];
}

/* Reads `characters` of the manifest and the tensor of this name. */
static bool pi_read_alphabet(const pi_file *file, pi_arena *arena, pi_arena *scratch,
                             pi_alphabet *alphabet, pi_error *error) {
  const pi_json *entry = pi_json_get(file->manifest, "characters");
  const pi_json *most = pi_json_get(entry, "max_chars");
  if (most == NULL || most->type != PI_JSON_INTEGER || most->is_negative ||
      (most->of.integer == 0 && !most->is_large) ||
      !pi_json_is_string(pi_json_get(entry, "normalisation"), "nfkc-lower-1")) {
    return pi_fail(error, PINTENT_ERROR_MODEL,
                   "the manifest's characters must have the normalisation nfkc-lower-1, and "
                   "max_chars of at least 1");
  }
  bool is_huge = most->is_large || most->of.integer > PI_MOST_NUMBERS;
  alphabet->most = is_huge ? PI_MOST_NUMBERS + 1 : (size_t)most->of.integer;
  const pi_tensor *tensor = pi_need_tensor(file, "characters", PI_U32, 1, NULL, error);
  if (tensor == NULL) {
    return false;
  }
  size_t count = alphabet->count = tensor->size;
  const uint32_t *points = (const uint32_t *)(const void *)tensor->data;
  size_t *order = pi_take(scratch, count, sizeof *order, error);
  alphabet->points = pi_take(arena, count, sizeof *alphabet->points, error);
  alphabet->numbers = pi_take(arena, count, sizeof *alphabet->numbers, error);
  if (error->status != PINTENT_OK) {
    return false;
  }
  for (size_t n = 0; n < count; n++) {
    order[n] = n;
  }
  pi_sort(order, count, pi_is_lower_point, points);
  for (size_t n = 0; n < count; n++) {
    alphabet->points[n] = points[order[n]];
    alphabet->numbers[n] = (uint32_t)order[n] + 1;
    if (n > 0 && alphabet->points[n] == alphabet->points[n - 1]) {
      return pi_fail(error, PINTENT_ERROR_MODEL,
                     "a character appears twice among the model's characters");
    }
  }
  if (count > 0 && alphabet->points[count - 1] > 0x10FFFF) {
    return pi_fail(error, PINTENT_ERROR_MODEL, "a character is not a code point of Unicode");
  }
  return true;
}

/* The most characters of one word or text: those that are read, if a text can have as many. */
static size_t pi_most_characters(const pi_alphabet *alphabet) {
  return alphabet->most < PI_MAX_POINTS ? alphabet->most : PI_MAX_POINTS;
}

static uint32_t pi_number_of(const pi_alphabet *alphabet, uint32_t point) {
  size_t low = 0, high = alphabet->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (alphabet->points[middle] == point) {
      return alphabet->numbers[middle];
    }
    low = alphabet->points[middle] < point ? middle + 1 : low;
    high = alphabet->points[middle] < point ? high : middle;
  }
  return 0;
}

static bool pi_is_space(uint32_t point) {
  if (point >= 0xD800 && point < 0xE000) {
    return true;
  }
  return pi_spaces[pi_find_range(pi_spaces, PI_COUNT(pi_spaces), point)] >> 21 != 0;
}

static void pi_spell_number(pi_spelled *to, uint32_t point) {
  if (to->count < to->alphabet->most) {
    uint32_t number = pi_number_of(to->alphabet, point);
    to->numbers[to->count++] = number;
    to->ends_with_space = point == ' ';
    to->has_known |= number != 0 && point != ' ';
  }
}

/* Writes the number of a code point in lower case; runs of spaces become one, and those at both ends
 * none. */
static void pi_spell_point(pi_spelled *to, uint32_t point) {
  if (pi_is_space(point)) {
    to->is_after_space = to->count > 0;
    return;
  }
  if (to->is_after_space) {
    pi_spell_number(to, ' ');
    to->is_after_space = false;
  }
  pi_spell_number(to, point);
}

/* Writes the numbers of a text's characters; how many there are, none without a known character.
 * `points` is room for PI_MAX_POINTS numbers. */
static size_t pi_spell(const pi_alphabet *alphabet, pintent_text text, uint32_t *points,
                       uint32_t *numbers) {
  pi_spelled to = {alphabet, numbers, 0, false, false, false};
  size_t ascii = pi_ascii_part(text.data, text.size);
  size_t count = ascii > 0 ? 0 : pi_read_points(text.data, text.size, points);
  for (size_t n = 0; n < ascii; n++) {
    pi_spell_point(&to, text.data[n] == '`' ? '\'' : pi_lower((unsigned char)text.data[n]));
  }
  for (size_t n = 0; n < count; n++) {
    if (points[n] == 0x130) {
      pi_spell_point(&to, 'i');
      pi_spell_point(&to, 0x307);
    } else {
      pi_spell_point(&to, pi_lower_in_text(points, count, n));
    }
  }
  return to.has_known ? to.count - to.ends_with_space : 0;
}
