/* The fuzzer of libFuzzer: the variable POCKETINTENT_TRY says what is tried: `bots`, `texts`, `edits` or
 * `sets`. benchmarks/robustness/core_fuzz.py compiles and runs it; docs/robustness.md says how. */

#include "try_bots.h"
#include "try_edits.h"
#include "try_sets.h"
#include "try_texts.h"

int LLVMFuzzerInitialize(int *count, char ***arguments);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *one, size_t one_size, const uint8_t *other,
                                 size_t other_size, uint8_t *data, size_t capacity, unsigned seed);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void (*try_input)(const uint8_t *data, size_t size) = try_bot;

int LLVMFuzzerInitialize(int *count, char ***arguments) {
  const char *name = getenv("POCKETINTENT_TRY");
  (void)count;
  (void)arguments;
  CHECK(name != NULL);
  if (strcmp(name, "bots") != 0) {
    try_input = strcmp(name, "texts") == 0  ? try_texts
                : strcmp(name, "sets") == 0 ? try_sets
                                            : try_edits;
    open_bots();
  }
  return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed) {
  return try_input == try_bot ? change_file(data, size, capacity, seed)
                              : LLVMFuzzerMutate(data, size, capacity);
}

/* Of all but bots, the end of one after the beginning of the other. */
size_t LLVMFuzzerCustomCrossOver(const uint8_t *one, size_t one_size, const uint8_t *other,
                                 size_t other_size, uint8_t *data, size_t capacity, unsigned seed) {
  if (try_input == try_bot) {
    return cross_files(one, one_size, other, other_size, data, capacity, seed);
  }
  size_t first = one_size == 0 ? 0 : draw(&seed, one_size), rest = 0;
  first = first < capacity ? first : capacity;
  rest = other_size == 0 ? 0 : draw(&seed, other_size);
  rest = rest < capacity - first ? rest : capacity - first;
  memcpy(data, one, first);
  memcpy(data + first, other + (other_size - rest), rest);
  return first + rest;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  try_input(data, size);
  return 0;
}
