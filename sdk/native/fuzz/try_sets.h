/* For the fuzzer: JSON as a template set. The first byte chooses the bot, the second when its memory
 * ends, and the rest is the JSON. */

#ifndef PINTENT_TRY_SETS_H
#define PINTENT_TRY_SETS_H

#include "try_edits.h"

/* The set of a bot as JSON, with a NUL behind it, in memory that the caller frees. */
static char *templates_of(const pintent_bot *bot, size_t *size) {
  CHECK(pintent_templates_json(bot, NULL, 0, size) == PINTENT_ERROR_SIZE);
  char *json = malloc(*size + 1);
  CHECK(json != NULL);
  CHECK(pintent_templates_json(bot, json, *size + 1, size) == PINTENT_OK && json[*size] == '\0');
  return json;
}

/* The set that a bot says it has gives the same bot, whatever was before. */
static void check_set(const pintent_bot *bot, const pintent_bot *before) {
  const pintent_bot *starts[] = {bot, before};
  size_t json_size, file_size, size;
  char *json = templates_of(bot, &json_size), *file = save_bot(bot, &file_size);
  for (int n = 0; n < 2; n++) {
    pintent_bot *again;
    CHECK(pintent_set_templates(starts[n], json, json_size, &again, NULL) == PINTENT_OK);
    char *content = save_bot(again, &size);
    CHECK(size == file_size && memcmp(content, file, size) == 0);
    free(content);
    pintent_close(again);
  }
  free(json);
  free(file);
}

static void try_sets(const uint8_t *data, size_t size) {
  input from = {data, size};
  size_t length;
  char *file = save_bot(opened_bots[take_byte(&from) % num_opened], &length);
  uint8_t limit = take_byte(&from);
  limited memory = {SIZE_MAX, 0};
  pintent_allocator allocator = {allocate, release, &memory};
  pintent_bot *bot, *next = NULL;
  pintent_message message;
  CHECK(pintent_open_buffer(file, length, &allocator, &bot, NULL) == PINTENT_OK);
  memory.left = limit < 200 ? SIZE_MAX : (size_t)(limit - 200);
  char *json = copy_bytes(from.data, from.size);
  pintent_status status = pintent_set_templates(bot, json, from.size, &next, &message);
  memory.left = SIZE_MAX;
  free(json);
  CHECK((status == PINTENT_OK) == (next != NULL));
  CHECK((status == PINTENT_OK) == (message.text[0] == '\0'));
  CHECK(status == PINTENT_OK || status == PINTENT_ERROR_TEMPLATES ||
        (limit >= 200 && status == PINTENT_ERROR_MEMORY));
  if (next != NULL) {
    check_set(next, bot);
    check_save(next, "turn the light on", 17);
    pintent_close(next);
  }
  pintent_close(bot);
  CHECK(memory.used == 0);
  free(file);
}

#endif
