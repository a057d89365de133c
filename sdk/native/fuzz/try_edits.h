/* For the fuzzer: sequences of edits, saves and openings. The first byte chooses the bot; each step has a
 * byte for what to do, and texts, each after a byte with its length. */

#ifndef PINTENT_TRY_EDITS_H
#define PINTENT_TRY_EDITS_H

#include "opened.h"

enum { MOST_STEPS = 8, MOST_TEXTS = 3 };

/* What is left of the input. */
typedef struct input {
  const uint8_t *data;
  size_t size;
} input;

static uint8_t take_byte(input *from) {
  uint8_t byte = from->size > 0 ? *from->data : 0;
  from->data += from->size > 0;
  from->size -= from->size > 0;
  return byte;
}

/* A text of its own size in memory, which the caller frees. */
static pintent_text take_text(input *from) {
  size_t size = take_byte(from);
  size = size < from->size ? size : from->size;
  pintent_text text = {copy_bytes(from->data, size), size};
  from->data += size;
  from->size -= size;
  return text;
}

/* Memory that ends after some calls, for the edits of an input. */
typedef struct limited {
  size_t left, used;
} limited;

static void *allocate(void *context, size_t size) {
  limited *memory = context;
  if (memory->left == 0) {
    return NULL;
  }
  memory->left--;
  memory->used++;
  return malloc(size);
}

static void release(void *context, void *memory, size_t size) {
  limited *from = context;
  (void)size;
  from->used--;
  free(memory);
}

/* The intent of a number, or a name of the input. */
static pintent_text choose_name(const pintent_bot *bot, uint8_t number, const pintent_text *own) {
  size_t count = pintent_num_intents(bot);
  return number % 4 != 0 && count > 0 ? pintent_intent(bot, number % count) : *own;
}

static pintent_status add(const pintent_bot *bot, input *from, uint8_t kind, pintent_bot **next) {
  pintent_text own = take_text(from), texts[2 * MOST_TEXTS];
  size_t numbers = take_byte(from), count = numbers % (MOST_TEXTS + 1);
  size_t exceptions = numbers / 16 % (MOST_TEXTS + 1);
  for (size_t n = 0; n < count + exceptions; n++) {
    texts[n] = take_text(from);
  }
  pintent_addition addition = {choose_name(bot, kind, &own), texts,    count,
                               texts + count,                exceptions, 0.0,
                               kind % 8 == 7};
  addition.threshold = (double)take_byte(from) / 100 - 1.2;
  pintent_message message;
  pintent_status status = pintent_add_intent(bot, &addition, next, &message);
  CHECK((status == PINTENT_OK) == (message.text[0] == '\0'));
  for (size_t n = 0; n < count + exceptions; n++) {
    free((char *)(uintptr_t)texts[n].data);
  }
  free((char *)(uintptr_t)own.data);
  return status;
}

static pintent_status take_away(const pintent_bot *bot, input *from, uint8_t kind,
                                pintent_bot **next) {
  pintent_text own = take_text(from), name = choose_name(bot, kind, &own);
  pintent_status status = pintent_remove_intent(bot, name.data, name.size, next, NULL);
  free((char *)(uintptr_t)own.data);
  return status;
}

/* The bot that is saved and opened again; `file` is what it is read from. */
static pintent_status reopen(const pintent_bot *bot, const pintent_allocator *memory, char **file,
                             pintent_bot **next) {
  size_t size = 0;
  pintent_status status = pintent_save_buffer(bot, NULL, 0, &size);
  if (status != PINTENT_ERROR_SIZE) {
    return status;
  }
  char *content = malloc(size);
  CHECK(content != NULL);
  status = pintent_save_buffer(bot, content, size, &size);
  if (status == PINTENT_OK) {
    status = pintent_open_buffer(content, size, memory, next, NULL);
  }
  *file = status == PINTENT_OK ? content : NULL;
  if (status != PINTENT_OK) {
    free(content);
  }
  return status;
}

/* Another bot after one step, or the same after a refusal; `file` is what it is read from. */
static pintent_bot *step(pintent_bot *bot, input *from, const pintent_allocator *memory,
                         char **file) {
  uint8_t kind = take_byte(from);
  char *content = NULL;
  pintent_bot *next = NULL;
  pintent_status status = kind / 32 < 5   ? add(bot, from, kind, &next)
                          : kind / 32 < 7 ? take_away(bot, from, kind, &next)
                                          : reopen(bot, memory, &content, &next);
  CHECK((status == PINTENT_OK) == (next != NULL));
  CHECK(status == PINTENT_OK || status == PINTENT_ERROR_MEMORY ||
        (content == NULL && status == PINTENT_ERROR_TEMPLATES) || status == PINTENT_ERROR_ARGUMENT);
  if (next == NULL) {
    return bot;
  }
  pintent_close(bot);
  if (content != NULL) {
    free(*file);
    *file = content;
  }
  return next;
}

static void try_edits(const uint8_t *data, size_t size) {
  input from = {data, size};
  size_t length;
  char *file = save_bot(opened_bots[take_byte(&from) % num_opened], &length);
  uint8_t limit = take_byte(&from);
  limited memory = {limit < 200 ? SIZE_MAX : 40 + 20 * (size_t)(limit - 200), 0};
  pintent_allocator allocator = {allocate, release, &memory};
  pintent_bot *bot;
  pintent_status status = pintent_open_buffer(file, length, &allocator, &bot, NULL);
  CHECK(status == PINTENT_OK || status == PINTENT_ERROR_MEMORY);
  for (int n = 0; bot != NULL && n < MOST_STEPS && from.size > 0; n++) {
    bot = step(bot, &from, &allocator, &file);
  }
  if (bot != NULL) {
    pintent_text text = take_text(&from);
    memory.left = SIZE_MAX;
    check_save(bot, text.data, text.size);
    free((char *)(uintptr_t)text.data);
    pintent_close(bot);
  }
  CHECK(memory.used == 0);
  free(file);
}

#endif
