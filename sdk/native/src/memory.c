/* Memory: an arena over the caller's allocator, and a sort that needs none. */

#include <stdlib.h>

#include "base.h"

struct pi_block {
  pi_block *before;
  size_t size; /* of the whole block, as it was asked of the allocator */
};

enum { PI_ALIGNMENT = 64, PI_BLOCK = 1 << 16 };

/* Under AddressSanitizer each thing has a block of its own, and what follows it may not be touched. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PI_GUARDED 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define PI_GUARDED 1
#endif
#ifdef PI_GUARDED
#include <sanitizer/asan_interface.h>
#define PI_GUARD(place, size) ASAN_POISON_MEMORY_REGION(place, size)
#else
#define PI_GUARDED 0
#define PI_GUARD(place, size) ((void)0)
#endif

static void *pi_allocate_by_malloc(void *context, size_t size) {
  (void)context;
  return malloc(size);
}

static void pi_release_by_free(void *context, void *memory, size_t size) {
  (void)context;
  (void)size;
  free(memory);
}

static void pi_arena_init(pi_arena *arena, const pintent_allocator *allocator) {
  memset(arena, 0, sizeof *arena);
  if (allocator != NULL) {
    arena->allocator = *allocator;
  } else {
    arena->allocator.allocate = pi_allocate_by_malloc;
    arena->allocator.release = pi_release_by_free;
  }
}

static void pi_arena_free(pi_arena *arena) {
  while (arena->blocks != NULL) {
    pi_block *block = arena->blocks;
    arena->blocks = block->before;
    arena->allocator.release(arena->allocator.context, block, block->size);
  }
  arena->next = NULL;
  arena->left = 0;
}

/* Space in front of what is handed out, up to the next aligned address. */
static size_t pi_padding(const char *place) {
  return (size_t)(-(uintptr_t)place & (PI_ALIGNMENT - 1));
}

static void *pi_arena_raw(pi_arena *arena, size_t count, size_t size) {
  if (size != 0 && count > (SIZE_MAX >> 2) / size) {
    return NULL;
  }
  size_t wanted = count * size;
  size_t padding = pi_padding(arena->next);
  bool is_large = PI_GUARDED || wanted > PI_BLOCK / 4;
  if (PI_GUARDED || arena->next == NULL || arena->left < padding ||
      arena->left - padding < wanted) {
    size_t room = wanted + sizeof(pi_block) + PI_ALIGNMENT;
    room = is_large ? room : PI_BLOCK;
    pi_block *block = arena->allocator.allocate(arena->allocator.context, room);
    if (block == NULL) {
      return NULL;
    }
    block->before = arena->blocks;
    block->size = room;
    arena->blocks = block;
    char *first = (char *)(block + 1);
    /* A large thing has a block of its own; the rest of the block before it stays in use. */
    if (is_large) {
      first += pi_padding(first);
      PI_GUARD(first + wanted, (size_t)((char *)block + room - (first + wanted)));
      return first;
    }
    arena->next = first;
    arena->left = room - sizeof(pi_block);
    padding = pi_padding(first);
  }
  char *taken = arena->next + padding;
  arena->next = taken + wanted;
  arena->left -= padding + wanted;
  return taken;
}

static void *pi_arena_take(pi_arena *arena, size_t count, size_t size) {
  void *memory = pi_arena_raw(arena, count, size);
  return memory == NULL ? NULL : memset(memory, 0, count * size);
}

static void *pi_take(pi_arena *arena, size_t count, size_t size, pi_error *error) {
  void *memory = pi_arena_take(arena, count, size);
  if (memory == NULL) {
    pi_fail(error, PINTENT_ERROR_MEMORY, "there is no memory for %zu times %zu bytes", count, size);
  }
  return memory;
}

static char *pi_copy(pi_arena *arena, const char *data, size_t size, pi_error *error) {
  char *copy = pi_take(arena, size, 1, error);
  if (copy != NULL && size != 0) {
    memcpy(copy, data, size);
  }
  return copy;
}

/* Lets a number sink to its place in a heap whose largest is first. */
static void pi_sink(size_t *heap, size_t place, size_t count, pi_before before,
                    const void *context) {
  for (;;) {
    size_t child = 2 * place + 1;
    if (child >= count) {
      return;
    }
    if (child + 1 < count && before(context, heap[child], heap[child + 1])) {
      child++;
    }
    if (!before(context, heap[place], heap[child])) {
      return;
    }
    size_t moved = heap[place];
    heap[place] = heap[child];
    heap[child] = moved;
    place = child;
  }
}

static void pi_sort(size_t *numbers, size_t count, pi_before before, const void *context) {
  for (size_t place = count / 2; place-- > 0;) {
    pi_sink(numbers, place, count, before, context);
  }
  for (size_t left = count; left-- > 1;) {
    size_t largest = numbers[0];
    numbers[0] = numbers[left];
    numbers[left] = largest;
    pi_sink(numbers, 0, left, before, context);
  }
}
