/* A file that appears whole or not at all: written beside its place, and then renamed. */

#ifndef _WIN32
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#else
#include <windows.h>
#endif
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#include "base.h"

#ifdef _WIN32
typedef wchar_t pi_path_char;
#else
typedef char pi_path_char;
#endif

/* A file under construction. */
typedef struct pi_new_file {
  pi_path_char *target, *temporary;
#ifdef _WIN32
  HANDLE handle;
#else
  int handle;
#endif
  bool has_failed;
} pi_new_file;

static bool pi_unwritable(pi_error *error, const char *path, const char *why) {
  return pi_fail(error, PINTENT_ERROR_FILE, "%.300s cannot be written: %s", path, why);
}

/* A number that no other unfinished file near this one has, but by chance. */
static uint32_t pi_draw_number(const void *place) {
  static atomic_uint count;
  uint64_t seed[3] = {(uint64_t)time(NULL), (uintptr_t)place, atomic_fetch_add(&count, 1)};
#if !defined(_WIN32) && !defined(__wasm__)
  seed[2] ^= (uint64_t)getpid() << 32;
#endif
  return pi_fnv(PI_FNV_START, (const char *)seed, sizeof seed);
}

#ifndef _WIN32

/* The path that a symbolic link leads to; the path itself if there is nothing yet. */
static char *pi_follow(const char *path, pi_arena *arena, pi_error *error) {
#if defined(PATH_MAX) && !defined(__wasm__)
  char followed[PATH_MAX];
  path = realpath(path, followed) == NULL ? path : followed;
#endif
  return pi_copy(arena, path, strlen(path) + 1, error);
}

/* Creates the file beside its place, under the name .NAME.NUMBER.tmp. */
static bool pi_begin_file(const char *path, pi_arena *arena, pi_new_file *file, pi_error *error) {
  enum { attempts = 100 };
  memset(file, 0, sizeof *file);
  file->target = pi_follow(path, arena, error);
  if (file->target == NULL) {
    return false;
  }
  struct stat about;
  if (stat(file->target, &about) == 0 && !S_ISREG(about.st_mode)) {
    return pi_unwritable(error, path, S_ISDIR(about.st_mode)
                                          ? "it is a folder; name a file"
                                          : "it is a device, a pipe or a socket; name a file");
  }
  const char *slash = strrchr(file->target, '/'), *name = slash == NULL ? file->target : slash + 1;
  size_t size = strlen(file->target) + 32;
  file->temporary = pi_take(arena, size, 1, error);
  for (int n = 0; file->temporary != NULL && n < attempts; n++) {
    pi_format(file->temporary, size, "%.*s.%s.%08x.tmp", (int)(name - file->target), file->target,
              name, (unsigned)pi_draw_number(file));
    file->handle = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file->handle >= 0 || errno != EEXIST) {
      break;
    }
  }
  return file->temporary != NULL &&
         (file->handle >= 0 || pi_unwritable(error, path, strerror(errno)));
}

static void pi_write_bytes(void *context, const char *data, size_t size) {
  pi_new_file *file = context;
  while (size > 0 && !file->has_failed) {
    ssize_t part = write(file->handle, data, size);
    if (part < 0 && errno == EINTR) {
      continue;
    }
    file->has_failed = part <= 0;
    data += part > 0 ? part : 0;
    size -= part > 0 ? (size_t)part : 0;
  }
}

/* Lets a rename survive a power cut, where the system can do it. */
static void pi_sync_folder(char *target) {
  char *slash = strrchr(target, '/');
  if (slash != NULL) {
    slash[slash == target] = '\0';
  }
  int folder = open(slash == NULL ? "." : target, O_RDONLY | O_CLOEXEC);
  if (folder >= 0) {
    fsync(folder);
    close(folder);
  }
}

/* Gives the file its name; after an error it is removed, and what was there stays. */
static bool pi_end_file(const char *path, pi_new_file *file, pi_error *error) {
  bool is_done = !file->has_failed && fsync(file->handle) == 0;
  int reason = is_done ? 0 : errno;
  if (close(file->handle) != 0 && is_done) {
    is_done = false;
    reason = errno;
  }
  if (is_done && rename(file->temporary, file->target) != 0) {
    is_done = false;
    reason = errno;
  }
  if (!is_done) {
    unlink(file->temporary);
    return pi_unwritable(error, path, reason == 0 ? "the disk is full" : strerror(reason));
  }
  pi_sync_folder(file->target);
  return true;
}

#else

static bool pi_begin_file(const char *path, pi_arena *arena, pi_new_file *file, pi_error *error) {
  enum { more = 32 };
  memset(file, 0, sizeof *file);
  int length = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, NULL, 0);
  if (length <= 0) {
    return pi_unwritable(error, path, "its name is not UTF-8");
  }
  file->target = pi_take(arena, (size_t)length, sizeof(wchar_t), error);
  file->temporary = pi_take(arena, (size_t)length + more, sizeof(wchar_t), error);
  if (file->target == NULL || file->temporary == NULL) {
    return false;
  }
  MultiByteToWideChar(CP_UTF8, 0, path, -1, file->target, length);
  memcpy(file->temporary, file->target, (size_t)length * sizeof(wchar_t));
  char ending[more];
  pi_format(ending, sizeof ending, ".%08x.tmp", (unsigned)pi_draw_number(file));
  MultiByteToWideChar(CP_UTF8, 0, ending, -1, file->temporary + length - 1, more);
  file->handle = CreateFileW(file->temporary, GENERIC_WRITE, 0, NULL, CREATE_NEW,
                             FILE_ATTRIBUTE_NORMAL, NULL);
  return file->handle != INVALID_HANDLE_VALUE ||
         pi_unwritable(error, path, "the folder is missing, or the system refuses it");
}

static void pi_write_bytes(void *context, const char *data, size_t size) {
  enum { most = 1 << 30 };
  pi_new_file *file = context;
  while (size > 0 && !file->has_failed) {
    DWORD part = 0;
    file->has_failed =
        !WriteFile(file->handle, data, (DWORD)(size < most ? size : most), &part, NULL) || part == 0;
    data += part;
    size -= part;
  }
}

static bool pi_end_file(const char *path, pi_new_file *file, pi_error *error) {
  bool is_done = !file->has_failed && FlushFileBuffers(file->handle) != 0;
  CloseHandle(file->handle);
  is_done = is_done && MoveFileExW(file->temporary, file->target,
                                   MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) != 0;
  if (!is_done) {
    DeleteFileW(file->temporary);
    return pi_unwritable(error, path, "the disk is full, or the old file is open");
  }
  return true;
}

#endif
