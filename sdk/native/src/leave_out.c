/* The logits of examples by classifiers that were fitted without them, each by one Newton step from
 * the fit (approximate leave-one-out; Rad and Maleki 2020): Python's `leave_one_out`. */

#include <math.h>

#include "edit.h"

/* The examples of an intent that are left out in turn are those of the highest curvature. */
enum { PI_MOST_MEMBERS = 400, PI_LEAST_MEMBERS = 64, PI_ALL_MEMBERS = 12000 };
#define PI_LEAST_CURVATURE 0.03f
/* Share of the change by leaving out an example that counts. */
#define PI_CHANGE_SHARE 0.85f
#define PI_BIAS_VARIANCE 100.0f /* stands for a free bias */
#define PI_LEAST_SHARE 1e-3f

/* Room for the members of one intent, at most `most`. */
typedef struct pi_members {
  const pi_examples *examples;
  const pi_kernels *kernels;
  size_t most, count;
  size_t *rows;
  float *curvatures; /* of all examples */
  float *probabilities, *logits;
  float *features; /* [most, width] */
  float *matrix;   /* [most, most] */
  size_t stride;   /* from a row of it to the next, padded */
  float *column, *shares;
} pi_members;

static size_t pi_most_members(size_t num_intents) {
  size_t most = PI_ALL_MEMBERS / num_intents;
  most = most < PI_LEAST_MEMBERS ? PI_LEAST_MEMBERS : most;
  return most > PI_MOST_MEMBERS ? PI_MOST_MEMBERS : most;
}

static bool pi_members_init(pi_edit *edit, const pi_examples *examples, pi_members *members) {
  pi_arena *arena = &edit->scratch;
  size_t most = pi_most_members(examples->num_intents);
  most = most < examples->num ? most : examples->num;
  memset(members, 0, sizeof *members);
  members->examples = examples;
  members->kernels = edit->bot->kernels;
  members->most = most;
  members->stride = pi_pad(most);
  members->rows = pi_take(arena, examples->num, sizeof(size_t), edit->error);
  members->curvatures = pi_take(arena, examples->room, sizeof(float), edit->error);
  members->probabilities = pi_take(arena, examples->room, sizeof(float), edit->error);
  members->logits = pi_take(arena, examples->room, sizeof(float), edit->error);
  members->features =
      pi_take(arena, members->stride, examples->width * sizeof(float), edit->error);
  members->matrix = pi_take(arena, members->stride, members->stride * sizeof(float), edit->error);
  members->column = pi_take(arena, members->stride, sizeof(float), edit->error);
  members->shares = pi_take(arena, members->stride, sizeof(float), edit->error);
  return edit->error->status == PINTENT_OK;
}

static bool pi_is_less_curved(const void *context, size_t one, size_t other) {
  const float *curvatures = context;
  return curvatures[one] > curvatures[other] || (curvatures[one] == curvatures[other] && one < other);
}

static bool pi_is_lower(const void *context, size_t one, size_t other) {
  (void)context;
  return one < other;
}

/* Chooses the examples of an intent that are left out. Counter-examples of others do not count. */
static void pi_choose_members(pi_members *members, size_t label) {
  const pi_examples *examples = members->examples;
  members->count = 0;
  for (size_t row = 0; row < examples->num; row++) {
    bool counts = row < examples->main || (row >= examples->exceptions[label] &&
                                           row < examples->exceptions[label + 1]);
    float probability = members->probabilities[row];
    members->curvatures[row] = PI_C * probability * (1.0f - probability);
    if (counts && (members->curvatures[row] > PI_LEAST_CURVATURE ||
                   pi_is_own(examples, label, row))) {
      members->rows[members->count++] = row;
    }
  }
  if (members->count > members->most) {
    pi_sort(members->rows, members->count, pi_is_less_curved, members->curvatures);
    members->count = members->most;
    pi_sort(members->rows, members->count, pi_is_lower, NULL);
  }
}

