/* Matches as JSON, in the form that `pocketintent match` prints. */

#include "json.h"

/* A buffer of the caller; what does not fit is counted. */
typedef struct pi_output {
  char *data;
  size_t capacity, size;
} pi_output;

static void pi_put(void *context, const char *data, size_t size) {
  pi_output *output = context;
  if (output->size < output->capacity && size <= output->capacity - output->size) {
    memcpy(output->data + output->size, data, size);
  }
  output->size += size;
}

static void pi_put_key(pi_output *output, const char *key) {
  pi_put(output, key, strlen(key));
}

static void pi_put_text(pi_output *output, pintent_text text) {
  if (text.data == NULL) {
    pi_put(output, "null", 4);
  } else {
    pi_json_write_string(text, pi_put, output);
  }
}

static void pi_put_number(pi_output *output, double number) {
  char text[PI_NUMBER_SIZE];
  pi_put(output, text, pi_write_double(number, text));
}

static void pi_put_candidate(pi_output *output, const pintent_candidate *candidate) {
  pi_put_key(output, "{\"intent\":");
  pi_put_text(output, candidate->intent);
  pi_put_key(output, ",\"score\":");
  pi_put_number(output, candidate->score);
  pi_put_key(output, ",\"template\":");
  pi_put_text(output, candidate->template_text);
  pi_put_key(output, "}");
}

/* Puts a NUL behind a text that fits. */
static pintent_status pi_end_output(pi_output *output, size_t *length) {
  *length = output->size;
  if (output->size >= output->capacity) {
    return PINTENT_ERROR_SIZE;
  }
  output->data[output->size] = '\0';
  return PINTENT_OK;
}

pintent_status pintent_match_json(const pintent_bot *bot, pintent_scratch *scratch,
                                  const char *text, size_t size, char *json, size_t capacity,
                                  size_t *length) {
  pintent_match match;
  if (length == NULL || (json == NULL && capacity > 0)) {
    return PINTENT_ERROR_ARGUMENT;
  }
  pintent_status status = pintent_match_text(bot, scratch, text, size, &match);
  if (status != PINTENT_OK) {
    return status;
  }
  pi_output output = {json, capacity, 0};
  pi_put_key(&output, "{\"intent\":");
  pi_put_text(&output, match.intent);
  pi_put_key(&output, ",\"score\":");
  pi_put_number(&output, match.nearest.score);
  pi_put_key(&output, ",\"template\":");
  pi_put_text(&output, match.nearest.template_text);
  pi_put_key(&output, ",\"nearest\":");
  pi_put_text(&output, match.nearest.intent);
  pi_put_key(&output, ",\"runner_up\":");
  if (match.has_runner_up) {
    pi_put_candidate(&output, &match.runner_up);
    pi_put_key(&output, ",\"margin\":");
    pi_put_number(&output, match.margin);
  } else {
    pi_put_key(&output, "null,\"margin\":null");
  }
  pi_put_key(&output, ",\"reason\":");
  const char *reason = pintent_reason_text(match.reason);
  pintent_text name = {match.reason == PINTENT_REASON_NONE ? NULL : reason, strlen(reason)};
  pi_put_text(&output, name);
  pi_put_key(&output, "}");
  return pi_end_output(&output, length);
}

pintent_status pintent_rank_json(const pintent_bot *bot, pintent_scratch *scratch, const char *text,
                                 size_t size, size_t limit, char *json, size_t capacity,
                                 size_t *length) {
  if (!pi_can_use(bot, scratch, text, size) || limit == 0 || length == NULL ||
      (json == NULL && capacity > 0)) {
    return PINTENT_ERROR_ARGUMENT;
  }
  pi_output output = {json, capacity, 0};
  pi_put_key(&output, "[");
  bool is_scored = pi_score_text(bot, scratch, text, size);
  for (size_t n = 0; is_scored && n < limit && n < bot->index.num; n++) {
    pintent_candidate candidate = pi_candidate(bot, pi_take_best(bot, scratch));
    if (n > 0) {
      pi_put_key(&output, ",");
    }
    pi_put_candidate(&output, &candidate);
  }
  pi_put_key(&output, "]");
  return pi_end_output(&output, length);
}
