/* In place of files, where a bot is opened from memory alone (PINTENT_NO_FILES). */

#include "base.h"

/* The bytes of the caller. */
typedef struct pi_content {
  const char *data;
  size_t size;
  bool is_mapped;
} pi_content;

static bool pi_refuse_files(pi_error *error) {
  return pi_fail(error, PINTENT_ERROR_UNSUPPORTED,
                 "this library was built without files (PINTENT_NO_FILES)");
}

static bool pi_open_content(const char *path, pi_arena *arena, pi_content *content,
                            pi_error *error) {
  (void)path, (void)arena, (void)content;
  return pi_refuse_files(error);
}

static void pi_close_content(pi_content *content) { (void)content; }

#ifndef PINTENT_NO_EDITS

typedef struct pi_new_file {
  bool has_failed;
} pi_new_file;

static bool pi_begin_file(const char *path, pi_arena *arena, pi_new_file *file, pi_error *error) {
  (void)path, (void)arena, (void)file;
  return pi_refuse_files(error);
}

static void pi_write_bytes(void *context, const char *data, size_t size) {
  (void)context, (void)data, (void)size;
}

static bool pi_end_file(const char *path, pi_new_file *file, pi_error *error) {
  (void)path, (void)file, (void)error;
  return false;
}

#endif
