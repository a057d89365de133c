/* In place of edits and saves, for an app that only matches (PINTENT_NO_EDITS): the same functions. */

#include "base.h"

static pintent_status pi_refuse_edit(pintent_message *message) {
  pi_error error = {PINTENT_OK, {""}};
  pi_fail(&error, PINTENT_ERROR_UNSUPPORTED,
          "this library was built without edits and saves (PINTENT_NO_EDITS)");
  if (message != NULL) {
    *message = error.message;
  }
  return error.status;
}

pintent_status pintent_add_intent(const pintent_bot *bot, const pintent_addition *addition,
                                  pintent_bot **edited, pintent_message *message) {
  if (edited != NULL) {
    *edited = NULL;
  }
  return bot == NULL || addition == NULL || edited == NULL ? PINTENT_ERROR_ARGUMENT
                                                           : pi_refuse_edit(message);
}

pintent_status pintent_remove_intent(const pintent_bot *bot, const char *name, size_t size,
                                     pintent_bot **edited, pintent_message *message) {
  if (edited != NULL) {
    *edited = NULL;
  }
  return bot == NULL || edited == NULL || (name == NULL && size > 0) ? PINTENT_ERROR_ARGUMENT
                                                                     : pi_refuse_edit(message);
}

pintent_status pintent_set_templates(const pintent_bot *bot, const char *json, size_t size,
                                     pintent_bot **edited, pintent_message *message) {
  return pintent_remove_intent(bot, json, size, edited, message);
}

pintent_status pintent_templates_json(const pintent_bot *bot, char *json, size_t capacity,
                                      size_t *length) {
  return pintent_save_buffer(bot, json, capacity, length);
}

pintent_status pintent_save(const pintent_bot *bot, const char *path, pintent_message *message) {
  return bot == NULL || path == NULL ? PINTENT_ERROR_ARGUMENT : pi_refuse_edit(message);
}

pintent_status pintent_save_buffer(const pintent_bot *bot, void *data, size_t capacity,
                                   size_t *size) {
  return bot == NULL || size == NULL || (data == NULL && capacity > 0) ? PINTENT_ERROR_ARGUMENT
                                                                       : pi_refuse_edit(NULL);
}
