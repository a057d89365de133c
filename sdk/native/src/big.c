/* Whole numbers of some thousand bits, for exact decimals. */

#include "base.h"

enum {
  PI_BIG_WORDS = 168 /* 5,376 bits: 800 digits, and a power of ten as large */
};

/* A whole number, the lowest word first. */
typedef struct pi_big {
  uint32_t words[PI_BIG_WORDS];
  int count;
} pi_big;

static void pi_big_set(pi_big *big, uint64_t value) {
  big->words[0] = (uint32_t)value;
  big->words[1] = (uint32_t)(value >> 32);
  big->count = big->words[1] != 0 ? 2 : big->words[0] != 0;
}

/* Multiplies by a factor and adds a number. */
static void pi_big_multiply(pi_big *big, uint32_t factor, uint32_t added) {
  uint64_t carry = added;
  for (int n = 0; n < big->count; n++) {
    carry += (uint64_t)big->words[n] * factor;
    big->words[n] = (uint32_t)carry;
    carry >>= 32;
  }
  if (carry != 0 && big->count < PI_BIG_WORDS) {
    big->words[big->count++] = (uint32_t)carry;
  }
}

static void pi_big_times_ten(pi_big *big, int power) {
  for (; power >= 9; power -= 9) {
    pi_big_multiply(big, 1000000000u, 0);
  }
  for (; power > 0; power--) {
    pi_big_multiply(big, 10, 0);
  }
}

static void pi_big_shift(pi_big *big, int bits) {
  int words = bits / 32;
  if (big->count == 0 || bits <= 0 || big->count + words >= PI_BIG_WORDS) {
    return;
  }
  memmove(big->words + words, big->words, (size_t)big->count * sizeof *big->words);
  memset(big->words, 0, (size_t)words * sizeof *big->words);
  big->count += words;
  if (bits % 32 != 0) {
    pi_big_multiply(big, (uint32_t)1 << (bits % 32), 0);
  }
}

static int pi_big_bits(const pi_big *big) {
  int bits = 32 * big->count;
  for (uint32_t top = big->count == 0 ? 0 : big->words[big->count - 1]; top != 0 && top >> 31 == 0;
       top <<= 1) {
    bits--;
  }
  return bits;
}

static int pi_big_compare(const pi_big *one, const pi_big *other) {
  if (one->count != other->count) {
    return one->count < other->count ? -1 : 1;
  }
  for (int n = one->count; n-- > 0;) {
    if (one->words[n] != other->words[n]) {
      return one->words[n] < other->words[n] ? -1 : 1;
    }
  }
  return 0;
}

/* Subtracts a number that is not larger. */
static void pi_big_subtract(pi_big *big, const pi_big *other) {
  uint64_t borrow = 0;
  for (int n = 0; n < big->count; n++) {
    uint64_t less = borrow + (n < other->count ? other->words[n] : 0);
    borrow = big->words[n] < less;
    big->words[n] = (uint32_t)(big->words[n] - less);
  }
  while (big->count > 0 && big->words[big->count - 1] == 0) {
    big->count--;
  }
}

static void pi_big_add(pi_big *big, const pi_big *other) {
  uint64_t carry = 0;
  while (big->count < other->count) {
    big->words[big->count++] = 0;
  }
  for (int n = 0; n < big->count; n++) {
    carry += (uint64_t)big->words[n] + (n < other->count ? other->words[n] : 0);
    big->words[n] = (uint32_t)carry;
    carry >>= 32;
  }
  if (carry != 0 && big->count < PI_BIG_WORDS) {
    big->words[big->count++] = (uint32_t)carry;
  }
}
