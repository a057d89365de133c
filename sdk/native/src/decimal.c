/* Numbers in decimal: read to the nearest double, and written with the fewest digits that read back.
 *
 * The C library does both by the rules of a locale, and the shortest form not at all. Whole numbers
 * of some thousand bits make both exact: long division to read (Clinger 1990), and the algorithm of
 * Steele and White (1990) to write.
 */

#include <math.h>

#include "base.h"

enum {
  PI_MOST_DIGITS = 800, /* more digits than tell two doubles apart; the rest is above zero or not */
  PI_NUMBER_SIZE = 32   /* room for a number that is written */
};

/* The double nearest to a fraction of whole numbers, which it changes; of two, the even one. */
static double pi_divide(pi_big *above, pi_big *below) {
  int exponent = pi_big_bits(above) - pi_big_bits(below);
  pi_big_shift(exponent < 0 ? above : below, exponent < 0 ? -exponent : exponent);
  if (pi_big_compare(above, below) < 0) {
    exponent--;
    pi_big_shift(above, 1);
  }
  /* Now 1 <= above / below < 2. A number below the normal ones has fewer bits. */
  int bits = exponent >= -1022 ? 53 : 53 - (-1022 - exponent);
  if (bits < 0) {
    return 0.0;
  }
  uint64_t mantissa = 0;
  for (int n = 0; n < bits; n++) {
    mantissa <<= 1;
    if (pi_big_compare(above, below) >= 0) {
      pi_big_subtract(above, below);
      mantissa |= 1;
    }
    pi_big_multiply(above, 2, 0);
  }
  int order = pi_big_compare(above, below);
  mantissa += order > 0 || (order == 0 && (mantissa & 1) != 0);
  return ldexp((double)mantissa, exponent - bits + 1);
}

/* The value of a number in the form of JSON; infinite if it is too large for a double. */
static double pi_read_double(const char *text, size_t size) {
  bool is_negative = size > 0 && text[0] == '-';
  pi_big above, below;
  pi_big_set(&above, 0);
  int digits = 0;
  int64_t power = 0;
  bool is_cut = false;
  bool after_point = false;
  size_t place = is_negative;
  for (; place < size && text[place] != 'e' && text[place] != 'E'; place++) {
    if (text[place] == '.') {
      after_point = true;
      continue;
    }
    uint32_t digit = (uint32_t)(text[place] - '0');
    if (digits < PI_MOST_DIGITS) {
      digits += digits > 0 || digit > 0;
      if (above.count == 0) {
        pi_big_set(&above, digit);
      } else {
        pi_big_multiply(&above, 10, digit);
      }
      power -= after_point;
    } else {
      is_cut |= digit > 0;
      power += !after_point;
    }
  }
  if (place < size) {
    bool falls = ++place < size && text[place] == '-';
    place += place < size && (text[place] == '-' || text[place] == '+');
    int64_t exponent = 0;
    for (; place < size; place++) {
      exponent = exponent < 1000000 ? 10 * exponent + (text[place] - '0') : exponent;
    }
    power += falls ? -exponent : exponent;
  }
  double sign = is_negative ? -1.0 : 1.0;
  if (above.count == 0 || digits + power < -400) {
    return sign * 0.0;
  }
  if (digits + power > 400) {
    return sign * HUGE_VAL;
  }
  if (is_cut) { /* one more digit tells it from a tie */
    pi_big_multiply(&above, 10, 1);
    power--;
  }
  pi_big_set(&below, 1);
  pi_big_times_ten(power < 0 ? &below : &above, (int)(power < 0 ? -power : power));
  return sign * pi_divide(&above, &below);
}

/* The fewest decimal digits that read back as a positive double, and its decimal exponent: the value
 * is 0.d1d2d3... times ten to its power. The digits have values 0 to 9. */
