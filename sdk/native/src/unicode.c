/* Unicode: UTF-8, lower case, and the properties of code points. The tables in bytes are written by
 * tools/byte_tables.py, which says what the bytes mean. */

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

/* A number in groups of seven bits, the lowest first. */
static uint32_t pi_read_length(const uint8_t **byte) {
  uint32_t length = 0, shift = 0, group;
  do {
    group = *(*byte)++;
    length |= (group & 0x7F) << shift;
    shift += 7;
  } while (group > 0x7F);
  return length;
}

/* What pi_property_values says of a code point. */
static uint32_t pi_properties_of(uint32_t point) {
  size_t block = pi_find_range(pi_property_first, PI_COUNT(pi_property_first), point);
  const uint8_t *byte = pi_property_bytes + pi_property_place[block];
  uint32_t end = pi_property_first[block], value;
  do {
    value = *byte & 15;
    uint32_t length = *byte++ >> 4;
    if (value == 15) {
      value = *byte++;
    }
    end += length != 0 ? length : pi_read_length(&byte);
  } while (point >= end);
  return pi_property_values[value];
}

/* The class of the tokenizer, of enum pi_class. */
static uint32_t pi_class_of(uint32_t point) { return pi_properties_of(point) & 7; }

static uint32_t pi_sigma_case(uint32_t point) { return pi_properties_of(point) >> 3 & 3; }

static uint32_t pi_combining_class(uint32_t point) {
  return point < 0x300 ? 0 : pi_properties_of(point) >> 9;
}

/* The lower case of a code point, but for U+0130, which becomes two, and a final sigma. */
static uint32_t pi_lower(uint32_t point) {
  if (point < 0x80) {
    return point >= 'A' && point <= 'Z' ? point + 32 : point;
  }
  size_t run = pi_find_range(pi_lower_first, PI_COUNT(pi_lower_first), point);
  uint32_t first = pi_lower_first[run] & 0x1FFFFF, length = pi_lower_first[run] >> 21 & 0xFF;
  uint32_t step = (pi_lower_first[run] >> 29) + 1, distance = point - first;
  if (point < first || distance >= length * step || distance % step != 0) {
    return point;
  }
  return pi_lower_target[run] + distance;
}
