/* The tensors of a model file: where they are, and what numbers they may have. */

#include <math.h>

#include "files.h"

static const struct {
  const char *name;
  size_t size;
} pi_dtypes[PI_NUM_DTYPES] = {{"BOOL", 1}, {"U8", 1},  {"I8", 1},  {"U16", 2}, {"I16", 2},
                              {"F16", 2},  {"U32", 4}, {"I32", 4}, {"F32", 4}, {"U64", 8},
                              {"I64", 8},  {"F64", 8}};

static bool pi_is_size_list(const pi_json *value, size_t most) {
  if (value == NULL || value->type != PI_JSON_ARRAY || value->of.members.count > most) {
    return false;
  }
  for (const pi_json *item = value->of.members.first; item != NULL; item = item->next) {
    bool is_positive = item->type == PI_JSON_INTEGER && !item->is_large &&
                       (!item->is_negative || item->of.integer == 0);
    if (!is_positive || item->of.integer >> 62 != 0) {
      return false;
    }
  }
  return true;
}

/* Reads the entry of a tensor in the header. */
static bool pi_read_entry(const pi_json *entry, pi_tensor *tensor, pi_error *error) {
  const pi_json *dtype = pi_json_get(entry, "dtype"), *shape = pi_json_get(entry, "shape"),
                *offsets = pi_json_get(entry, "data_offsets");
  tensor->name = entry->key;
  if (dtype == NULL || shape == NULL || offsets == NULL || entry->of.members.count != 3) {
    return pi_fail(error, PINTENT_ERROR_MODEL,
                   "tensor '%.*s' must have dtype, shape and data_offsets", PI_SHOWN(entry->key));
  }
  int number = 0;
  while (number < PI_NUM_DTYPES && !pi_json_is_string(dtype, pi_dtypes[number].name)) {
    number++;
  }
  if (number == PI_NUM_DTYPES) {
    return pi_fail(error, PINTENT_ERROR_MODEL, "tensor '%.*s' has an unknown dtype",
                   PI_SHOWN(entry->key));
  }
  if (!pi_is_size_list(shape, PI_MOST_AXES)) {
    return pi_fail(error, PINTENT_ERROR_MODEL,
                   "tensor '%.*s' has a shape that is not a list of up to 8 sizes",
                   PI_SHOWN(entry->key));
  }
  if (!pi_is_size_list(offsets, 2) || offsets->of.members.count != 2) {
    return pi_fail(error, PINTENT_ERROR_MODEL,
                   "tensor '%.*s' has data_offsets that are not a pair of positions",
                   PI_SHOWN(entry->key));
  }
  tensor->dtype = (pi_dtype)number;
  tensor->begin = offsets->of.members.first->of.integer;
  tensor->end = offsets->of.members.last->of.integer;
  for (const pi_json *item = shape->of.members.first; item != NULL; item = item->next) {
    tensor->shape[tensor->num_axes++] = item->of.integer;
  }
  return true;
}

/* The bytes of a tensor's numbers; false if they are too many, even where an axis is empty. */
static bool pi_count_bytes(const pi_tensor *tensor, uint64_t *bytes) {
  uint64_t product = pi_dtypes[tensor->dtype].size;
  bool is_empty = false;
  for (size_t axis = 0; axis < tensor->num_axes; axis++) {
    uint64_t length = tensor->shape[axis];
    is_empty |= length == 0;
    if (length != 0 && product > (uint64_t)INT64_MAX / length) {
      return false;
    }
    product *= length != 0 ? length : 1;
  }
  *bytes = is_empty ? 0 : product;
  return true;
}

static bool pi_is_earlier(const void *context, size_t one, size_t other) {
  const pi_tensor *a = (const pi_tensor *)context + one, *b = (const pi_tensor *)context + other;
  if (a->begin != b->begin) {
    return a->begin < b->begin;
  }
  return a->end != b->end ? a->end < b->end : one < other;
}

