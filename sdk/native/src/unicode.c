/* Unicode: UTF-8, the normal form NFKC, lower case, and the classes of the tokenizer. */

#include "base.h"
#include "unicode_tables.h"

#define PI_BAD_BYTE 0xD800u /* stands for a byte that is not UTF-8: a separator, as surrogates are */
#define PI_COUNT(array) (sizeof(array) / sizeof *(array))

/* Reads the code point at a place of UTF-8, and moves on; PI_BAD_BYTE for a byte that is none. */
static uint32_t pi_next_point(const char *text, size_t size, size_t *place) {
  const unsigned char *data = (const unsigned char *)text + *place;
  size_t left = size - *place;
  uint32_t lead = data[0];
  ++*place;
  if (lead < 0x80) {
    return lead;
  }
  size_t more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
  if (lead < 0xC2 || lead > 0xF4 || left <= more) {
    return PI_BAD_BYTE;
  }
  uint32_t point = lead & (0x3Fu >> more);
  for (size_t n = 1; n <= more; n++) {
    if ((data[n] & 0xC0) != 0x80) {
      return PI_BAD_BYTE;
    }
    point = point << 6 | (data[n] & 0x3Fu);
  }
  bool is_short = (more == 2 && point < 0x800) || (more == 3 && point < 0x10000);
  if (is_short || point > 0x10FFFF || (point >= 0xD800 && point < 0xE000)) {
    return PI_BAD_BYTE;
  }
  *place += more;
  return point;
}

/* Bytes at the beginning of a text that are ASCII. */
static size_t pi_ascii_size(const char *text, size_t size) {
  for (size_t n = 0; n < size; n += 8) {
    uint64_t others = pi_load_eight(text, size, n) & pi_eight(0x80);
    if (others != 0) {
      return n + pi_lowest_byte(others);
    }
  }
  return size;
}

/* Whether all bytes are UTF-8. */
static bool pi_is_utf8(const char *text, size_t size) {
  for (size_t place = 0; place < size;) {
    place += pi_ascii_size(text + place, size - place);
    if (place < size && pi_next_point(text, size, &place) == PI_BAD_BYTE) {
      return false;
    }
  }
  return true;
}

/* The position of the last number whose low 21 bits are at most a code point; the first is 0. */
static size_t pi_find_range(const uint32_t *ranges, size_t count, uint32_t point) {
  size_t low = 0, high = count;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if ((ranges[middle] & 0x1FFFFF) <= point) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

/* The class of a code point in the low three bits, then two bits of its case beside a sigma, and two
 * of its case where no rule gives it. */
static uint32_t pi_class_of(uint32_t point) {
  if (point >= 0xD800 && point < 0xE000) {
    return PI_SEPARATOR;
  }
  return pi_classes[pi_find_range(pi_classes, PI_COUNT(pi_classes), point)] >> 21;
}

static uint32_t pi_combining_class(uint32_t point) {
  if (point < 0x300) {
    return 0;
  }
  return pi_combining[pi_find_range(pi_combining, PI_COUNT(pi_combining), point)] >> 21;
}

/* The target of a code point in a table of runs; the point itself if it is in none. */
static uint32_t pi_map_by_runs(const uint32_t *firsts, const uint32_t *targets, size_t count,
                               uint32_t point) {
  size_t run = pi_find_range(firsts, count, point);
  uint32_t first = firsts[run] & 0x1FFFFF, length = firsts[run] >> 21 & 0xFF;
  uint32_t step = (firsts[run] >> 29) + 1, distance = point - first;
  if (point < first || distance >= length * step || distance % step != 0) {
    return point;
  }
  return targets[run] + distance;
}

/* The lower case of a code point, but for U+0130, which becomes two, and a final sigma. */
static uint32_t pi_lower(uint32_t point) {
  if (point < 0x80) {
    return point >= 'A' && point <= 'Z' ? point + 32 : point;
  }
  return pi_map_by_runs(pi_lower_first, pi_lower_target, PI_COUNT(pi_lower_first), point);
}

/* The position of a number in an ascending array, or the number of elements. */
static size_t pi_find_short(const uint16_t *array, size_t count, uint32_t number) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (array[middle] < number) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < count && array[low] == number ? low : count;
}

