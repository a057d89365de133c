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
  char *next; /* free memory of the latest block */
  size_t left;
} pi_arena;

/* Gathers the first error of a task; what comes after it is ignored. */
typedef struct pi_error {
  pintent_status status;
  pintent_message message;
} pi_error;

static void pi_arena_init(pi_arena *arena, const pintent_allocator *allocator);
static void pi_arena_free(pi_arena *arena);
/* Memory of `count` things of `size` bytes, zeros, aligned to 64 bytes; NULL if there is none. */
static void *pi_arena_take(pi_arena *arena, size_t count, size_t size);
/* The same with any content, so that what is never used is never touched. */
static void *pi_arena_raw(pi_arena *arena, size_t count, size_t size);
/* pi_arena_take, and an error where there is none. */
static void *pi_take(pi_arena *arena, size_t count, size_t size, pi_error *error);
/* A copy of bytes. */
static char *pi_copy(pi_arena *arena, const char *data, size_t size, pi_error *error);

#if defined(__GNUC__) || defined(__clang__)
#define PI_PRINTF(text, first) __attribute__((format(printf, text, first)))
#define PI_INLINE static inline __attribute__((always_inline)) /* constant arguments shape the code */
#define PI_APART static __attribute__((noinline))
#else
#define PI_PRINTF(text, first)
#define PI_INLINE static inline
#define PI_APART static
#endif

/* Writes text with numbers in it (format.c); the size of the whole text. */
static size_t pi_format(char *text, size_t capacity, const char *format, ...) PI_PRINTF(3, 4);
static size_t pi_format_list(char *text, size_t capacity, const char *format, va_list *arguments);

/* Notes an error, and returns false, so that a check can end with it. */
static bool pi_fail(pi_error *error, pintent_status status, const char *format, ...)
    PI_PRINTF(3, 4);
/* Puts words before the message of an error. */
static void pi_prefix(pi_error *error, const char *format, ...) PI_PRINTF(2, 3);

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
