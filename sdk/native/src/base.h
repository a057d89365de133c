/* What all parts of the core share: memory that is freed at once, errors, and texts. */

#ifndef PINTENT_BASE_H
#define PINTENT_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "../include/pocketintent.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the model file is little-endian, and read in place"
#endif

/* Blocks of one allocator that are freed together. */
typedef struct pi_block pi_block;
typedef struct pi_arena {
  pintent_allocator allocator;
  pi_block *blocks;
  pi_block *spare; /* blocks without content */
  char *next;      /* free memory of the latest block */
  size_t left;
} pi_arena;

/* How full an arena is. */
typedef struct pi_mark {
  pi_block *blocks;
  char *next;
  size_t left;
} pi_mark;

/* Gathers the first error of a task; what comes after it is ignored. */
typedef struct pi_error {
  pintent_status status;
  pintent_message message;
} pi_error;

static void pi_arena_init(pi_arena *arena, const pintent_allocator *allocator);
static void pi_arena_free(pi_arena *arena);
static pi_mark pi_arena_mark(const pi_arena *arena);
/* Gives up what was taken since a mark; its memory is used for what is taken next. */
static void pi_arena_rewind(pi_arena *arena, pi_mark mark);
/* Memory of `count` things of `size` bytes, zeros; NULL if there is none. It is aligned to 64 bytes,
 * or to 16 if it has fewer than 64. */
static void *pi_arena_take(pi_arena *arena, size_t count, size_t size);
/* The same with any content, so that what is never used is never touched. */
static void *pi_arena_raw(pi_arena *arena, size_t count, size_t size);
/* pi_arena_take, and an error where there is none. */
static void *pi_take(pi_arena *arena, size_t count, size_t size, pi_error *error);
/* A copy of bytes. */
static char *pi_copy(pi_arena *arena, const char *data, size_t size, pi_error *error);

#if defined(__GNUC__) || defined(__clang__)
#define PI_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define PI_PRINTF(text, first)
#endif

/* Writes text with numbers in it (format.c); the size of the whole text. */
static size_t pi_format(char *text, size_t capacity, const char *format, ...) PI_PRINTF(3, 4);
static size_t pi_format_list(char *text, size_t capacity, const char *format, va_list *arguments);

/* Of functions whose arguments are to stay in registers, and of what is to stay out of them; in a page
 * or on Windows the size of the library counts more. */
#if (defined(__GNUC__) || defined(__clang__)) && !defined(__wasm__) && !defined(_WIN32)
#define PI_INLINE __attribute__((always_inline)) static inline
#define PI_APART __attribute__((noinline)) static
#else
#define PI_INLINE static inline
#define PI_APART static
#endif

/* Notes an error, and returns false, so that a check can end with it. */
static bool pi_fail(pi_error *error, pintent_status status, const char *format, ...)
    PI_PRINTF(3, 4);
/* Puts words before the message of an error. */
static void pi_prefix(pi_error *error, const char *format, ...) PI_PRINTF(2, 3);

/* Eight bytes at once: eight of the same, and a bit at the top of those that are below a number, which
 * is at most 128. Above the lowest of these there may be bits that say nothing. */
static inline uint64_t pi_eight(unsigned char byte) { return 0x0101010101010101u * byte; }

static inline uint64_t pi_bytes_below(uint64_t bytes, unsigned char number) {
  return (bytes - pi_eight(number)) & ~bytes & pi_eight(0x80);
}

/* A bit at the top of those that are zero, and no other. */
static inline uint64_t pi_zero_bytes(uint64_t bytes) {
  return ~(((bytes & pi_eight(0x7F)) + pi_eight(0x7F)) | bytes | pi_eight(0x7F));
}

/* The position of the lowest byte that is not zero, of some that are not all zero. */
static inline size_t pi_lowest_byte(uint64_t bytes) {
#if defined(__GNUC__) || defined(__clang__)
  return (size_t)__builtin_ctzll(bytes) / 8;
#else
  size_t place = 0;
  for (; (bytes & 0xFF) == 0; bytes >>= 8) {
    place++;
  }
  return place;
#endif
}

/* Eight bytes of a text from a place before its end on; behind the end there are zeros. */
static inline uint64_t pi_load_eight(const char *text, size_t size, size_t place) {
  size_t left = size - place;
  uint64_t eight = 0;
  if (left >= 8) {
    memcpy(&eight, text + place, sizeof eight);
  } else if (size >= 8) {
    memcpy(&eight, text + size - 8, sizeof eight);
    eight >>= 8 * (8 - left);
  } else {
    for (size_t n = size; n-- > place;) {
      eight = eight << 8 | (unsigned char)text[n];
    }
  }
  return eight;
}

/* Whether two texts have the same bytes. */
static inline bool pi_same(pintent_text one, pintent_text other) {
  return one.size == other.size && (one.size == 0 || memcmp(one.data, other.data, one.size) == 0);
}

static inline pintent_text pi_text_of(const char *text) {
  pintent_text result = {text, strlen(text)};
  return result;
}

static inline bool pi_is(pintent_text text, const char *other) {
  return pi_same(text, pi_text_of(other));
}

static inline bool pi_starts(pintent_text text, const char *start) {
  size_t size = strlen(start);
  return text.size >= size && memcmp(text.data, start, size) == 0;
}

/* The order of bytes, which is that of code points; negative if the first text comes first. */
static inline int pi_order(pintent_text one, pintent_text other) {
  size_t size = one.size < other.size ? one.size : other.size;
  int order = size == 0 ? 0 : memcmp(one.data, other.data, size);
  return order != 0 ? order : (one.size > other.size) - (one.size < other.size);
}

#define PI_FNV_START 2166136261u

/* The 32-bit FNV-1a hash of bytes that follow those hashed before. */
static inline uint32_t pi_fnv(uint32_t hash, const char *data, size_t size) {
  for (size_t n = 0; n < size; n++) {
    hash = (hash ^ (unsigned char)data[n]) * 16777619u;
  }
  return hash;
}

/* Brings things into an order, in place and without memory of its own. `context` is handed on. */
typedef bool (*pi_before)(const void *context, size_t one, size_t other);
static void pi_sort(size_t *numbers, size_t count, pi_before before, const void *context);

/* printf's arguments for "%.*s", at most `most` bytes of a text. */
#define PI_SHOWN(text) (int)((text).size < 80 ? (text).size : 80), (text).data

#endif
