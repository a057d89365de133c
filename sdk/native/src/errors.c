/* Errors: the first one of a task, with a message for the person who made the file. */

#include "base.h"

/* Leaves out the beginning of a code point that was cut, and what a terminal must not get. */
static void pi_clean_message(char *text) {
  size_t size = strlen(text);
  size_t end = size;
  while (end > 0 && ((unsigned char)text[end - 1] & 0xC0) == 0x80) {
    end--;
  }
  if (end > 0 && (unsigned char)text[end - 1] >= 0xC0) {
    unsigned char lead = (unsigned char)text[end - 1];
    size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (end - 1 + length != size) {
      text[end - 1] = '\0';
    }
  }
  for (; *text != '\0'; text++) {
    if ((unsigned char)*text < ' ' || *text == 0x7F) {
      *text = ' ';
    }
  }
}

static bool pi_fail(pi_error *error, pintent_status status, const char *format, ...) {
  if (error->status == PINTENT_OK) {
    error->status = status;
    va_list arguments;
    va_start(arguments, format);
    pi_format_list(error->message.text, sizeof error->message.text, format, &arguments);
    va_end(arguments);
    pi_clean_message(error->message.text);
  }
  return false;
}

static void pi_prefix(pi_error *error, const char *format, ...) {
  if (error->status == PINTENT_OK || error->status == PINTENT_ERROR_MEMORY) {
    return;
  }
  pintent_message old = error->message;
  va_list arguments;
  va_start(arguments, format);
  pi_format_list(error->message.text, sizeof error->message.text, format, &arguments);
  va_end(arguments);
  size_t used = strlen(error->message.text);
  pi_format(error->message.text + used, sizeof error->message.text - used, "%s", old.text);
  pi_clean_message(error->message.text);
}

const char *pintent_status_text(pintent_status status) {
  switch (status) {
    case PINTENT_OK:
      return "done";
    case PINTENT_ERROR_ARGUMENT:
      return "an argument is missing or out of its range";
    case PINTENT_ERROR_MEMORY:
      return "there is no memory";
    case PINTENT_ERROR_FILE:
      return "the file cannot be read";
    case PINTENT_ERROR_MODEL:
      return "not a bot file, damaged or too new";
    case PINTENT_ERROR_TEMPLATES:
      return "the templates break the format";
    case PINTENT_ERROR_UNSUPPORTED:
      return "this library cannot do that, or cannot run a part of the bot file";
    case PINTENT_ERROR_SIZE:
      return "the buffer is too small";
  }
  return "unknown status";
}

const char *pintent_reason_text(pintent_reason reason) {
  switch (reason) {
    case PINTENT_REASON_NONE:
      return "";
    case PINTENT_REASON_COUNTER_EXAMPLE:
      return "counter_example";
    case PINTENT_REASON_BELOW_THRESHOLD:
      return "below_threshold";
    case PINTENT_REASON_AMBIGUOUS:
      return "ambiguous";
    case PINTENT_REASON_UNKNOWN_WORDS:
      return "unknown_words";
    case PINTENT_REASON_NO_TEMPLATES:
      return "no_templates";
  }
  return "";
}
