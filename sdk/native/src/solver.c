/* L2 logistic regression of many intents, one against the rest, by L-BFGS (Liu and Nocedal 1989): the
 * steps of Python's solver, each intent with its own curvature pairs and length of a step. */

#include <math.h>

#include "edit.h"

enum { PI_PAIRS = 8, PI_MOST_STEPS = 200 };

/* Length of the gradient at which an intent is solved, from zeros and from the old weights; and the
 * weight of half the squared bias. */
#define PI_TOLERANCE 0.1f
#define PI_EDIT_TOLERANCE 0.02f
#define PI_BIAS_PENALTY 1e-3f

/* An intent while it is solved. */
typedef struct pi_problem {
  size_t label;
  float *weights, *logits;  /* of the block */
  float *gradient;
  float *steps, *changes; /* [PI_PAIRS, width]: the latest steps, and what they changed */
  float inverses[PI_PAIRS];
  size_t num_pairs; /* ever; the place of a pair is its number modulo PI_PAIRS */
} pi_problem;

/* The intents that are not solved yet have slots, with what is multiplied together. */
typedef struct pi_solver {
  const pi_examples *examples;
  const pi_kernels *kernels;
  pi_problem problems[PI_INTENTS_AT_ONCE];
  size_t active[PI_INTENTS_AT_ONCE], num_active;
  float *directions, *products, *gradients; /* [num, width] */
  float *moves, *slopes;                    /* [num, room] */
  float tolerance;
} pi_solver;

/* Writes the slope of an intent's loss at each example: its probability, less 1 for its own. */
static void pi_residuals(const pi_examples *examples, const pi_problem *problem, float *slopes,
                         const pi_kernels *kernels) {
  size_t label = problem->label, first = examples->exceptions[label];
  size_t count = examples->exceptions[label + 1] - first;
  memcpy(slopes, problem->logits, examples->main * sizeof *slopes);
  memset(slopes + examples->main, 0, (examples->room - examples->main) * sizeof *slopes);
  memcpy(slopes + first, problem->logits + first, count * sizeof *slopes);
  kernels->sigmoid(slopes, examples->main);
  kernels->sigmoid(slopes + first, count);
  for (size_t row = examples->templates[label]; row < examples->templates[label + 1]; row++) {
    slopes[row] -= 1.0f;
  }
  if (examples->names[label] != PI_NONE) {
    slopes[examples->names[label]] -= 1.0f;
  }
}

/* Multiplies all examples with vectors of features: [num, room]. */
static void pi_multiply_examples(const pi_examples *examples, const float *vectors, size_t num,
                                 float *out, const pi_kernels *kernels) {
  for (size_t row = 0; row < examples->room; row += PI_ROWS) {
    kernels->multiply(examples->features + row * examples->width, examples->width,
                      examples->width, vectors, examples->width, num, out + row, examples->room);
  }
}

/* Sums the examples by the slopes of the active intents, part by part: [num_active, width]. */
static void pi_sum_examples(pi_solver *solver) {
  const pi_examples *examples = solver->examples;
  size_t width = examples->width;
  memset(solver->gradients, 0, solver->num_active * width * sizeof *solver->gradients);
  for (size_t start = 0; start < examples->room; start += PI_CHUNK) {
    size_t left = examples->room - start, size = left < PI_CHUNK ? left : PI_CHUNK;
    for (size_t feature = 0; feature < width; feature += PI_ROWS) {
      solver->kernels->multiply(examples->columns + start * width + feature * size, size, size,
                                solver->slopes + start, examples->room, solver->num_active,
                                solver->products + feature, width);
    }
    solver->kernels->add(solver->gradients, solver->products, 1.0f, solver->num_active * width);
  }
}

