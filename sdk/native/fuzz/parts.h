/* A model file in parts that a fuzzer changes, and the file of parts, with a valid checksum. */

#ifndef PINTENT_PARTS_H
#define PINTENT_PARTS_H

#include "checks.h"

enum { MOST_TENSORS = 64, MOST_PART = 1 << 16 };

/* Names and tensors' data are of the arena until it is freed, or in the rooms. */
typedef struct parts {
  pi_arena arena;
  char manifest[MOST_PART]; /* JSON */
  size_t manifest_size;
  pi_tensor tensors[MOST_TENSORS]; /* by name */
  size_t sizes[MOST_TENSORS];      /* bytes */
  size_t num_tensors;
  char rooms[MOST_TENSORS][MOST_PART];
} parts;

/* Takes a file apart; false if it is none, or too large. The arena is to be freed in both cases. */
static bool take_apart(const uint8_t *data, size_t size, parts *to) {
  pi_error error = {PINTENT_OK, {""}};
  pi_file file;
  uint64_t length = 0;
  to->num_tensors = 0;
  memset(&file, 0, sizeof file);
  pi_arena_init(&to->arena, NULL);
  char *copy = pi_arena_raw(&to->arena, size + 8, 1);
  CHECK(copy != NULL);
  memcpy(copy, data, size);
  if (size < 9 || !pi_list_file(copy, size, &to->arena, &to->arena, &file, &error)) {
    return false;
  }
  const pi_json *header = pi_read_header(copy, size, &length, &to->arena, &error);
  const pi_json *text = pi_json_get(pi_json_get(header, "__metadata__"), "pocketintent");
  if (text == NULL || text->of.string.size > MOST_PART || file.num_tensors > MOST_TENSORS) {
    return false;
  }
  to->manifest_size = text->of.string.size;
  memcpy(to->manifest, text->of.string.data, to->manifest_size);
  to->num_tensors = file.num_tensors;
  for (size_t n = 0; n < file.num_tensors; n++) {
    to->tensors[n] = file.tensors[n];
    to->sizes[n] = (size_t)(file.tensors[n].end - file.tensors[n].begin);
    if (to->sizes[n] > MOST_PART) {
      return false;
    }
    memcpy(to->rooms[n], file.tensors[n].data, to->sizes[n]);
    to->tensors[n].data = to->rooms[n];
  }
  return true;
}

/* Writes the valid hash over that of a file, where it has one. */
static void seal(uint8_t *data, size_t size) {
  pi_error error = {PINTENT_OK, {""}};
  pi_file file;
  pi_arena arena;
  char found[64], *copy = copy_bytes(data, size);
  memset(&file, 0, sizeof file);
  pi_arena_init(&arena, NULL);
  if (size >= 9 && pi_list_file(copy, size, &arena, &arena, &file, &error) &&
      pi_find_digest(&file, found)) {
    const pi_json *given = pi_json_get(file.manifest, "sha256");
    bool is_digest = given != NULL && given->type == PI_JSON_STRING && given->of.string.size == 64;
    for (size_t n = 8; is_digest && n + 64 <= size; n++) {
      if (memcmp(data + n, given->of.string.data, 64) == 0) {
        memcpy(data + n, found, 64);
        break;
      }
    }
  }
  pi_arena_free(&arena);
  free(copy);
}

static void put_entry(pi_output *header, const pi_tensor *tensor, size_t begin, size_t size) {
  char number[64];
  pi_put(header, ",", 1);
  pi_json_write_string(tensor->name, pi_put, header);
  pi_put_key(header, ":{\"dtype\":\"");
  pi_put_key(header, pi_dtypes[tensor->dtype].name);
  pi_put_key(header, "\",\"shape\":[");
  for (size_t axis = 0; axis < tensor->num_axes; axis++) {
    pi_put(header, number, pi_format(number, sizeof number, "%s%llu", axis == 0 ? "" : ",",
                                     (unsigned long long)tensor->shape[axis]));
  }
  pi_put(header, number, pi_format(number, sizeof number, "],\"data_offsets\":[%zu,%zu]}", begin,
                                   begin + size));
}

/* Writes the file of parts, with a valid hash; its size, or 0 if it does not fit. */
static size_t put_together(const parts *from, uint8_t *data, size_t capacity) {
  pi_output output = {(char *)data, capacity, 8};
  pintent_text manifest = {from->manifest, from->manifest_size};
  size_t begin = 0;
  pi_put_key(&output, "{\"__metadata__\":{\"pocketintent\":");
  pi_json_write_string(manifest, pi_put, &output);
  pi_put_key(&output, "}");
  for (size_t n = 0; n < from->num_tensors; n++) {
    put_entry(&output, &from->tensors[n], begin, from->sizes[n]);
    begin += from->sizes[n];
  }
  pi_put_key(&output, "}");
  uint64_t length = output.size - 8;
  for (size_t n = 0; n < from->num_tensors; n++) {
    pi_put(&output, from->tensors[n].data, from->sizes[n]);
  }
  if (output.size > capacity) {
    return 0;
  }
  memcpy(data, &length, sizeof length);
  seal(data, output.size);
  return output.size;
}

#endif
