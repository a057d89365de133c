/* The template set and the settings of a bot as JSON, for the bot file (docs/model-file.md). */

#include "saving.h"

static void pi_put_texts(pi_output *output, const char *key, const pintent_text *texts,
                         size_t count) {
  pi_put_key(output, key);
  pi_put_key(output, ":[");
  for (size_t n = 0; n < count; n++) {
    pi_put(output, ",", n > 0);
    pi_json_write_string(texts[n], pi_put, output);
  }
  pi_put_key(output, "]");
}

/* Puts the counter-examples of an intent from a place on, if there are any; the place behind them. */
static size_t pi_put_exceptions(const pi_templates *set, pi_output *output, const char *key,
                                int64_t intent, size_t place) {
  size_t first = place;
  for (; place < set->num_counter_examples && set->counter_examples[place].intent == intent;
       place++) {
    pi_put_key(output, place == first ? key : ",");
    pi_json_write_string(set->counter_examples[place].text, pi_put, output);
  }
  if (place > first) {
    pi_put_key(output, "]");
  }
  return place;
}

static void pi_put_set_intent(const pi_templates *set, pi_output *output, size_t intent,
                              size_t *place) {
  size_t first = set->bounds[intent];
  pi_put(output, ",", intent > 0);
  pi_json_write_string(set->names[intent], pi_put, output);
  pi_put_key(output, ":{");
  pi_put_texts(output, "\"templates\"", set->texts + first, set->bounds[intent + 1] - first);
  *place = pi_put_exceptions(set, output, ",\"except\":[", (int64_t)intent, *place);
  if (set->has_own[intent]) {
    pi_put_key(output, ",\"threshold\":");
    pi_put_number(output, set->thresholds[intent]);
  }
  pi_put_key(output, "}");
}

/* The set in its long form, with the keys in Python's order. */
static void pi_put_set(const pintent_bot *bot, pi_output *output) {
  const pi_templates *set = &bot->templates;
  size_t place = 0;
  pi_put_key(output, "{");
  if (set->schema.data != NULL) {
    pi_put_key(output, "\"$schema\":");
    pi_put_text(output, set->schema);
    pi_put_key(output, ",");
  }
  if (set->language.data != NULL) {
    pi_put_key(output, "\"language\":");
    pi_put_text(output, set->language);
    pi_put_key(output, ",");
  }
  pi_put_key(output, "\"threshold\":");
  pi_put_number(output, set->threshold);
  pi_put_key(output, ",\"margin\":");
  pi_put_number(output, set->margin);
  pi_put_key(output, set->learns_names ? ",\"intents\":{" : ",\"learn_names\":false,\"intents\":{");
  while (place < set->num_counter_examples &&
         set->counter_examples[place].intent == PI_ALL_INTENTS) {
    place++;
  }
  for (size_t intent = 0; intent < set->num_intents; intent++) {
    pi_put_set_intent(set, output, intent, &place);
  }
  pi_put_key(output, "}");
  pi_put_exceptions(set, output, ",\"none\":[", PI_ALL_INTENTS, 0);
  if (set->num_background > 0) {
    pi_put_texts(output, ",\"background\"", set->background, set->num_background);
  }
  pi_put_key(output, "}");
}

static void pi_put_count(pi_output *output, const char *key, size_t count) {
  char text[32];
  pi_put_key(output, key);
  pi_put(output, text, pi_format(text, sizeof text, "%zu", count));
}

static void pi_put_rows(const pi_matrix *rows, pi_output *output) {
  pi_put_key(output, ",\"rows\":{");
  if (rows->codebook != NULL) {
    bool per_position = rows->step > 0 || rows->num_sub == 1;
    pi_put_count(output, "\"code_bits\":", pi_bits_for(rows->codebook_size));
    pi_put_count(output, ",\"codebook_size\":", rows->codebook_size);
    pi_put_count(output, ",\"dim\":", rows->dim);
    pi_put_count(output, ",\"normalised\":false,\"num\":", rows->num);
    pi_put_key(output, per_position ? ",\"per_position\":true" : ",\"per_position\":false");
    pi_put_count(output, ",\"sub_dim\":", rows->sub_dim);
  } else {
    pi_put_count(output, "\"dim\":", rows->dim);
    pi_put_count(output, ",\"num\":", rows->num);
  }
  pi_put_key(output, "}");
}

/* The entry `bot` of the manifest. */
static void pi_put_bot_entry(const pintent_bot *bot, pi_output *output) {
  const pi_classifier *classifier = &bot->classifier;
  const pi_index *index = &bot->index;
  pi_put_key(output, bot->corrects_texts ? "{\"correct\":true" : "{\"correct\":false");
  pi_put_key(output, ",\"decision\":{\"name\":\"");
  pi_put_key(output, pi_decisions[bot->decision]);
  pi_put_key(output, "\"");
  if (bot->decision == PI_LOGISTIC && index->num > 0) {
    pi_put_key(output, ",\"slope\":");
    pi_put_number(output, classifier->slope);
    pi_put_key(output, ",\"intercept\":");
    pi_put_number(output, classifier->intercept);
    if (classifier->num_negations > 0) {
      pi_put_texts(output, ",\"negations\"", classifier->negations, classifier->num_negations);
    }
  }
  pi_put_key(output, "},\"index\":{\"max_error\":");
  pi_put_number(output, index->max_error);
  if (index->rows.codebook != NULL || index->rows.num > 0) {
    pi_put_rows(&index->rows, output);
  }
  pi_put_key(output, index->is_table ? ",\"search\":\"table\"},\"version\":1}"
                                     : ",\"search\":\"exact\"},\"version\":1}");
}

pintent_status pintent_templates_json(const pintent_bot *bot, char *json, size_t capacity,
                                      size_t *length) {
  if (bot == NULL || length == NULL || (json == NULL && capacity > 0)) {
    return PINTENT_ERROR_ARGUMENT;
  }
  pi_output output = {json, capacity, 0};
  pi_put_set(bot, &output);
  return pi_end_output(&output, length);
}