/* Writes the gradients of the active intents into their slots. */
static void pi_find_gradients(pi_solver *solver) {
  const pi_examples *examples = solver->examples;
  for (size_t slot = 0; slot < solver->num_active; slot++) {
    pi_residuals(examples, &solver->problems[solver->active[slot]],
                 solver->slopes + slot * examples->room, solver->kernels);
  }
  pi_sum_examples(solver);
  for (size_t slot = 0; slot < solver->num_active; slot++) {
    const pi_problem *problem = &solver->problems[solver->active[slot]];
    float *gradient = solver->gradients + slot * examples->width;
    for (size_t n = 0; n < examples->width; n++) {
      float penalty = n == examples->bias ? PI_BIAS_PENALTY : 1.0f;
      gradient[n] = PI_C * gradient[n] + penalty * problem->weights[n];
    }
    if (examples->is_negated != NULL && !examples->is_negated[problem->label]) {
      gradient[examples->bias - 1] = 0;
    }
  }
}

/* Writes the direction of L-BFGS by its two loops. */
static void pi_find_direction(const pi_solver *solver, const pi_problem *problem,
                              float *direction) {
  const pi_examples *examples = solver->examples;
  const pi_kernels *kernels = solver->kernels;
  const float bias_share = 0.002f, weight_scale = 0.5f; /* curvature before there are pairs */
  size_t width = examples->width, end = problem->num_pairs;
  size_t first = end < PI_PAIRS ? 0 : end - PI_PAIRS;
  float shares[PI_PAIRS];
  for (size_t n = 0; n < width; n++) {
    direction[n] = -problem->gradient[n];
  }
  for (size_t n = end; n-- > first;) {
    size_t place = n % PI_PAIRS;
    shares[place] = problem->inverses[place] *
                    kernels->dot(problem->steps + place * width, direction, width);
    kernels->add(direction, problem->changes + place * width, -shares[place], width);
  }
  for (size_t n = 0; n < width; n++) {
    direction[n] *= n == examples->bias ? 1.0f / (PI_C * (float)examples->num * bias_share)
                                        : weight_scale;
  }
  for (size_t n = first; n < end; n++) {
    size_t place = n % PI_PAIRS;
    float change = problem->inverses[place] *
                   kernels->dot(problem->changes + place * width, direction, width);
    kernels->add(direction, problem->steps + place * width, shares[place] - change, width);
  }
}

/* The product of two vectors in which the bias has its penalty. */
static float pi_penalised(const pi_solver *solver, const float *one, const float *other) {
  size_t bias = solver->examples->bias;
  return solver->kernels->dot(one, other, solver->examples->width) -
         (1.0f - PI_BIAS_PENALTY) * one[bias] * other[bias];
}

/* Goes in a direction by two Newton steps on the line; the length. */
static float pi_go(const pi_solver *solver, const pi_problem *problem, const float *direction,
                   const float *moves) {
  const pi_examples *examples = solver->examples;
  size_t label = problem->label, first = examples->exceptions[label];
  size_t count = examples->exceptions[label + 1] - first;
  float length = 1.0f, bend = pi_penalised(solver, direction, direction);
  float fall = pi_penalised(solver, problem->weights, direction), own = 0;
  for (size_t row = examples->templates[label]; row < examples->templates[label + 1]; row++) {
    own += moves[row];
  }
  if (examples->names[label] != PI_NONE) {
    own += moves[examples->names[label]];
  }
  for (int n = 0; n < 2; n++) {
    float slopes[2] = {0, 0};
    solver->kernels->slopes(problem->logits, moves, length, examples->main, slopes);
    solver->kernels->slopes(problem->logits + first, moves + first, length, count, slopes);
    float slope = PI_C * (slopes[0] - own) + fall + length * bend;
    float curvature = PI_C * slopes[1] + bend;
    float next = length - slope / (curvature > 1e-12f ? curvature : 1e-12f);
    next = next < 0.1f * length ? 0.1f * length : next;
    length = next > 4.0f * length ? 4.0f * length : next;
  }
  solver->kernels->add(problem->logits, moves, length, examples->room);
  return length;
}

/* Leaves out the intents whose gradient is small. */
static void pi_leave_out_solved(pi_solver *solver) {
  size_t kept = 0, width = solver->examples->width;
  for (size_t slot = 0; slot < solver->num_active; slot++) {
    const float *gradient = solver->problems[solver->active[slot]].gradient;
    if (!(solver->kernels->dot(gradient, gradient, width) <
          solver->tolerance * solver->tolerance)) {
      solver->active[kept++] = solver->active[slot];
    }
  }
  solver->num_active = kept;
}