/* Writes the upper half of I + D^1/2 K D^1/2, with the products K and the curvatures D of members. */
static void pi_fill_matrix(pi_members *members, size_t label) {
  const pi_examples *examples = members->examples;
  size_t width = examples->width, count = members->count, stride = pi_pad(count);
  members->stride = stride;
  memset(members->matrix, 0, count * stride * sizeof *members->matrix);
  for (size_t n = 0; n < count; n++) {
    float *row = members->features + n * width;
    float curvature = members->curvatures[members->rows[n]];
    memcpy(row, examples->features + members->rows[n] * width, width * sizeof *row);
    row[examples->bias] = 10.0f; /* the root of PI_BIAS_VARIANCE */
    if (examples->is_negated != NULL && !examples->is_negated[label]) {
      row[examples->bias - 1] = 0;
    }
    float root = sqrtf(curvature > 1e-6f ? curvature : 1e-6f);
    for (size_t feature = 0; feature < width; feature++) {
      row[feature] *= root;
    }
  }
  for (size_t n = 0; n < count; n += PI_ROWS) { /* columns from n on of the rows up to there */
    size_t num = n + PI_ROWS < count ? n + PI_ROWS : count;
    members->kernels->multiply(members->features + n * width, width, width, members->features,
                               width, num, members->matrix + n, stride);
  }
  for (size_t n = 0; n < count; n++) {
    members->matrix[n * stride + n] += 1.0f;
  }
}

/* Adds a multiple of a row to another, from a place on, and to what is before it in the same vectors,
 * where nothing is read any more. */
static void pi_add_from(const pi_members *members, float *to, const float *row, float factor,
                        size_t place) {
  size_t first = place / PI_PADDING * PI_PADDING;
  members->kernels->add(to + first, row + first, factor, members->stride - first);
}

/* Writes the diagonal of the inverse: of the Cholesky factor U'U of the matrix, that of U^-1 U^-T.
 * Row after row of the factor is taken from those below it; then each row of U^-1 is found by its
 * product with U, a unit vector, from which the same rows are taken. */
static void pi_invert_diagonal(pi_members *members) {
  size_t stride = members->stride, count = members->count;
  float *left = members->column;
  for (size_t k = 0; k < count; k++) {
    float *row = members->matrix + k * stride, root = 1.0f / sqrtf(row[k]);
    for (size_t n = k / PI_PADDING * PI_PADDING; n < stride; n++) {
      row[n] *= root;
    }
    row[k] = root; /* of the factor, one over its diagonal */
    for (size_t n = k + 1; n < count; n++) {
      pi_add_from(members, members->matrix + n * stride, row, -row[n], n);
    }
  }
  for (size_t k = 0; k < count; k++) {
    float sum = 0;
    memset(left, 0, stride * sizeof *left);
    left[k] = 1.0f;
    for (size_t n = k; n < count; n++) {
      const float *row = members->matrix + n * stride;
      float number = left[n] * row[n];
      sum += number * number;
      pi_add_from(members, left, row, -number, n + 1);
    }
    members->shares[k] = sum;
  }
}

/* Changes the logits of an intent to those without each example. */
static void pi_leave_out(pi_members *members, size_t label, const float *logits) {
  const pi_examples *examples = members->examples;
  memcpy(members->logits, logits, examples->room * sizeof *logits);
  memcpy(members->probabilities, logits, examples->room * sizeof *logits);
  members->kernels->sigmoid(members->probabilities, examples->num);
  pi_choose_members(members, label);
  pi_fill_matrix(members, label);
  pi_invert_diagonal(members);
  for (size_t n = 0; n < members->count; n++) {
    size_t row = members->rows[n];
    float probability = members->probabilities[row];
    float own = pi_is_own(examples, label, row) ? -probability : 1.0f - probability;
    float share = members->shares[n] > PI_LEAST_SHARE ? members->shares[n] : PI_LEAST_SHARE;
    own = fabsf(own) > 1e-6f ? own : 1e-6f;
    members->logits[row] += PI_CHANGE_SHARE * ((1.0f / share - 1.0f) / own);
  }
}

/* Notes the logits of the intents of a block. */
static void pi_hold_out(pi_members *members, const pi_block_of_intents *block,
                        pi_held_out *held_out) {
  const pi_examples *examples = members->examples;
  for (size_t n = 0; n < block->num; n++) {
    size_t label = block->first + n;
    pi_leave_out(members, label, block->logits + n * examples->room);
    for (size_t row = 0; row < examples->num; row++) {
      float logit = members->logits[row];
      if (pi_is_own(examples, label, row)) {
        held_out->own[row] = logit;
      } else if (logit > held_out->others[row]) {
        held_out->others[row] = logit;
      }
    }
  }
}
