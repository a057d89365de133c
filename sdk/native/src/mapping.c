/* The content of a file: a memory map where the system has one, otherwise read into memory. */

#ifndef _WIN32
#ifdef __wasm__
#define PI_HAS_MMAP 0
#else
#define PI_HAS_MMAP 1
#endif
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#else
#define PI_HAS_MMAP 0
#include <windows.h>
#endif

#include "base.h"

/* Flags that a strict C library does not show, or that the system has not. */
#ifndef O_NONBLOCK
#define O_NONBLOCK 0
#endif
#ifndef O_CLOEXEC
#define O_CLOEXEC 0
#endif

#if !defined(_WIN32) && PI_HAS_MMAP
#include <sys/mman.h>
#endif

/* The bytes of a file, or of the caller. */
typedef struct pi_content {
  const char *data;
  size_t size;
  bool is_mapped;
} pi_content;

static bool pi_unreadable(pi_error *error, const char *path, const char *why) {
  return pi_fail(error, PINTENT_ERROR_FILE, "%s cannot be read: %s", path, why);
}

#ifndef _WIN32

/* Reads a file where it cannot be mapped. */
static bool pi_read_all(int file, pi_arena *arena, pi_content *content, const char *path,
                        pi_error *error) {
  char *data = pi_take(arena, content->size, 1, error);
  size_t done = 0;
  while (data != NULL && done < content->size) {
    ssize_t part = read(file, data + done, content->size - done);
    if (part <= 0) {
      return pi_unreadable(error, path, part < 0 ? strerror(errno) : "it was shortened");
    }
    done += (size_t)part;
  }
  content->data = data;
  return data != NULL;
}

static bool pi_open_content(const char *path, pi_arena *arena, pi_content *content,
                            pi_error *error) {
  int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a pipe would wait for a writer */
  if (file < 0) {
    return errno == ENOENT
               ? pi_fail(error, PINTENT_ERROR_FILE, "%s: there is no such model file", path)
               : pi_unreadable(error, path, strerror(errno));
  }
  struct stat about;
  bool is_open = fstat(file, &about) == 0;
  if (!is_open) {
    pi_unreadable(error, path, strerror(errno));
  } else if (S_ISDIR(about.st_mode)) {
    is_open = pi_unreadable(error, path, "Is a directory");
  } else if (!S_ISREG(about.st_mode)) {
    is_open = pi_unreadable(error, path, "it is a pipe, a device or a socket, not a file");
  } else if ((uint64_t)about.st_size > SIZE_MAX / 2) {
    is_open = pi_unreadable(error, path, "it is larger than the memory");
  } else if (about.st_size < 8) {
    is_open = pi_fail(error, PINTENT_ERROR_MODEL, "%s is not a model file: it has only %d bytes",
                      path, (int)about.st_size);
  }
  if (is_open) {
    content->size = (size_t)about.st_size;
#if PI_HAS_MMAP
    void *map = mmap(NULL, content->size, PROT_READ, MAP_PRIVATE, file, 0);
    content->is_mapped = map != MAP_FAILED;
    content->data = content->is_mapped ? map : NULL;
#endif
    if (!content->is_mapped) {
      is_open = pi_read_all(file, arena, content, path, error);
    }
  }
  close(file);
  return is_open;
}

static void pi_close_content(pi_content *content) {
#if PI_HAS_MMAP
  if (content->is_mapped) {
    munmap((void *)(uintptr_t)content->data, content->size);
  }
#endif
  content->is_mapped = false;
}

#else

static bool pi_open_content(const char *path, pi_arena *arena, pi_content *content,
                            pi_error *error) {
  wchar_t *name = NULL;
  int length = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, NULL, 0);
  if (length > 0) {
    name = pi_take(arena, (size_t)length, sizeof *name, error);
  }
  if (name == NULL) {
    return pi_unreadable(error, path, "its name is not UTF-8");
  }
  MultiByteToWideChar(CP_UTF8, 0, path, -1, name, length);
  HANDLE file = CreateFileW(name, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE, NULL,
                            OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, NULL);
  if (file == INVALID_HANDLE_VALUE) {
    DWORD code = GetLastError();
    return code == ERROR_FILE_NOT_FOUND || code == ERROR_PATH_NOT_FOUND
               ? pi_fail(error, PINTENT_ERROR_FILE, "%s: there is no such model file", path)
               : pi_unreadable(error, path, "the system refuses it, or it is a directory");
  }
  LARGE_INTEGER size;
  HANDLE map = NULL;
  bool is_open = GetFileType(file) == FILE_TYPE_DISK && GetFileSizeEx(file, &size) != 0;
  if (!is_open) {
    pi_unreadable(error, path, "it is a pipe, a device or a socket, not a file");
  } else if (size.QuadPart < 8) {
    is_open = pi_fail(error, PINTENT_ERROR_MODEL, "%s is not a model file: it has only %d bytes",
                      path, (int)size.QuadPart);
  } else {
    map = CreateFileMappingW(file, NULL, PAGE_READONLY, 0, 0, NULL);
    content->size = (size_t)size.QuadPart;
    content->data = map == NULL ? NULL : MapViewOfFile(map, FILE_MAP_READ, 0, 0, 0);
    content->is_mapped = is_open = content->data != NULL;
    if (!is_open) {
      pi_unreadable(error, path, "it cannot be mapped");
    }
  }
  if (map != NULL) {
    CloseHandle(map);
  }
  CloseHandle(file);
  return is_open;
}

static void pi_close_content(pi_content *content) {
  if (content->is_mapped) {
    UnmapViewOfFile(content->data);
  }
  content->is_mapped = false;
}

#endif