/* Writes the full compatibility decomposition of a code point; the number of code points. */
static size_t pi_decompose(uint32_t point, uint32_t *targets) {
  targets[0] = point;
  if (point < 0xA0) {
    return 1;
  }
  if (point >= 0xAC00 && point < 0xD7A4) { /* Hangul, by arithmetic */
    uint32_t index = point - 0xAC00;
    targets[0] = 0x1100 + index / 588;
    targets[1] = 0x1161 + index % 588 / 28;
    targets[2] = 0x11A7 + index % 28;
    return index % 28 == 0 ? 2 : 3;
  }
  size_t many = PI_COUNT(pi_many_point), place = many;
  if (point <= 0xFFFF) {
    size_t found = pi_find_short(pi_short_point, PI_COUNT(pi_short_point), point);
    if (found < PI_COUNT(pi_short_point)) {
      targets[0] = pi_short_target[found];
      return 1;
    }
    place = pi_find_short(pi_many_point, many, point);
  } else {
    size_t found = pi_find_range(pi_many_point_long, PI_COUNT(pi_many_point_long), point);
    place += pi_many_point_long[found] == point ? found : PI_COUNT(pi_many_point_long);
  }
  if (place == many + (point <= 0xFFFF ? 0 : PI_COUNT(pi_many_point_long))) {
    targets[0] = pi_map_by_runs(pi_single_first, pi_single_target, PI_COUNT(pi_single_first), point);
    return 1;
  }
  size_t count = 0;
  for (size_t n = pi_many_place[place]; n < pi_many_place[place + 1]; n++) {
    uint32_t unit = pi_many_pool[n];
    if (unit >= 0xD800 && unit < 0xDC00) {
      unit = 0x10000 + ((unit - 0xD800) << 10) + (pi_many_pool[++n] - 0xDC00u);
    }
    targets[count++] = unit;
  }
  return count;
}

/* The code point that two become together, or 0. */
static uint32_t pi_compose(uint32_t first, uint32_t second) {
  if (first - 0x1100 < 19 && second - 0x1161 < 21) {
    return 0xAC00 + ((first - 0x1100) * 21 + second - 0x1161) * 28;
  }
  if (first - 0xAC00 < 11172 && (first - 0xAC00) % 28 == 0 && second - 0x11A8 < 27) {
    return first + second - 0x11A7;
  }
  if (first > 0xFFFF) {
    for (size_t n = 0; n < PI_COUNT(pi_compose_long); n += 3) {
      if (pi_compose_long[n] == first && pi_compose_long[n + 1] == second) {
        return pi_compose_long[n + 2];
      }
    }
    return 0;
  }
  size_t low = 0, high = PI_COUNT(pi_compose_first);
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    uint32_t one = pi_compose_first[middle], two = pi_compose_second[middle];
    if (one == first && two == second) {
      return pi_compose_composed[middle];
    }
    if (one < first || (one == first && two < second)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return 0;
}

/* While a text is brought into its normal form, a code point has its combining class above it. */
enum { PI_CLASS_SHIFT = 21 };

/* Brings the marks from a place on into the canonical order, which is stable. */
static void pi_order_marks(uint32_t *points, size_t start, size_t end) {
  for (size_t n = start + 1; n < end; n++) {
    uint32_t point = points[n];
    size_t place = n;
    while (place > start && points[place - 1] >> PI_CLASS_SHIFT > point >> PI_CLASS_SHIFT) {
      points[place] = points[place - 1];
      place--;
    }
    points[place] = point;
  }
}

/* Joins the code points of a decomposed text that have a composed form; the new number. */
static size_t pi_compose_all(uint32_t *points, size_t count) {
  size_t used = 0, starter = 0;
  bool has_starter = false;
  uint32_t last_class = 0; /* of the code point that was kept last */
  for (size_t n = 0; n < count; n++) {
    uint32_t point = points[n] & 0x1FFFFF, class_of = points[n] >> PI_CLASS_SHIFT;
    bool is_next = has_starter && used == starter + 1;
    bool is_blocked = !is_next && last_class >= class_of;
    uint32_t composed = has_starter && !is_blocked ? pi_compose(points[starter], point) : 0;
    if (composed != 0) {
      points[starter] = composed;
      continue;
    }
    if (class_of == 0) {
      has_starter = true;
      starter = used;
    }
    last_class = class_of;
    points[used++] = point;
  }
  return used;
}

/* Brings a text into the normal form NFKC, in place; the new number of code points. The room is
 * PI_MAX_EXPANSION times their number, and `count` of them stand at its end. */
static size_t pi_normalise(uint32_t *points, size_t room, size_t count) {
  size_t used = 0, marks = 0; /* from here on marks are to be ordered */
  for (size_t n = room - count; n < room; n++) {
    uint32_t targets[PI_MAX_EXPANSION];
    size_t number = pi_decompose(points[n], targets);
    for (size_t target = 0; target < number; target++) {
      uint32_t class_of = pi_combining_class(targets[target]);
      if (class_of == 0) {
        pi_order_marks(points, marks, used);
        marks = used + 1;
      }
      points[used++] = targets[target] | class_of << PI_CLASS_SHIFT;
    }
  }
  pi_order_marks(points, marks, used);
  return pi_compose_all(points, used);
}
