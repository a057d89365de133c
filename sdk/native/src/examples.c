/* What a classifier is fitted on: the examples of a template set, and their features
 * (docs/recognition.md, the decision `logistic`). */

#include "edit.h"

/* Cosine similarity of a background line's n-grams to those of a negation above which the line counts
 * as negated. */
#define PI_LEAST_SIMILARITY 0.25f

static bool pi_is_negated_text(pi_edit *edit, const pi_classifier *classifier, pintent_text text) {
  pi_tokenize(text.data, text.size, edit->points, &edit->tokens);
  return pi_is_negated(classifier, &edit->tokens);
}

/* Whether one of the counter-examples of an intent of the set is negated. */
static bool pi_has_negation(pi_edit *edit, const pi_classifier *classifier, int64_t intent) {
  const pi_templates *set = &edit->bot->templates;
  for (size_t n = 0; n < set->num_counter_examples; n++) {
    const pi_counter_example *example = &set->counter_examples[n];
    if (example->intent == intent && pi_is_negated_text(edit, classifier, example->text)) {
      return true;
    }
  }
  return false;
}

/* Adds the row of a text that is tokenised, with this vector. */
static void pi_add_example(pi_edit *edit, pi_examples *examples, const float *vector) {
  float *row = examples->features + examples->num++ * examples->width;
  size_t dim = edit->bot->encoder.table.dim;
  memcpy(row, vector, dim * sizeof *row);
  pi_write_features(edit->bot, &edit->tokens, row + dim);
}

/* Adds the row of a text, if the model knows a word of it. */
static bool pi_add_text(pi_edit *edit, pi_examples *examples, pintent_text text) {
  bool is_known = pi_encode_text(edit, text);
  if (is_known) {
    pi_add_example(edit, examples, edit->encoder.vector);
  }
  return is_known;
}

static bool pi_add_listed(pi_edit *edit, pi_examples *examples, const pintent_text *texts,
                          size_t count) {
  pi_listed listed;
  if (!pi_list_texts(edit, texts, count, &listed)) {
    return false;
  }
  for (size_t n = 0; n < count; n++) {
    pi_add_text(edit, examples, texts[listed.order[n]]);
  }
  return true;
}

/* Adds the templates of an intent of the index; their vectors are the rows of the index. */
static bool pi_add_templates(pi_edit *edit, pi_examples *examples, size_t slot) {
  const pintent_bot *bot = edit->bot;
  const pi_index *index = &bot->index;
  size_t first = index->bounds[slot], count = index->bounds[slot + 1] - first;
  pintent_text *texts = pi_take(&edit->scratch, count, sizeof *texts, edit->error);
  pi_listed listed;
  for (size_t n = 0; texts != NULL && n < count; n++) {
    texts[n] = bot->templates.texts[index->templates[first + n]];
  }
  if (texts == NULL || !pi_list_texts(edit, texts, count, &listed)) {
    return false;
  }
  for (size_t n = 0; n < count; n++) {
    size_t place = listed.order[n];
    float *vector = edit->encoder.vector;
    pi_decode_row(&index->rows, first + slot + place, vector, bot->kernels);
    if (index->is_table) {
      pi_normalise_vector(vector, index->rows.dim, bot->kernels);
    }
    pi_tokenize(texts[place].data, texts[place].size, edit->points, &edit->tokens);
    pi_add_example(edit, examples, vector);
  }
  return true;
}

/* Writes the n-grams of the negations at unit length, one after the other: [num, PI_NUM_BUCKETS]. */
static float *pi_embed_negations(pi_edit *edit, const uint16_t *idf) {
  const pi_classifier *classifier = &edit->bot->classifier;
  float *vectors = pi_take(&edit->scratch, classifier->num_negations * PI_NUM_BUCKETS,
                           sizeof *vectors, edit->error);
  for (size_t n = 0; vectors != NULL && n < classifier->num_negations; n++) {
    char word[16] = "n"; /* a token with an apostrophe follows a letter */
    pintent_text negation = classifier->negations[n];
    size_t start = negation.data[0] == '\'';
    memcpy(word + start, negation.data, negation.size);
    pi_tokenize(word, start + negation.size, edit->points, &edit->tokens);
    pi_write_ngrams(&edit->tokens, idf, vectors + n * PI_NUM_BUCKETS, edit->bot->kernels);
    pi_normalise_vector(vectors + n * PI_NUM_BUCKETS, PI_NUM_BUCKETS, edit->bot->kernels);
  }
  return vectors;
}

/* Adds the lines of the model's background. They are stored as codes, so that whether one is negated
 * is told by its n-grams. */
