/* The random numbers of NumPy's `default_rng(0)`, so that a codebook is fitted on the same vectors as
 * in Python: the generator PCG64 (O'Neill 2014), and `choice` without replacement. */

#include "base.h"

typedef struct pi_random {
  uint64_t high, low; /* the state */
  uint32_t rest;      /* the upper half of the latest number */
  bool has_rest;
} pi_random;

/* The state that `default_rng(0)` begins with. */
static pi_random pi_random_zero(void) {
  pi_random random = {0x1AA1B5345996452Du, 0x09585EB7A69561E3u, 0, false};
  return random;
}

/* The upper half of a product. */
static uint64_t pi_multiply_high(uint64_t one, uint64_t other) {
  uint64_t a = one >> 32, b = one & UINT32_MAX, c = other >> 32, d = other & UINT32_MAX;
  uint64_t middle = a * d + (b * d >> 32), low = b * c + (middle & UINT32_MAX);
  return a * c + (middle >> 32) + (low >> 32);
}

static uint64_t pi_random_64(pi_random *random) {
  static const uint64_t factor_high = 0x2360ED051FC65DA4u, factor_low = 0x4385DF649FCCF645u;
  static const uint64_t added_high = 0x418DDADB3AF71A82u, added_low = 0x588133BC447873A9u;
  uint64_t low = random->low * factor_low + added_low;
  random->high = pi_multiply_high(random->low, factor_low) + random->high * factor_low +
                 random->low * factor_high + added_high + (low < added_low);
  random->low = low;
  uint64_t mixed = random->high ^ random->low;
  unsigned turn = (unsigned)(random->high >> 58);
  return mixed >> turn | mixed << ((64 - turn) & 63);
}

static uint32_t pi_random_32(pi_random *random) {
  random->has_rest = !random->has_rest;
  if (!random->has_rest) {
    return random->rest;
  }
  uint64_t number = pi_random_64(random);
  random->rest = (uint32_t)(number >> 32);
  return (uint32_t)number;
}

/* A number from 0 to `most`, each as likely (Lemire 2019). */
static uint32_t pi_random_up_to(pi_random *random, uint32_t most) {
  if (most == 0) {
    return 0;
  }
  uint32_t count = most + 1, limit = (UINT32_MAX - most) % count;
  uint64_t product;
  do {
    product = (uint64_t)pi_random_32(random) * count;
  } while ((uint32_t)product < limit);
  return (uint32_t)(product >> 32);
}

/* Shuffles the numbers from `first` on with all before them. */
static void pi_shuffle(pi_random *random, size_t *numbers, size_t first, size_t count) {
  for (size_t n = count; n-- > first;) {
    size_t other = pi_random_up_to(random, (uint32_t)n), number = numbers[other];
    numbers[other] = numbers[n];
    numbers[n] = number;
  }
}

/* Marks `size` of `count` numbers by Floyd's algorithm (Bentley and Floyd 1987). */
static void pi_mark_few(pi_random *random, bool *marks, size_t *drawn, size_t count, size_t size) {
  for (size_t n = count - size; n < count; n++) {
    size_t number = pi_random_up_to(random, (uint32_t)n);
    number = marks[number] ? n : number;
    marks[number] = true;
    drawn[n - (count - size)] = number;
  }
  pi_shuffle(random, drawn, 1, size); /* for the random numbers that it takes */
}

/* Marks `size` of `count` rows, or all if there are no more. */
static bool pi_mark_rows(pi_random *random, bool *marks, size_t count, size_t size, pi_arena *arena,
                         pi_error *error) {
  enum { most_by_marks = 10000, share = 50 };
  if (count <= size) {
    memset(marks, true, count);
    return true;
  }
  bool is_shuffled = count > most_by_marks && size > count / share;
  size_t *numbers = pi_take(arena, is_shuffled ? count : size, sizeof *numbers, error);
  if (numbers == NULL) {
    return false;
  }
  if (!is_shuffled) {
    pi_mark_few(random, marks, numbers, count, size);
    return true;
  }
  for (size_t n = 0; n < count; n++) {
    numbers[n] = n;
  }
  pi_shuffle(random, numbers, count - size, count);
  for (size_t n = count - size; n < count; n++) {
    marks[numbers[n]] = true;
  }
  return true;
}
