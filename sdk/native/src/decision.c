/* The decisions: what scores the intents of a text (docs/decision.md, docs/model-file.md). */

#include <math.h>

#include "bot.h"

static const char *const pi_decisions[] = {"logistic", "nearest", "nearest+centroid"};

/* Features of a text for `logistic`: the length of its n-gram part, and the value of a negation. */
#define PI_NGRAM_SCALE 0.7
#define PI_NEGATION_SCALE 2.5f
#define PI_NOT_COMPARED UINT32_MAX

/* An intent of the index, its score, and its nearest template among the known ones. */
typedef struct pi_hit {
  size_t intent, row;
  double score;
} pi_hit;

static bool pi_read_negations(const pi_json *settings, pintent_bot *bot, pi_error *error) {
  pi_classifier *classifier = &bot->classifier;
  const pi_json *list = pi_json_get(settings, "negations");
  if (list == NULL) {
    return true;
  }
  bool is_list = list->type == PI_JSON_ARRAY && list->of.members.count > 0;
  size_t count = is_list ? list->of.members.count : 0;
  classifier->negations = pi_take(&bot->arena, count, sizeof *classifier->negations, error);
  const pi_json *token = is_list ? list->of.members.first : NULL;
  for (; classifier->negations != NULL && token != NULL && is_list; token = token->next) {
    is_list = token->type == PI_JSON_STRING;
    if (is_list) {
      pintent_text *stored = &classifier->negations[classifier->num_negations++];
      stored->size = token->of.string.size;
      stored->data = pi_copy(&bot->arena, token->of.string.data, stored->size, error);
    }
  }
  if (!is_list) {
    return pi_fail(error, PINTENT_ERROR_MODEL,
                   "the negations of the classifier must be a list of at least one token");
  }
  return error->status == PINTENT_OK;
}

static bool pi_read_classifier(const pi_file *file, const pi_json *settings, pintent_bot *bot,
                               pi_error *error) {
  pi_classifier *classifier = &bot->classifier;
  pi_matrix *weights = &classifier->weights;
  if (!pi_read_negations(settings, bot, error)) {
    return false;
  }
  weights->num = bot->index.num;
  weights->dim = bot->encoder.table.dim + PI_NUM_BUCKETS + 1 + (classifier->num_negations > 0);
  const uint64_t shape[] = {weights->num, weights->dim};
  const pi_tensor *tensor =
      pi_need_tensor(file, "bot.decision.weights", PI_F32, 2, shape, error);
  if (tensor == NULL) {
    return false;
  }
  weights->rows = tensor->data;
  return pi_bot_number(settings, "slope", 0, "the classifier", &classifier->slope, error) &&
         pi_bot_number(settings, "intercept", -PI_LARGEST, "the classifier",
                       &classifier->intercept, error);
}

static bool pi_read_decision(const pi_file *file, const pi_json *settings, pintent_bot *bot,
                             pi_error *error) {
  size_t number = 0;
  while (number < 3 && !pi_json_is_string(pi_json_get(settings, "name"), pi_decisions[number])) {
    number++;
  }
  if (number == 3) {
    return pi_fail(error, PINTENT_ERROR_MODEL,
                   "the bot's name must be one of logistic, nearest, nearest+centroid");
  }
  bot->decision = (pi_decision)number;
  return bot->decision != PI_LOGISTIC || bot->index.num == 0 ||
         pi_read_classifier(file, settings, bot, error);
}

/* Whether a text is negated; never by a classifier that does not look for negations. */
static bool pi_is_negated(const pi_classifier *classifier, const pi_tokens *tokens) {
  for (size_t n = 0; n < tokens->count; n++) {
    for (size_t word = 0; word < classifier->num_negations; word++) {
      if (pi_same(pi_token_text(tokens, n), classifier->negations[word])) {
        return true;
      }
    }
  }
  return false;
}

/* Writes the weighted n-gram counts of a text with these tokens, at their length. */
static void pi_write_ngrams(const pi_tokens *tokens, const uint16_t *idf, float *counts,
                            const pi_kernels *kernels) {
  pi_count_ngrams(tokens, counts);
  for (size_t n = 0; idf != NULL && n < PI_NUM_BUCKETS; n++) {
    counts[n] *= pi_half(idf[n]);
  }
  double length = sqrt((double)kernels->dot(counts, counts, PI_NUM_BUCKETS));
  float scale = (float)(PI_NGRAM_SCALE / (length > 0 ? length : 1));
  for (size_t n = 0; n < PI_NUM_BUCKETS; n++) {
    counts[n] *= scale;
  }
}

/* Writes the features of a text behind its sentence vector: the n-grams, the negation if the
 * classifier looks for it, and 1 for the bias. */
static void pi_write_features(const pintent_bot *bot, const pi_tokens *tokens, float *features) {
  const pi_classifier *classifier = &bot->classifier;
  float *rest = features + PI_NUM_BUCKETS;
  pi_write_ngrams(tokens, bot->encoder.table.idf, features, bot->kernels);
  if (classifier->num_negations > 0) {
    *rest++ = pi_is_negated(classifier, tokens) ? PI_NEGATION_SCALE : 0.0f;
  }
  *rest = 1.0f;
}

/* Writes what orders the intents as their scores do: the logits of a text that is encoded. */
static void pi_score_logistic(const pintent_bot *bot, pintent_scratch *scratch) {
  const pi_classifier *classifier = &bot->classifier;
  size_t dim = bot->encoder.table.dim, num = bot->index.num;
  float *features = scratch->features;
  memcpy(features, scratch->encoder.vector, dim * sizeof *features);
  pi_write_features(bot, &scratch->tokens, features + dim);
  pi_multiply(&classifier->weights, features, classifier->weights.dim, 1, NULL, scratch->totals, num,
              NULL, bot->kernels);
  for (size_t n = 0; n < num; n++) {
    scratch->totals[n] =
        (float)classifier->slope * scratch->totals[n] + (float)classifier->intercept;
  }
}

