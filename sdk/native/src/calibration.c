/* From logits to probabilities: Platt's sigmoid on examples, each left out of its fit (docs/
 * recognition.md, the decision `logistic`): Python's `calibrate`. */

#include <math.h>

#include "edit.h"

/* Weight of all texts without an intent together, where that of all templates is 1. */
#define PI_OUTSIDE_SHARE 0.5
/* Weight of the sigmoid that bots of a size have on average. */
#define PI_EXPECTED_WEIGHT 40.0
#define PI_WEIGHT_OF_INTENT 45.0
#define PI_NEAR_TIE 0.25f /* lead within which an example counts as partly right */
#define PI_RIDGE 1e-6
#define PI_LEAST_SLOPE 0.2
#define PI_MOST_SLOPE 5.0
enum { PI_FEW_OUTSIDE = 100, PI_NUM_OFFSETS = 5, PI_MOST_NEWTON_STEPS = 100 };

typedef struct pi_sigmoid {
  double slope, intercept;
} pi_sigmoid;

/* A logit, the probability that it should have, and its weight. */
typedef struct pi_target {
  double logit, probability, weight;
} pi_target;

static double pi_probability(double logit) { return 0.5 * (1 + tanh(0.5 * logit)); }

static double pi_loss(const pi_target *targets, size_t count, pi_sigmoid at) {
  double loss = 0;
  for (size_t n = 0; n < count; n++) {
    double output = at.slope * targets[n].logit + at.intercept;
    double bend = (output > 0 ? output : 0) + log1p(exp(-fabs(output))); /* log(1 + exp) */
    loss += targets[n].weight * (bend - targets[n].probability * output);
  }
  return loss;
}

/* The Newton step at a place; of the intercept alone if the slope stays. */
static pi_sigmoid pi_newton_step(const pi_target *targets, size_t count, pi_sigmoid at,
                                 bool has_slope) {
  double first[2] = {0, 0}, second[3] = {PI_RIDGE, 0, PI_RIDGE};
  for (size_t n = 0; n < count; n++) {
    double logit = targets[n].logit, weight = targets[n].weight;
    double probability = pi_probability(at.slope * logit + at.intercept);
    double slope = weight * (probability - targets[n].probability);
    double bend = weight * probability * (1 - probability);
    first[0] += slope * logit;
    first[1] += slope;
    second[0] += bend * logit * logit;
    second[1] += bend * logit;
    second[2] += bend;
  }
  pi_sigmoid step = {0, first[1] / second[2]};
  if (has_slope) {
    double divisor = second[0] * second[2] - second[1] * second[1];
    step.slope = (first[0] * second[2] - first[1] * second[1]) / divisor;
    step.intercept = (first[1] * second[0] - first[0] * second[1]) / divisor;
  }
  return step;
}

/* The sigmoid of the least loss. Newton steps are halved until they do not go uphill. */
static pi_sigmoid pi_fit_line(const pi_target *targets, size_t count, pi_sigmoid at,
                              bool has_slope) {
  double least = pi_loss(targets, count, at);
  for (int n = 0; n < PI_MOST_NEWTON_STEPS; n++) {
    pi_sigmoid step = pi_newton_step(targets, count, at, has_slope), next;
    double lower;
    for (;;) {
      next.slope = at.slope - step.slope;
      next.intercept = at.intercept - step.intercept;
      lower = pi_loss(targets, count, next);
      if (!(lower > least) || !(fabs(step.slope) > 1e-9 || fabs(step.intercept) > 1e-9)) {
        break;
      }
      step.slope /= 2;
      step.intercept /= 2;
    }
    if (!(lower < least)) {
      break;
    }
    at = next;
    least = lower;
  }
  return at;
}

static pi_sigmoid pi_fit_sigmoid(const pi_target *targets, size_t count, pi_sigmoid start) {
  pi_sigmoid fitted = pi_fit_line(targets, count, start, true);
  if (!(fitted.slope >= PI_LEAST_SLOPE && fitted.slope <= PI_MOST_SLOPE)) {
    fitted.slope = fitted.slope < PI_LEAST_SLOPE ? PI_LEAST_SLOPE : PI_MOST_SLOPE;
    fitted = pi_fit_line(targets, count, fitted, false);
  }
  return fitted;
}