static bool pi_add_background(pi_edit *edit, pi_examples *examples, const pi_background *lines) {
  const pintent_bot *bot = edit->bot;
  size_t dim = bot->encoder.table.dim, num_negations = bot->classifier.num_negations;
  float *negations = pi_embed_negations(edit, bot->encoder.table.idf);
  if (negations == NULL) {
    return false;
  }
  for (size_t n = 0; n < lines->vectors.num; n++) {
    float *row = examples->features + examples->num++ * examples->width, *rest = row + dim;
    float vector_scale = pi_scale_of(&lines->vectors, n), nearest = 0;
    pi_decode_row(&lines->vectors, n, row, bot->kernels);
    for (size_t d = 0; d < dim; d++) {
      row[d] *= vector_scale;
    }
    pi_decode_row(&lines->ngrams, n, rest, bot->kernels);
    pi_normalise_vector(rest, PI_NUM_BUCKETS, bot->kernels);
    for (size_t word = 0; word < num_negations; word++) {
      float similarity = bot->kernels->dot(rest, negations + word * PI_NUM_BUCKETS, PI_NUM_BUCKETS);
      nearest = similarity > nearest ? similarity : nearest;
    }
    for (size_t d = 0; d < PI_NUM_BUCKETS; d++) {
      rest[d] *= (float)PI_NGRAM_SCALE;
    }
    rest += PI_NUM_BUCKETS;
    if (num_negations > 0) {
      *rest++ = nearest > PI_LEAST_SIMILARITY ? PI_NEGATION_SCALE : 0.0f;
    }
    *rest = 1.0f;
  }
  return true;
}

/* Adds the texts of no intent: those of the set, and the background of the model. */
static bool pi_add_outside(pi_edit *edit, pi_examples *examples, const pi_background *lines) {
  const pi_templates *set = &edit->bot->templates;
  size_t count = 0, most = set->num_counter_examples + set->num_background;
  pintent_text *texts = pi_take(&edit->scratch, most, sizeof *texts, edit->error);
  if (texts == NULL) {
    return false;
  }
  while (count < set->num_counter_examples &&
         set->counter_examples[count].intent == PI_ALL_INTENTS) {
    texts[count] = set->counter_examples[count].text;
    count++;
  }
  for (size_t n = 0; n < set->num_background; n++) {
    texts[count++] = set->background[n];
  }
  return pi_add_listed(edit, examples, texts, count) && pi_add_background(edit, examples, lines);
}

/* Adds the counter-examples of an intent. With a negated one belongs the negated name, since the name
 * would be evidence for it; but not of a name that is a negation itself. */
static bool pi_add_exceptions(pi_edit *edit, pi_examples *examples, size_t intent) {
  const pi_templates *set = &edit->bot->templates;
  const pi_classifier *classifier = &edit->bot->classifier;
  pintent_text name = set->names[intent], *texts;
  size_t count = 0;
  char *negated = pi_take(&edit->scratch, 2 * name.size + 4, 1, edit->error);
  texts = pi_take(&edit->scratch, set->num_counter_examples + 1, sizeof *texts, edit->error);
  if (negated == NULL || texts == NULL) {
    return false;
  }
  for (size_t n = 0; n < set->num_counter_examples; n++) {
    if (set->counter_examples[n].intent == (int64_t)intent) {
      texts[count++] = set->counter_examples[n].text;
    }
  }
  memcpy(negated, "not ", 4);
  pintent_text words = {negated + 4, pi_words_of_name(name, negated + 4)};
  if (set->learns_names && count > 0 && !pi_is_negated_text(edit, classifier, words) &&
      pi_has_negation(edit, classifier, (int64_t)intent)) {
    pintent_text text = {negated, words.size + 4};
    texts[count++] = text;
  }
  return pi_add_listed(edit, examples, texts, count);
}

static bool pi_add_name(pi_edit *edit, pi_examples *examples, size_t label, size_t intent) {
  pintent_text name = edit->bot->templates.names[intent];
  char *words = pi_take(&edit->scratch, 2 * name.size + 1, 1, edit->error);
  examples->names[label] = PI_NONE;
  if (words == NULL) {
    return false;
  }
  pintent_text text = {words, pi_words_of_name(name, words)};
  if (edit->bot->templates.learns_names && pi_add_text(edit, examples, text)) {
    examples->names[label] = examples->num - 1;
  }
  return true;
}

/* Adds all rows, in their order. */
static bool pi_add_rows(pi_edit *edit, pi_examples *examples, const pi_background *lines) {
  const pi_index *index = &edit->bot->index;
  size_t num = examples->num_intents;
  for (size_t label = 0; label < num; label++) {
    if (!pi_add_templates(edit, examples, examples->slots[label])) {
      return false;
    }
    examples->templates[label + 1] = examples->num;
  }
  examples->outside[0] = examples->num;
  if (!pi_add_outside(edit, examples, lines)) {
    return false;
  }
  examples->outside[1] = examples->num;
  for (size_t label = 0; label < num; label++) {
    if (!pi_add_name(edit, examples, label, index->intents[examples->slots[label]])) {
      return false;
    }
  }
  examples->exceptions[0] = examples->main = examples->num;
  for (size_t label = 0; label < num; label++) {
    if (!pi_add_exceptions(edit, examples, index->intents[examples->slots[label]])) {
      return false;
    }
    examples->exceptions[label + 1] = examples->num;
  }
  return true;
}
