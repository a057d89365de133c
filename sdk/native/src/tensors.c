/* The container of a model file: docs/model-file.md. */

#include <math.h>
#include <stdio.h>

#include "files.h"

static const struct {
  const char *name;
  size_t size;
} pi_dtypes[PI_NUM_DTYPES] = {{"BOOL", 1}, {"U8", 1},  {"I8", 1},  {"U16", 2}, {"I16", 2},
                              {"F16", 2},  {"U32", 4}, {"I32", 4}, {"F32", 4}, {"U64", 8},
                              {"I64", 8},  {"F64", 8}};

enum { PI_MAX_HEADER = 100000000, PI_HEADER_DEPTH = 900, PI_MANIFEST_DEPTH = 254 };

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

static bool pi_has_bad_number(const pi_tensor *tensor) {
  bool is_bad = false;
  if (tensor->dtype == PI_F16) {
    const uint16_t *halves = (const uint16_t *)(const void *)tensor->data;
    for (size_t n = 0; n < tensor->size; n++) {
      is_bad |= (halves[n] & 0x7C00) == 0x7C00;
    }
  } else if (tensor->dtype == PI_F32) {
    const float *floats = (const float *)(const void *)tensor->data;
    for (size_t n = 0; n < tensor->size; n++) {
      is_bad |= !(fabsf(floats[n]) <= (float)PI_LARGEST); /* false for NaN */
    }
  } else if (tensor->dtype == PI_F64) {
    const double *doubles = (const double *)(const void *)tensor->data;
    for (size_t n = 0; n < tensor->size; n++) {
      is_bad |= !(fabs(doubles[n]) <= PI_LARGEST);
    }
  }
  return is_bad;
}

static bool pi_check_digest(const pi_file *file, pi_error *error) {
  pi_sha256 sha;
  char found[64];
  pi_sha_init(&sha);
  bool is_writable = pi_json_write(file->manifest, "sha256", pi_sha_add, &sha);
  pi_sha_add(&sha, "\n", 1);
  for (size_t n = 0; n < file->num_tensors; n++) {
    const pi_tensor *tensor = &file->tensors[n];
    const char *dtype = pi_dtypes[tensor->dtype].name;
    char number[32];
    pi_sha_add(&sha, "[", 1);
    pi_json_write_string(tensor->name, pi_sha_add, &sha);
    pi_sha_add(&sha, ",\"", 2);
    pi_sha_add(&sha, dtype, strlen(dtype));
    pi_sha_add(&sha, "\",[", 3);
    for (size_t axis = 0; axis < tensor->num_axes; axis++) {
      int length = snprintf(number, sizeof number, "%s%llu", axis == 0 ? "" : ",",
                            (unsigned long long)tensor->shape[axis]);
      pi_sha_add(&sha, number, (size_t)length);
    }
    pi_sha_add(&sha, "]]\n", 3);
    pi_sha_add(&sha, tensor->data, (size_t)(tensor->end - tensor->begin));
  }
  pi_sha_finish(&sha, found);
  if (!is_writable) {
    return pi_fail(error, PINTENT_ERROR_MODEL,
                   "the manifest or a name cannot be written as JSON");
  }
  const pi_json *given = pi_json_get(file->manifest, "sha256");
  pintent_text digest = {found, sizeof found};
  if (given == NULL || given->type != PI_JSON_STRING || !pi_same(given->of.string, digest)) {
    return pi_fail(error, PINTENT_ERROR_MODEL,
                   "it was altered or damaged: its SHA-256 does not match its content");
  }
  return true;
}

/* Whether a version of a format is one that this core reads. */
static bool pi_check_version(const pi_json *version, const char *owner, pi_error *error) {
  if (version == NULL || version->type != PI_JSON_INTEGER || version->is_negative ||
      (version->of.integer == 0 && !version->is_large)) {
    return pi_fail(error, PINTENT_ERROR_MODEL,
                   "%s has no version that is a whole number from 1", owner);
  }
  if (version->is_large || version->of.integer > 1) {
    return pi_fail(error, PINTENT_ERROR_MODEL,
                   "%s has a newer version than 1, which this version of pocketintent reads; "
                   "upgrade pocketintent",
                   owner);
  }
  return true;
}