/* Writes the similarity of each intent: of its nearest template, or the mean of that and of its
 * centroid. Where there is a scan it is the most that the similarity can be. */
static void pi_score_nearest(const pintent_bot *bot, pintent_scratch *scratch) {
  const pi_index *index = &bot->index;
  const float *similarities = scratch->similarities, *query = scratch->encoder.vector;
  float slack = 0;
  if (scratch->scan.rows != NULL) {
    pi_estimate(bot, &scratch->scan, 0, index->rows.num, scratch->similarities);
    memset(scratch->nearest, 0xFF, index->num * sizeof *scratch->nearest);
    slack = scratch->scan.slack;
  } else {
    pi_all_similarities(bot, query, scratch->table, scratch->row, scratch->similarities);
  }
  for (size_t intent = 0; intent < index->num; intent++) {
    /* In the file the centroid of each intent stands behind its templates. */
    size_t first = index->bounds[intent] + intent, last = index->bounds[intent + 1] + intent;
    float best = pi_most(similarities + first, last - first);
    best = bot->decision == PI_NEAREST ? best : 0.5f * (best + similarities[last]);
    scratch->totals[intent] = best + slack;
  }
}

/* Compares an intent exactly that was estimated, and writes its similarity. */
static void pi_score_exactly(const pintent_bot *bot, pintent_scratch *scratch, size_t intent) {
  const pi_index *index = &bot->index;
  size_t first = index->bounds[intent] + intent, last = index->bounds[intent + 1] + intent;
  float best;
  scratch->nearest[intent] = (uint32_t)(pi_compare(bot, scratch, first, last, &best) - intent);
  if (bot->decision == PI_NEAREST_CENTROID) {
    best = 0.5f * (best + pi_row_similarity(bot, last, scratch->encoder.vector, scratch->row));
  }
  scratch->totals[intent] = best;
}

/* The nearest template of an intent, among the known ones; of equally near ones the first. */
static size_t pi_nearest_template(const pintent_bot *bot, size_t intent, pintent_scratch *scratch) {
  const pi_index *index = &bot->index;
  size_t nearest = index->bounds[intent];
  float best = -HUGE_VALF;
  if (scratch->scan.rows != NULL) {
    size_t first = nearest + intent, last = index->bounds[intent + 1] + intent;
    pi_estimate(bot, &scratch->scan, first, last, scratch->similarities);
    return pi_compare(bot, scratch, first, last, &best) - intent;
  }
  for (size_t n = index->bounds[intent]; n < index->bounds[intent + 1]; n++) {
    float similarity = scratch->similarities != NULL
                           ? scratch->similarities[n + intent]
                           : pi_row_similarity(bot, n + intent, scratch->encoder.vector,
                                               scratch->row);
    if (similarity > best) {
      best = similarity;
      nearest = n;
    }
  }
  return nearest;
}

/* Whether the model knows something in the text that was encoded. */
static bool pi_has_vector(const pintent_bot *bot, const pintent_scratch *scratch) {
  for (size_t n = 0; n < bot->encoder.table.dim; n++) {
    if (scratch->encoder.vector[n] != 0) {
      return true;
    }
  }
  return false;
}

/* Scores the intents of a text that is encoded, if the model knows something in it. */
static bool pi_score(const pintent_bot *bot, pintent_scratch *scratch) {
  if (bot->index.num == 0 || !pi_has_vector(bot, scratch)) {
    return false;
  }
  if (scratch->scan.rows != NULL) {
    pi_scan_query(&scratch->scan, scratch->encoder.vector, bot->index.rows.dim);
  }
  if (bot->decision == PI_LOGISTIC) {
    pi_score_logistic(bot, scratch);
  } else {
    pi_score_nearest(bot, scratch);
  }
  return true;
}

/* The intent of the highest score that was not taken yet, of equal ones the first. */
static size_t pi_best_intent(const pintent_bot *bot, const float *totals) {
  float most = pi_most(totals, bot->index.num);
  size_t best = 0;
  while (best + 1 < bot->index.num && totals[best] < most) {
    best++;
  }
  return best;
}

/* Takes the best of the scored intents that were not taken yet. With a scan, intents are compared
 * exactly until one of them is at least what all others can be. */
static pi_hit pi_take_best(const pintent_bot *bot, pintent_scratch *scratch) {
  float *totals = scratch->totals;
  bool is_estimated = scratch->scan.rows != NULL && bot->decision != PI_LOGISTIC;
  pi_hit hit = {pi_best_intent(bot, totals), 0, 0};
  while (is_estimated && scratch->nearest[hit.intent] == PI_NOT_COMPARED) {
    pi_score_exactly(bot, scratch, hit.intent);
    hit.intent = pi_best_intent(bot, totals);
  }
  double total = totals[hit.intent];
  if (bot->decision == PI_LOGISTIC) {
    hit.score = 0.5 * (1 + tanh(0.5 * total)); /* the sigmoid, which cannot overflow */
  } else {
    hit.score = total < -1 ? -1 : total > 1 ? 1 : total;
  }
  hit.row = is_estimated ? scratch->nearest[hit.intent]
                         : pi_nearest_template(bot, hit.intent, scratch);
  totals[hit.intent] = -HUGE_VALF;
  return hit;
}
