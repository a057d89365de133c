/* For the fuzzer: bot files. Most changes are of parts of a file, which is then put together with a valid
 * checksum, so that they reach the readers behind it; the rest are of its bytes. */

#ifndef PINTENT_TRY_BOTS_H
#define PINTENT_TRY_BOTS_H

#include "parts.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t capacity);

/* A number below a limit, from a state that it changes. */
static size_t draw(unsigned *state, size_t limit) {
  *state = *state * 1103515245u + 12345u;
  return (*state >> 8) % limit;
}

/* Replaces one number of the manifest's JSON. */
static void change_number(parts *of, unsigned *state) {
  static const char *const numbers[] = {"0",   "1",     "-1",         "2",    "3",     "4",    "5",
                                        "7",   "255",   "256",        "65536", "1e300", "-0.5", "1e-40",
                                        "8.5", "2147483648", "4611686018427387904", "1e30", "null",
                                        "true"};
  size_t starts[512], count = 0;
  for (size_t n = 1; n < of->manifest_size && count < 512; n++) {
    bool is_digit = of->manifest[n] >= '0' && of->manifest[n] <= '9';
    char before = of->manifest[n - 1];
    if (is_digit && (before == ' ' || before == ':' || before == '-' || before == '[')) {
      starts[count++] = n;
    }
  }
  if (count == 0) {
    return;
  }
  size_t start = starts[draw(state, count)], end = start;
  while (end < of->manifest_size && strchr("0123456789.eE+-", of->manifest[end]) != NULL) {
    end++;
  }
  const char *number = numbers[draw(state, sizeof numbers / sizeof *numbers)];
  size_t size = strlen(number);
  if (of->manifest_size + size < MOST_PART) {
    memmove(of->manifest + start + size, of->manifest + end, of->manifest_size - end);
    memcpy(of->manifest + start, number, size);
    of->manifest_size = of->manifest_size - (end - start) + size;
  }
}

/* Changes the bytes of a tensor, and perhaps how many rows it has. */
static void change_tensor(parts *of, size_t number, bool keeps_size) {
  pi_tensor *tensor = &of->tensors[number];
  size_t old = of->sizes[number], rows = tensor->num_axes == 0 ? 1 : (size_t)tensor->shape[0];
  size_t row = rows == 0 ? 1 : old / rows;
  uint8_t *data = (uint8_t *)of->rooms[number];
  size_t size = LLVMFuzzerMutate(data, old, keeps_size ? old : MOST_PART);
  if (size < old && keeps_size) {
    memset(data + size, 0, old - size);
  } else if (!keeps_size && row > 0 && tensor->num_axes > 0) {
    tensor->shape[0] = size / row;
    of->sizes[number] = size / row * row;
  }
}

/* Gives a tensor another type of numbers, or the data and the shape of another tensor. */
static void change_kind(parts *of, unsigned *state) {
  size_t one = draw(state, of->num_tensors), two = draw(state, of->num_tensors);
  if (draw(state, 2) == 0) {
    size_t size = pi_dtypes[of->tensors[one].dtype].size;
    pi_dtype dtype = (pi_dtype)draw(state, PI_NUM_DTYPES);
    of->tensors[one].dtype = pi_dtypes[dtype].size == size ? dtype : of->tensors[one].dtype;
  } else {
    pintent_text name = of->tensors[one].name;
    memmove(of->rooms[one], of->rooms[two], of->sizes[two]);
    of->tensors[one] = of->tensors[two];
    of->sizes[one] = of->sizes[two];
    of->tensors[one].name = name;
    of->tensors[one].data = of->rooms[one];
  }
}

/* The position of the template set, which has a reader of its own. */
static size_t find_templates(const parts *of, size_t otherwise) {
  for (size_t n = 0; n < of->num_tensors; n++) {
    otherwise = pi_is(of->tensors[n].name, "bot.templates") ? n : otherwise;
  }
  return otherwise;
}

static void change_parts(parts *of, unsigned *state) {
  size_t any = draw(state, of->num_tensors), kind = draw(state, 16);
  if (kind < 3) {
    of->manifest_size = LLVMFuzzerMutate((uint8_t *)of->manifest, of->manifest_size, MOST_PART);
  } else if (kind < 6) {
    change_number(of, state);
  } else if (kind < 10) {
    change_tensor(of, find_templates(of, any), false);
  } else if (kind < 13) {
    change_tensor(of, any, true);
  } else if (kind < 14) {
    change_tensor(of, any, false);
  } else {
    change_kind(of, state);
  }
}

static size_t change_file(uint8_t *data, size_t size, size_t capacity, unsigned seed) {
  static parts taken;
  unsigned state = seed;
  size_t written = 0;
  if (draw(&state, 12) > 0 && take_apart(data, size, &taken) && taken.num_tensors > 0) {
    for (size_t n = draw(&state, 2) + 1; n > 0; n--) {
      change_parts(&taken, &state);
    }
    written = put_together(&taken, data, capacity);
  }
  pi_arena_free(&taken.arena);
  if (written == 0) {
    written = LLVMFuzzerMutate(data, size, capacity);
    seal(data, written);
  }
  return written;
}

/* A file with a tensor of another one. */
static size_t cross_files(const uint8_t *one, size_t one_size, const uint8_t *other,
                          size_t other_size, uint8_t *data, size_t capacity, unsigned seed) {
  static parts first, second;
  unsigned state = seed;
  size_t written = 0;
  bool is_first = take_apart(one, one_size, &first), is_second = take_apart(other, other_size, &second);
  if (is_first && is_second && first.num_tensors > 0 && second.num_tensors > 0) {
    size_t n = draw(&state, second.num_tensors), place = draw(&state, first.num_tensors);
    for (size_t same = 0; same < first.num_tensors; same++) {
      place = pi_same(first.tensors[same].name, second.tensors[n].name) ? same : place;
    }
    first.tensors[place] = second.tensors[n];
    first.sizes[place] = second.sizes[n];
    written = put_together(&first, data, capacity);
  }
  pi_arena_free(&first.arena);
  pi_arena_free(&second.arena);
  return written;
}

static void try_bot(const uint8_t *data, size_t size) {
  static const char *const texts[] = {"turn on the light", "plai sme music", "",
                                      "the \xED\xA0\x80 \xF0\x9F\x99\x82 light the"};
  void *content = copy_bytes(data, size);
  pintent_bot *bot, *next = NULL;
  pintent_message message;
  rounding = INFINITY;
  pintent_status status = pintent_open_buffer(content, size, NULL, &bot, &message);
  CHECK((status == PINTENT_OK) == (bot != NULL) && (bot != NULL) == (message.text[0] == '\0'));
  if (bot != NULL) {
    pintent_scratch *scratch;
    pintent_match match;
    CHECK(pintent_scratch_new(bot, size % 2 * 4096, &scratch) == PINTENT_OK);
    for (size_t n = 0; n < sizeof texts / sizeof *texts; n++) {
      check_text(bot, scratch, texts[n], strlen(texts[n]), &match);
    }
    pintent_scratch_free(scratch);
    if (size % 4 == 0) {
      pintent_text more[] = {{texts[0], strlen(texts[0])}, {texts[1], strlen(texts[1])}};
      pintent_addition addition = {{"new", 3}, more, 2, more, 1, 0.0, 0};
      check_save(bot, texts[0], strlen(texts[0]));
      if (pintent_add_intent(bot, &addition, &next, NULL) == PINTENT_OK) {
        check_save(next, texts[1], strlen(texts[1]));
      }
    }
  }
  pintent_close(next);
  pintent_close(bot);
  free(content);
}

#endif
