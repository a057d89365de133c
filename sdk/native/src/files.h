/* The model file: its manifest and its tensors, checked. */

#ifndef PINTENT_FILES_H
#define PINTENT_FILES_H

#include "json.h"

typedef enum pi_dtype {
  PI_BOOL,
  PI_U8,
  PI_I8,
  PI_U16,
  PI_I16,
  PI_F16,
  PI_U32,
  PI_I32,
  PI_F32,
  PI_U64,
  PI_I64,
  PI_F64,
  PI_NUM_DTYPES
} pi_dtype;

enum { PI_MOST_AXES = 8 };

typedef struct pi_tensor {
  pintent_text name;
  pi_dtype dtype;
  size_t num_axes;
  uint64_t shape[PI_MOST_AXES];
  size_t size;      /* numbers */
  const char *data; /* aligned to a number */
  uint64_t begin, end;
} pi_tensor;

typedef struct pi_file {
  const pi_json *manifest;
  pi_tensor *tensors; /* by name */
  size_t num_tensors;
} pi_file;

/* Limits of the numbers in a file, and of their number in memory. */
#define PI_LARGEST 65504.0
enum { PI_MOST_DIM = 1 << 16, PI_MOST_NUMBERS = 1 << 28 };

/* Reads and verifies a model file. Its parts are of the content, or of the arena, which must last as
 * long as they are used; those of the manifest are of `manifest_arena`. */
static bool pi_read_file(const char *data, size_t size, pi_arena *arena, pi_arena *manifest_arena,
                         pi_file *file, pi_error *error);

/* The same without the checks of its hash and its numbers, of a file that was read before. */
static bool pi_list_file(const char *data, size_t size, pi_arena *arena, pi_arena *manifest_arena,
                         pi_file *file, pi_error *error);

/* A tensor by its name; NULL if there is none. */
static const pi_tensor *pi_find_tensor(const pi_file *file, const char *name);

/* A tensor with a type and a shape; NULL, and an error, if it is missing or another. */
static const pi_tensor *pi_need_tensor(const pi_file *file, const char *name, pi_dtype dtype,
                                       size_t num_axes, const uint64_t *shape, pi_error *error);

/* A finite number in half precision, without a branch. */
static inline float pi_finite_half(uint16_t half) {
  uint32_t bits = (uint32_t)(half & 0x7FFF) << 13;
  float value;
  memcpy(&value, &bits, sizeof value);
  value *= 0x1p112f; /* moves the exponent, also of numbers below the normal ones */
  memcpy(&bits, &value, sizeof bits);
  bits |= (uint32_t)(half & 0x8000) << 16;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* A number in half precision. */
static inline float pi_half(uint16_t half) {
  if ((half & 0x7FFF) < 0x7C00) {
    return pi_finite_half(half);
  }
  uint32_t bits = (uint32_t)(half & 0x8000) << 16 | 0x7F800000 | (uint32_t)(half & 0x3FF) << 13;
  float value; /* infinite or none, which no checked file has */
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* The nearest number in half precision, of two the even one; infinite beyond the range. */
static inline uint16_t pi_to_half(float number) {
  uint32_t bits, sign;
  memcpy(&bits, &number, sizeof bits);
  sign = bits >> 16 & 0x8000;
  bits &= 0x7FFFFFFF;
  if (bits >= 0x477FF000) { /* rounds to more than 65504 */
    return (uint16_t)(sign | 0x7C00);
  }
  if (bits < 0x38800000) { /* below the normal ones: a whole multiple of 2^-24, rounded by a sum */
    float value;
    memcpy(&value, &bits, sizeof value);
    value += 0.5f;
    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)(sign | (bits - 0x3F000000));
  }
  bits += 0xFFF + (bits >> 13 & 1);
  return (uint16_t)(sign | ((bits - 0x38000000) >> 13));
}

#endif