/* The sigmoid that a bot of a size needs on average; `num_templates` is the mean of an intent. */
static pi_sigmoid pi_expected_sigmoid(size_t num_intents, double num_templates) {
  double size = log((double)(num_intents > 3 ? num_intents : 3)), slope = 2.4 - 0.2 * size;
  slope = slope > 1 ? slope : 1;
  pi_sigmoid expected = {slope, -slope * (-5.9 + 0.5 * size + 0.9 * log(num_templates))};
  return expected;
}

/* Adds the templates, but for the only ones of their intents: the best logit of each, and whether it
 * is that of its own intent. */
static size_t pi_add_inside(const pi_examples *examples, const pi_held_out *held_out,
                            pi_target *targets) {
  size_t count = 0;
  for (size_t label = 0; label < examples->num_intents; label++) {
    size_t first = examples->templates[label], last = examples->templates[label + 1];
    for (size_t row = first; last - first > 1 && row < last; row++) {
      float own = held_out->own[row], other = held_out->others[row];
      double right = 0.5 + (double)((own - other) / (2 * PI_NEAR_TIE));
      targets[count].logit = own > other ? own : other;
      targets[count].probability = right < 0 ? 0 : right > 1 ? 1 : right;
      targets[count++].weight = 1;
    }
  }
  return count;
}

/* Adds the texts without an intent; without any, each template as one whose own intent is missing. */
static size_t pi_add_outsiders(const pi_examples *examples, const pi_held_out *held_out,
                               pi_target *targets) {
  size_t count = 0, first = examples->outside[0], last = examples->outside[1];
  bool has_outside = first < last;
  for (size_t row = has_outside ? first : 0; row < (has_outside ? last : first); row++) {
    size_t label = 0;
    while (!has_outside && examples->templates[label + 1] <= row) {
      label++;
    }
    bool is_only = !has_outside && examples->templates[label + 1] - examples->templates[label] < 2;
    if (!is_only && isfinite(held_out->others[row])) {
      targets[count].logit = held_out->others[row];
      targets[count++].probability = 0;
    }
  }
  return count;
}

/* Fits the calibration of a bot. */
static bool pi_calibrate(pi_edit *edit, const pi_examples *examples, const pi_held_out *held_out) {
  static const double offsets[PI_NUM_OFFSETS] = {-4, -2, 0, 2, 4};
  size_t num = examples->num_intents, num_outside = examples->outside[1] - examples->outside[0];
  double num_templates = (double)examples->templates[num] / (double)num, weight = 1;
  pi_sigmoid expected = {1, 0};
  pi_target *targets =
      pi_take(&edit->scratch, 2 * examples->num + PI_NUM_OFFSETS, sizeof *targets, edit->error);
  if (targets == NULL) {
    return false;
  }
  if (num_outside >= PI_FEW_OUTSIDE) {
    expected = pi_expected_sigmoid(num, num_templates);
    weight = PI_EXPECTED_WEIGHT +
             PI_WEIGHT_OF_INTENT * (double)num / (num_templates * num_templates);
  }
  size_t inside = pi_add_inside(examples, held_out, targets);
  size_t count = inside + pi_add_outsiders(examples, held_out, targets + inside);
  for (size_t n = inside; n < count; n++) {
    targets[n].weight = PI_OUTSIDE_SHARE * (double)inside / (double)(count - inside);
  }
  for (int n = 0; n < PI_NUM_OFFSETS; n++) {
    pi_target *target = &targets[count++];
    target->logit = (offsets[n] - expected.intercept) / expected.slope;
    target->probability = pi_probability(offsets[n]);
    target->weight = weight / (double)PI_NUM_OFFSETS;
  }
  pi_sigmoid fitted = pi_fit_sigmoid(targets, count, expected);
  edit->bot->classifier.slope = fitted.slope;
  edit->bot->classifier.intercept = fitted.intercept;
  return true;
}
