/* Saving a bot, to memory or to a path. */

#include "saving.h"

/* Prepares a save: all but the bytes of the tensors. */
static bool pi_begin_save(pi_save *save) {
  const pi_content *content = &save->bot->shared->content;
  if (!pi_list_file(content->data, content->size, &save->arena, &save->arena, &save->base,
                    save->error) ||
      !pi_save_tensors(save)) {
    return false;
  }
  if (!pi_place_saved(save) || !pi_save_manifest(save) || !pi_save_header(save)) {
    return false;
  }
  size_t last = save->order[save->file.num_tensors - 1];
  save->size = save->header.size + (size_t)save->file.tensors[last].end;
  return true;
}

/* Hands all bytes to a sink. */
static void pi_write_save(const pi_save *save, pi_sink_bytes sink, void *context) {
  sink(context, save->header.data, save->header.size);
  for (size_t n = 0; n < save->file.num_tensors; n++) {
    const pi_tensor *tensor = &save->file.tensors[save->order[n]];
    if (tensor->end > tensor->begin) {
      sink(context, tensor->data, (size_t)(tensor->end - tensor->begin));
    }
  }
}

/* Prepares a save, and hands it on; its memory is freed then. */
static pintent_status pi_save_by(const pintent_bot *bot,
                                 void (*finish)(pi_save *save, void *context), void *context,
                                 pintent_message *message) {
  pi_error error = {PINTENT_OK, {""}};
  pi_save save = {.bot = bot, .error = &error};
  pi_arena_init(&save.arena, &bot->arena.allocator);
  if (pi_begin_save(&save)) {
    finish(&save, context);
  }
  pi_arena_free(&save.arena);
  if (message != NULL) {
    *message = error.message;
  }
  return error.status;
}

/* The caller's buffer, and the size of what is saved. */
typedef struct pi_room {
  pi_output output;
  size_t *size;
} pi_room;

static void pi_finish_buffer(pi_save *save, void *context) {
  pi_room *room = context;
  *room->size = save->size;
  if (save->size > room->output.capacity) {
    pi_fail(save->error, PINTENT_ERROR_SIZE, "the bot file has %zu bytes", save->size);
  } else {
    pi_write_save(save, pi_put, &room->output);
  }
}

pintent_status pintent_save_buffer(const pintent_bot *bot, void *data, size_t capacity,
                                   size_t *size) {
  if (bot == NULL || size == NULL || (data == NULL && capacity > 0)) {
    return PINTENT_ERROR_ARGUMENT;
  }
  pi_room room = {{data, capacity, 0}, size};
  return pi_save_by(bot, pi_finish_buffer, &room, NULL);
}

static void pi_finish_path(pi_save *save, void *context) {
  const char *path = context;
  pi_new_file file;
  if (pi_begin_file(path, &save->arena, &file, save->error)) {
    pi_write_save(save, pi_write_bytes, &file);
    pi_end_file(path, &file, save->error);
  }
}

pintent_status pintent_save(const pintent_bot *bot, const char *path, pintent_message *message) {
  if (bot == NULL || path == NULL) {
    return PINTENT_ERROR_ARGUMENT;
  }
  return pi_save_by(bot, pi_finish_path, (void *)(uintptr_t)path, message);
}