static const pi_json *pi_read_manifest(const pi_json *header, pi_arena *arena, pi_error *error) {
  const pi_json *text = pi_json_get(pi_json_get(header, "__metadata__"), "pocketintent");
  if (text == NULL || text->type != PI_JSON_STRING) {
    pi_fail(error, PINTENT_ERROR_MODEL,
            "it is a safetensors file of another program: its metadata has no 'pocketintent'");
    return NULL;
  }
  const pi_json_rules rules = {PI_MANIFEST_DEPTH, false, false};
  const pi_json *manifest = NULL;
  if (!pi_is_utf8(text->of.string.data, text->of.string.size)) {
    pi_fail(error, PINTENT_ERROR_MODEL, "it is not UTF-8");
  } else {
    manifest = pi_json_read(arena, text->of.string.data, text->of.string.size, rules, error);
  }
  if (manifest == NULL) {
    pi_prefix(error, "the manifest is not valid JSON: ");
    return NULL;
  }
  if (manifest->type != PI_JSON_OBJECT) {
    pi_fail(error, PINTENT_ERROR_MODEL, "its manifest is not a JSON object");
    return NULL;
  }
  if (!pi_check_version(pi_json_get(manifest, "format_version"), "its format", error)) {
    return NULL;
  }
  const pi_json *kind = pi_json_get(manifest, "kind");
  if (kind == NULL || kind->type != PI_JSON_STRING) {
    pi_fail(error, PINTENT_ERROR_MODEL, "its manifest does not name the encoder's kind");
    return NULL;
  }
  return manifest;
}

/* Reads the header's JSON; its length goes to `length`. */
static const pi_json *pi_read_header(const char *data, size_t size, uint64_t *length,
                                     pi_arena *arena, pi_error *error) {
  const pi_json_rules rules = {PI_HEADER_DEPTH, false, false};
  memcpy(length, data, sizeof *length);
  if (*length > PI_MAX_HEADER || size < 9 || data[8] != '{') {
    pi_fail(error, PINTENT_ERROR_MODEL, "it is not a safetensors file");
    return NULL;
  }
  if (*length > size - 8) {
    pi_fail(error, PINTENT_ERROR_MODEL,
            "it is truncated: the header needs %llu bytes and %zu are left",
            (unsigned long long)*length, size - 8);
    return NULL;
  }
  const pi_json *header = NULL;
  if (!pi_is_utf8(data + 8, (size_t)*length)) {
    pi_fail(error, PINTENT_ERROR_MODEL, "it is not UTF-8");
  } else {
    header = pi_json_read(arena, data + 8, (size_t)*length, rules, error);
  }
  if (header == NULL) {
    pi_prefix(error, "the header is not valid JSON: ");
  }
  return header;
}

static bool pi_read_file(const char *data, size_t size, pi_arena *arena, pi_arena *manifest_arena,
                         pi_file *file, pi_error *error) {
  uint64_t length = 0;
  const pi_json *header = pi_read_header(data, size, &length, manifest_arena, error);
  if (header == NULL) {
    return false;
  }
  file->manifest = pi_read_manifest(header, manifest_arena, error);
  size_t count = header->of.members.count;
  file->tensors = pi_take(manifest_arena, count, sizeof *file->tensors, error);
  if (file->manifest == NULL || file->tensors == NULL) {
    return false;
  }
  bool has_surrogate = false;
  for (size_t n = 0; n < count; n++) {
    const pi_json *entry = header->of.members.sorted[n];
    if (pi_is(entry->key, "__metadata__")) {
      continue;
    }
    has_surrogate |= entry->has_surrogate;
    if (!pi_read_entry(entry, &file->tensors[file->num_tensors++], error)) {
      return false;
    }
  }
  if (!pi_place_tensors(file, data + 8 + length, size - 8 - (size_t)length, manifest_arena, arena,
                        error)) {
    return false;
  }
  if (has_surrogate) {
    return pi_fail(error, PINTENT_ERROR_MODEL,
                   "the manifest or a name cannot be written as JSON");
  }
  if (!pi_check_digest(file, error)) {
    return false;
  }
  for (size_t n = 0; n < file->num_tensors; n++) {
    if (pi_has_bad_number(&file->tensors[n])) {
      return pi_fail(error, PINTENT_ERROR_MODEL,
                     "tensor '%.*s' has a number that is NaN, infinite or beyond 65504",
                     PI_SHOWN(file->tensors[n].name));
    }
  }
  return true;
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

static const pi_tensor *pi_need_tensor(const pi_file *file, const char *name, pi_dtype dtype,
                                       size_t num_axes, const uint64_t *shape, pi_error *error) {
  const pi_tensor *tensor = pi_find_tensor(file, name);
  bool fits = tensor != NULL && tensor->dtype == dtype && tensor->num_axes == num_axes;
  for (size_t axis = 0; fits && shape != NULL && axis < num_axes; axis++) {
    fits = tensor->shape[axis] == shape[axis];
  }
  if (!fits) {
    pi_fail(error, PINTENT_ERROR_MODEL, "tensor %s is %s", name,
            tensor == NULL ? "missing" : "of another type or shape than its settings require");
    return NULL;
  }
  return tensor;
}