static int pi_shortest_digits(double value, char *digits, int *exponent) {
  int power;
  uint64_t mantissa = (uint64_t)ldexp(frexp(value, &power), 53);
  power -= 53;
  if (power < -1074) { /* a number below the normal ones */
    mantissa >>= -1074 - power;
    power = -1074;
  }
  /* The value is rest / scale; half the distance to the next lower and higher is low and high. */
  static const uint64_t normal = (uint64_t)1 << 52;
  bool is_uneven = mantissa == normal && power > -1074;
  pi_big rest, scale, low, high, sum;
  pi_big_set(&rest, mantissa);
  pi_big_set(&scale, 1);
  pi_big_set(&low, 1);
  pi_big_set(&high, 1);
  pi_big_shift(&rest, (power > 0 ? power : 0) + 1 + is_uneven);
  pi_big_shift(&scale, (power < 0 ? -power : 0) + 1 + is_uneven);
  pi_big_shift(&low, power > 0 ? power : 0);
  pi_big_shift(&high, (power > 0 ? power : 0) + is_uneven);
  bool is_even = (mantissa & 1) == 0;
  int guess = (int)ceil(log10(value) - 1e-10);
  if (guess >= 0) {
    pi_big_times_ten(&scale, guess);
  } else {
    pi_big_times_ten(&rest, -guess);
    pi_big_times_ten(&low, -guess);
    pi_big_times_ten(&high, -guess);
  }
  sum = rest;
  pi_big_add(&sum, &high);
  int order = pi_big_compare(&sum, &scale);
  if (order > 0 || (order == 0 && is_even)) {
    guess++;
    pi_big_times_ten(&scale, 1);
  }
  *exponent = guess;
  for (int count = 0;; ) {
    pi_big_times_ten(&rest, 1);
    pi_big_times_ten(&low, 1);
    pi_big_times_ten(&high, 1);
    int digit = 0;
    for (; pi_big_compare(&rest, &scale) >= 0; digit++) {
      pi_big_subtract(&rest, &scale);
    }
    sum = rest;
    pi_big_add(&sum, &high);
    int below = pi_big_compare(&rest, &low), above = pi_big_compare(&sum, &scale);
    bool may_end_low = below < 0 || (below == 0 && is_even);
    bool may_end_high = above > 0 || (above == 0 && is_even);
    if (may_end_low || may_end_high) {
      if (may_end_low && may_end_high) {
        pi_big_multiply(&rest, 2, 0);
        int half = pi_big_compare(&rest, &scale); /* of two that are as near, the even one */
        digit += half > 0 || (half == 0 && digit % 2 != 0);
      } else {
        digit += may_end_high;
      }
      digits[count++] = (char)digit;
      return count;
    }
    digits[count++] = (char)digit;
  }
}

/* Writes a finite double in its shortest form, as Python's orjson does; the number of characters. */
static size_t pi_write_double(double value, char *text) {
  char digits[20];
  char *end = text;
  int exponent = 1, count = 1;
  digits[0] = 0;
  if (signbit(value)) {
    *end++ = '-';
    value = -value;
  }
  if (value > 0) {
    count = pi_shortest_digits(value, digits, &exponent);
  }
  if (exponent > 16 || exponent <= -5) {
    *end++ = (char)('0' + digits[0]);
    if (count > 1) {
      *end++ = '.';
    }
    for (int n = 1; n < count; n++) {
      *end++ = (char)('0' + digits[n]);
    }
    *end++ = 'e';
    int power = exponent - 1;
    *end++ = power < 0 ? '-' : '+';
    power = power < 0 ? -power : power;
    if (power >= 100) {
      *end++ = (char)('0' + power / 100);
    }
    if (power >= 10) {
      *end++ = (char)('0' + power / 10 % 10);
    }
    *end++ = (char)('0' + power % 10);
    return (size_t)(end - text);
  }
  for (int n = exponent < 0 ? exponent : 0; n < count || n <= exponent; n++) {
    if (n == (exponent < 0 ? exponent : 0) && exponent <= 0) {
      *end++ = '0';
      *end++ = '.';
    } else if (n == exponent && n > 0) {
      *end++ = '.';
    }
    *end++ = (char)('0' + (n >= 0 && n < count ? digits[n] : 0));
  }
  return (size_t)(end - text);
}
