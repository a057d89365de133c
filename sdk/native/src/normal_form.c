/* The normal form NFKC. Its tables are written by tools/byte_tables.py, which says what their bytes
 * mean. */

#include "base.h"
#include "unicode_tables.h"

/* A number of a table, beside the one before it: near it in one byte, or else in two or four. */
static uint32_t pi_read_number(const uint8_t **byte, uint32_t before) {
  enum { differences = 0x60 };
  uint32_t lead = *(*byte)++;
  if (lead < differences) {
    return before + lead - differences / 2;
  }
  uint32_t high = lead == 0xFF ? *(*byte)++ : lead - differences;
  if (lead == 0xFF) {
    high = high << 8 | *(*byte)++;
  }
  return high << 8 | *(*byte)++;
}

/* What is before the targets of a record of decompositions. */
typedef struct pi_record {
  uint32_t kind, first, count, num_targets;
} pi_record;

enum { PI_ONE, PI_LIST, PI_FIRST_MOVES, PI_SECOND_MOVES };

static void pi_read_record(const uint8_t **byte, uint32_t end, pi_record *record) {
  uint32_t control = *(*byte)++;
  uint32_t gap = control >> 4;
  record->kind = control >> 2 & 3;
  record->num_targets = (control & 3) < 3 ? (control & 3) + 1 : *(*byte)++;
  record->first = end + (gap < 15 ? gap : pi_read_length(byte));
  record->count = record->kind != PI_ONE ? *(*byte)++ : 1;
}

/* Looks a decomposition up in the table; the number of targets, 0 if there is none. */
static size_t pi_find_decomposition(uint32_t point, uint32_t *targets) {
  size_t block = pi_find_range(pi_decomposed_first, PI_COUNT(pi_decomposed_first), point);
  const uint8_t *byte = pi_decomposed_bytes + pi_decomposed_place[block];
  const uint8_t *last = pi_decomposed_bytes + pi_decomposed_place[block + 1];
  uint32_t end = pi_decomposed_first[block];
  memset(targets, 0, PI_MAX_EXPANSION * sizeof *targets);
  while (byte < last) {
    pi_record record;
    pi_read_record(&byte, end, &record);
    if (point < record.first) {
      return 0;
    }
    uint32_t listed = record.kind == PI_LIST ? record.count : 1;
    for (uint32_t n = 0; n < listed; n++) {
      for (uint32_t target = 0; target < record.num_targets; target++) {
        targets[target] = pi_read_number(&byte, targets[target]);
      }
      if (record.first + n == point) {
        return record.num_targets;
      }
    }
    end = record.first + record.count;
    if (record.kind >= PI_FIRST_MOVES) {
      targets[record.kind - PI_FIRST_MOVES] += (point < end ? point : end - 1) - record.first;
    }
    if (point < end) {
      return record.num_targets;
    }
  }
  return 0;
}

/* Writes the full compatibility decomposition of a code point; the number of code points. */
static size_t pi_decompose(uint32_t point, uint32_t *targets) {
  size_t count = 0;
  if (point - 0xAC00 < 11172) { /* Hangul, by arithmetic */
    uint32_t index = point - 0xAC00;
    targets[0] = 0x1100 + index / 588;
    targets[1] = 0x1161 + index % 588 / 28;
    targets[2] = 0x11A7 + index % 28;
    return index % 28 == 0 ? 2 : 3;
  }
  if (point >= 0xA0) {
    count = pi_find_decomposition(point, targets);
  }
  if (count == 0) {
    targets[count++] = point;
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
  size_t block = pi_find_range(pi_composed_first, PI_COUNT(pi_composed_first), second);
  const uint8_t *byte = pi_composed_bytes + pi_composed_place[block];
  const uint8_t *last = pi_composed_bytes + pi_composed_place[block + 1];
  if (pi_composed_first[block] != second) {
    return 0;
  }
  for (uint32_t one = 0, composed = 0; byte < last && one < first;) {
    one = pi_read_number(&byte, one);
    composed = pi_read_number(&byte, composed);
    if (one == first) {
      return composed;
    }
  }
  return 0;
}

/* While a text is brought into its normal form, a code point has its combining class above it, and
 * a bit if it stays as it is. */
enum { PI_CLASS_SHIFT = 21, PI_KEPT = 1 << 30 };

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
    uint32_t point = points[n] & 0x1FFFFF, class_of = points[n] >> PI_CLASS_SHIFT & 0xFF;
    bool is_next = has_starter && used == starter + 1;
    bool is_blocked = (points[n] & PI_KEPT) != 0 || (!is_next && last_class >= class_of);
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

enum { PI_STARTS = 1 << 7, PI_CHANGES = 1 << 8 }; /* bits of pi_property_values */

/* The properties of a code point, as far as the normal form goes. */
static uint32_t pi_form_of(uint32_t point) {
  return point < 0xA0 ? PI_STARTS : pi_properties_of(point);
}

/* Brings a text into the normal form NFKC, in place; the new number of code points. The room is
 * PI_MAX_EXPANSION times their number, and `count` of them stand at its end. A code point that is
 * its own normal form stays, if nothing joins it from behind. */
static size_t pi_normalise(uint32_t *points, size_t room, size_t count) {
  size_t used = 0, marks = 0; /* from here on marks are to be ordered */
  uint32_t next_form = count > 0 ? pi_form_of(points[room - count]) : 0;
  for (size_t n = room - count; n < room; n++) {
    uint32_t point = points[n], form = next_form, targets[PI_MAX_EXPANSION];
    next_form = n + 1 < room ? pi_form_of(points[n + 1]) : PI_STARTS;
    uint32_t own = form & (PI_STARTS | PI_CHANGES);
    bool is_kept = own == PI_STARTS && (next_form & PI_STARTS) != 0;
    size_t number = 1;
    targets[0] = point;
    if (own != 0 && !is_kept) {
      number = pi_decompose(point, targets);
    }
    for (size_t target = 0; target < number; target++) {
      uint32_t part = targets[target];
      uint32_t class_of = part == point ? form >> 9 : pi_combining_class(part);
      if (class_of == 0) {
        pi_order_marks(points, marks, used);
        marks = used + 1;
      }
      points[used++] = part | class_of << PI_CLASS_SHIFT | (is_kept ? PI_KEPT : 0u);
    }
  }
  pi_order_marks(points, marks, used);
  return pi_compose_all(points, used);
}