/* One step of all active intents. */
static void pi_step(pi_solver *solver) {
  const pi_examples *examples = solver->examples;
  const pi_kernels *kernels = solver->kernels;
  size_t width = examples->width;
  for (size_t slot = 0; slot < solver->num_active; slot++) {
    pi_find_direction(solver, &solver->problems[solver->active[slot]],
                      solver->directions + slot * width);
  }
  pi_multiply_examples(examples, solver->directions, solver->num_active, solver->moves, kernels);
  for (size_t slot = 0; slot < solver->num_active; slot++) {
    pi_problem *problem = &solver->problems[solver->active[slot]];
    const float *direction = solver->directions + slot * width;
    float length = pi_go(solver, problem, direction, solver->moves + slot * examples->room);
    float *step = problem->steps + problem->num_pairs % PI_PAIRS * width;
    for (size_t n = 0; n < width; n++) {
      step[n] = length * direction[n];
    }
    kernels->add(problem->weights, step, 1.0f, width);
  }
  pi_find_gradients(solver);
  for (size_t slot = 0; slot < solver->num_active; slot++) {
    pi_problem *problem = &solver->problems[solver->active[slot]];
    const float *gradient = solver->gradients + slot * width;
    size_t place = problem->num_pairs++ % PI_PAIRS;
    float *change = problem->changes + place * width;
    for (size_t n = 0; n < width; n++) {
      change[n] = gradient[n] - problem->gradient[n];
    }
    memcpy(problem->gradient, gradient, width * sizeof *gradient);
    float product = kernels->dot(problem->steps + place * width, change, width);
    problem->inverses[place] = product > 1e-12f ? 1.0f / product : 0.0f;
  }
}

/* Room for blocks of at most `num` intents; NULL if there is no memory. */
static pi_solver *pi_solver_new(pi_edit *edit, const pi_examples *examples, size_t num,
                                float tolerance) {
  size_t width = examples->width, room = examples->room;
  pi_solver *solver = pi_take(&edit->scratch, 1, sizeof *solver, edit->error);
  float *of_features = pi_arena_raw(&edit->scratch, num * width * (4 + 2 * PI_PAIRS), sizeof(float));
  float *of_rows = pi_arena_raw(&edit->scratch, 2 * num * room, sizeof(float));
  if (solver == NULL || of_features == NULL || of_rows == NULL) {
    pi_fail(edit->error, PINTENT_ERROR_MEMORY, "there is no memory to fit the classifier");
    return NULL;
  }
  solver->examples = examples;
  solver->kernels = edit->bot->kernels;
  solver->tolerance = tolerance;
  solver->directions = of_features;
  solver->products = of_features + num * width;
  solver->gradients = of_features + 2 * num * width;
  solver->moves = of_rows;
  solver->slopes = of_rows + num * room;
  for (size_t n = 0; n < num; n++) {
    pi_problem *problem = &solver->problems[n];
    problem->gradient = of_features + (3 * num + n * (1 + 2 * PI_PAIRS)) * width;
    problem->steps = problem->gradient + width;
    problem->changes = problem->steps + PI_PAIRS * width;
  }
  return solver;
}

/* Solves the intents of a block, from the weights that it has. */
static void pi_solve(pi_solver *solver, pi_block_of_intents *block) {
  const pi_examples *examples = solver->examples;
  size_t width = examples->width;
  pi_multiply_examples(examples, block->weights, block->num, block->logits, solver->kernels);
  solver->num_active = block->num;
  for (size_t n = 0; n < block->num; n++) {
    pi_problem *problem = &solver->problems[n];
    problem->label = block->first + n;
    problem->weights = block->weights + n * width;
    problem->logits = block->logits + n * examples->room;
    problem->num_pairs = 0;
    solver->active[n] = n;
  }
  pi_find_gradients(solver);
  for (size_t n = 0; n < block->num; n++) {
    memcpy(solver->problems[n].gradient, solver->gradients + n * width, width * sizeof(float));
  }
  for (size_t steps = 0; steps <= PI_MOST_STEPS; steps++) {
    pi_leave_out_solved(solver);
    if (solver->num_active == 0 || steps == PI_MOST_STEPS) {
      return;
    }
    pi_step(solver);
  }
}
