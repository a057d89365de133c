/* The model file as a whole: its header, its manifest and its hash (docs/model-file.md). */

#include "files.h"

enum { PI_MAX_HEADER = 100000000, PI_HEADER_DEPTH = 900, PI_MANIFEST_DEPTH = 254 };

/* Writes the hash of a manifest and its tensors, 64 characters; false if the manifest cannot be
 * written in the canonical form. */
static bool pi_find_digest(const pi_file *file, char *found) {
  pi_sha256 sha;
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
      size_t length = pi_format(number, sizeof number, "%s%llu", axis == 0 ? "" : ",",
                                (unsigned long long)tensor->shape[axis]);
      pi_sha_add(&sha, number, length);
    }
    pi_sha_add(&sha, "]]\n", 3);
    pi_sha_add(&sha, tensor->data, (size_t)(tensor->end - tensor->begin));
  }
  pi_sha_finish(&sha, found);
  return is_writable;
}

static bool pi_check_digest(const pi_file *file, pi_error *error) {
  char found[64];
  if (!pi_find_digest(file, found)) {
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
  const pi_json_rules rules = {PI_MANIFEST_DEPTH, false, false, false};
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
  const pi_json_rules rules = {PI_HEADER_DEPTH, false, false, false};
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

static bool pi_list_file(const char *data, size_t size, pi_arena *arena, pi_arena *manifest_arena,
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
  return !has_surrogate || pi_fail(error, PINTENT_ERROR_MODEL,
                                   "the manifest or a name cannot be written as JSON");
}

static bool pi_read_file(const char *data, size_t size, pi_arena *arena, pi_arena *manifest_arena,
                         pi_file *file, pi_error *error) {
  if (!pi_list_file(data, size, arena, manifest_arena, file, error) ||
      !pi_check_digest(file, error)) {
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