/* Places the tensors, which must fill the rest of the file without gap or overlap. */
static bool pi_place_tensors(pi_file *file, const char *data, size_t size, pi_arena *scratch,
                             pi_arena *arena, pi_error *error) {
  size_t *order = pi_take(scratch, file->num_tensors, sizeof *order, error);
  if (order == NULL) {
    return false;
  }
  for (size_t n = 0; n < file->num_tensors; n++) {
    order[n] = n;
  }
  pi_sort(order, file->num_tensors, pi_is_earlier, file->tensors);
  uint64_t end = 0, bytes = 0;
  bool has_impossible = false;
  for (size_t n = 0; n < file->num_tensors; n++) {
    pi_tensor *tensor = &file->tensors[order[n]];
    bool is_possible = pi_count_bytes(tensor, &bytes);
    has_impossible |= !is_possible && tensor->begin == tensor->end;
    if (tensor->begin != end || tensor->end < end ||
        (is_possible ? tensor->end - end != bytes : tensor->end != end)) {
      return pi_fail(error, PINTENT_ERROR_MODEL,
                     "the offsets of tensor '%.*s' do not fit its shape or the tensor before it",
                     PI_SHOWN(tensor->name));
    }
    end = tensor->end;
  }
  if (end != size) {
    return pi_fail(error, PINTENT_ERROR_MODEL,
                   "it is %s: the tensors take %llu bytes, the file has %zu",
                   size < end ? "truncated" : "longer than its tensors", (unsigned long long)end,
                   size);
  }
  if (has_impossible) {
    return pi_fail(error, PINTENT_ERROR_MODEL, "a tensor has an impossible shape");
  }
  for (size_t n = 0; n < file->num_tensors; n++) {
    pi_tensor *tensor = &file->tensors[n];
    size_t of_number = pi_dtypes[tensor->dtype].size, length = (size_t)(tensor->end - tensor->begin);
    tensor->data = data + tensor->begin;
    tensor->size = length / of_number;
    if ((uintptr_t)tensor->data % of_number != 0) {
      tensor->data = pi_copy(arena, tensor->data, length, error);
      if (tensor->data == NULL) {
        return false;
      }
    }
  }
  return true;
}

/* Whether a tensor has a number that is NaN, infinite or beyond PI_LARGEST. The bits of a number
 * without its sign are larger, the larger the number; those of NaN are the largest. */
static bool pi_has_bad_number(const pi_tensor *tensor) {
  enum { infinite = 0x7C00, largest = 0x477FE000 }; /* of halves, and PI_LARGEST of floats */
  uint32_t is_bad = 0;
  if (tensor->dtype == PI_F16) {
    const uint16_t *halves = (const uint16_t *)(const void *)tensor->data;
    uint16_t is_any = 0;
    for (size_t n = 0; n < tensor->size; n++) {
      is_any |= (uint16_t)((halves[n] & infinite) == infinite);
    }
    is_bad = is_any;
  } else if (tensor->dtype == PI_F32) {
    const uint32_t *floats = (const uint32_t *)(const void *)tensor->data;
    for (size_t n = 0; n < tensor->size; n++) {
      is_bad |= (int32_t)(floats[n] & 0x7FFFFFFF) > largest;
    }
  } else if (tensor->dtype == PI_F64) {
    const double *doubles = (const double *)(const void *)tensor->data;
    for (size_t n = 0; n < tensor->size; n++) {
      is_bad |= !(fabs(doubles[n]) <= PI_LARGEST); /* false for NaN */
    }
  }
  return is_bad != 0;
}

static const pi_tensor *pi_find_tensor(const pi_file *file, const char *name) {
  pintent_text wanted = pi_text_of(name);
  size_t low = 0, high = file->num_tensors;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = pi_order(file->tensors[middle].name, wanted);
    if (order == 0) {
      return &file->tensors[middle];
    }
    low = order < 0 ? middle + 1 : low;
    high = order < 0 ? high : middle;
  }
  return NULL;
}

/* Writes a type and a shape as Python names them, such as "float32 [3, 4]". */
static void pi_describe(pi_dtype dtype, size_t num_axes, const uint64_t *shape, char *text,
                        size_t size) {
  static const char *const names[PI_NUM_DTYPES] = {"bool",   "uint8",  "int8",  "uint16",
                                                   "int16",  "float16", "uint32", "int32",
                                                   "float32", "uint64", "int64", "float64"};
  size_t used = pi_format(text, size, "%s [", names[dtype]);
  for (size_t axis = 0; axis < num_axes && used < size; axis++) {
    used += pi_format(text + used, size - used, "%s%llu", axis == 0 ? "" : ", ",
                      (unsigned long long)shape[axis]);
  }
  if (used < size) {
    pi_format(text + used, size - used, "]");
  }
}

static const pi_tensor *pi_need_tensor(const pi_file *file, const char *name, pi_dtype dtype,
                                       size_t num_axes, const uint64_t *shape, pi_error *error) {
  const pi_tensor *tensor = pi_find_tensor(file, name);
  bool fits = tensor != NULL && tensor->dtype == dtype && tensor->num_axes == num_axes;
  for (size_t axis = 0; fits && shape != NULL && axis < num_axes; axis++) {
    fits = tensor->shape[axis] == shape[axis];
  }
  if (!fits) {
    char found[200] = "missing", wanted[200];
    if (tensor != NULL) {
      pi_describe(tensor->dtype, tensor->num_axes, tensor->shape, found, sizeof found);
    }
    pi_describe(dtype, shape == NULL ? 0 : num_axes, shape, wanted, sizeof wanted);
    pi_fail(error, PINTENT_ERROR_MODEL, "tensor %s is %s; it must be %s", name, found, wanted);
    return NULL;
  }
  return tensor;
}
