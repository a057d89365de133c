/* An LSTM or a GRU that reads the characters of some words side by side: docs/charemb.md. */

#include "encoder.h"

enum { PI_ROWS_OF_STEPS = 48 }; /* inputs that are multiplied together */

/* A layer that reads the words from one end. */
typedef struct pi_pass {
  const pi_characters *network;
  const pi_direction *direction;
  size_t layer, side;
  const float *inputs; /* of a further layer, at each character */
  float *outputs;      /* at each character, where another layer follows */
  const pi_kernels *kernels;
  pi_char_scratch *scratch;
  float *decoded;
} pi_pass;

/* The character of a word that a step reads, among those of all words. */
static size_t pi_character_of(const pi_pass *pass, size_t word, size_t step) {
  const pi_spelling *spelling = &pass->scratch->waiting[word];
  return spelling->start + (pass->side == 0 ? step : spelling->count - 1 - step);
}

/* How many words have a character for a step; the longest are the first. */
static size_t pi_count_active(const pi_char_scratch *scratch, size_t step) {
  size_t count = 0;
  while (count < scratch->num_waiting && scratch->waiting[count].count > step) {
    count++;
  }
  return count;
}

/* Finds what a character adds to the gates, or copies what is to be multiplied for it. */
static void pi_place_row(const pi_pass *pass, size_t character, size_t row) {
  const pi_characters *network = pass->network;
  pi_char_scratch *scratch = pass->scratch;
  size_t number = scratch->numbers[character], gates = network->gates;
  if (pass->layer == 0 && network->products != NULL) {
    scratch->of_rows[row] = network->products + (number * network->sides + pass->side) * gates;
    return;
  }
  scratch->of_rows[row] = scratch->projected + row * gates;
  size_t size = pass->direction->input.dim;
  float *input = scratch->inputs + row * size;
  if (pass->layer == 0) {
    memset(input, 0, size * sizeof *input);
    pi_add_row(&network->embedding, number, 1.0f, input, pass->decoded, pass->kernels);
  } else {
    memcpy(input, pass->inputs + character * size, size * sizeof *input);
  }
}

/* Prepares what the inputs of some steps add to the gates, a row for each word and step; the step
 * after them. */
static size_t pi_project(const pi_pass *pass, size_t step) {
  pi_char_scratch *scratch = pass->scratch;
  const pi_direction *direction = pass->direction;
  size_t rows = 0;
  for (;; step++) {
    size_t active = pi_count_active(scratch, step);
    if (active == 0 || rows + active > PI_ROWS_OF_STEPS) {
      break;
    }
    for (size_t word = 0; word < active; word++) {
      pi_place_row(pass, pi_character_of(pass, word, step), rows++);
    }
  }
  if (pass->layer > 0 || pass->network->products == NULL) {
    pi_multiply(&direction->input, scratch->inputs, direction->input.dim, rows, direction->bias,
                scratch->projected, pass->network->gates, pass->decoded, pass->kernels);
  }
  return step;
}

/* Hochreiter and Schmidhuber 1997. The gates are input, forget, cell and output. */
static void pi_lstm_step(const float *input, float *gates, float *state, float *memory,
                         size_t hidden, const pi_kernels *kernels) {
  const float *cell = gates + 2 * hidden, *output = gates + 3 * hidden;
  kernels->add(gates, input, 1.0f, 4 * hidden);
  kernels->sigmoid(gates, 2 * hidden);
  kernels->tanh(gates + 2 * hidden, hidden);
  kernels->sigmoid(gates + 3 * hidden, hidden);
  for (size_t n = 0; n < hidden; n++) {
    state[n] = memory[n] = gates[hidden + n] * memory[n] + gates[n] * cell[n];
  }
  kernels->tanh(state, hidden);
  for (size_t n = 0; n < hidden; n++) {
    state[n] *= output[n];
  }
}

/* Cho et al. 2014, with the reset after the product. The gates are reset, update and new. */
static void pi_gru_step(const float *input, float *gates, float *state, const float *bias,
                        size_t hidden, const pi_kernels *kernels) {
  float *new_state = gates + 2 * hidden;
  kernels->add(gates, input, 1.0f, 2 * hidden);
  kernels->sigmoid(gates, 2 * hidden);
  for (size_t n = 0; n < hidden; n++) {
    new_state[n] = gates[n] * (new_state[n] + bias[n]) + input[2 * hidden + n];
  }
  kernels->tanh(new_state, hidden);
  for (size_t n = 0; n < hidden; n++) {
    state[n] = (state[n] - new_state[n]) * gates[hidden + n] + new_state[n];
  }
}

/* Reads a character of each word that has one for the step. */
static void pi_run_step(const pi_pass *pass, size_t step, size_t active,
                        const float *const *inputs) {
  const pi_characters *network = pass->network;
  pi_char_scratch *scratch = pass->scratch;
  size_t hidden = network->hidden;
  pi_multiply(&pass->direction->recurrent, scratch->states, hidden, active, NULL,
              scratch->products, network->gates, pass->decoded, pass->kernels);
  for (size_t word = 0; word < active; word++) {
    float *gates = scratch->products + word * network->gates;
    float *state = scratch->states + word * hidden;
    if (network->cell == PI_LSTM) {
      pi_lstm_step(inputs[word], gates, state, scratch->memories + word * hidden, hidden,
                   pass->kernels);
    } else {
      pi_gru_step(inputs[word], gates, state, pass->direction->recurrent_bias, hidden,
                  pass->kernels);
    }
    if (pass->outputs != NULL) {
      size_t character = pi_character_of(pass, word, step);
      memcpy(pass->outputs + character * network->state + pass->side * hidden, state,
             hidden * sizeof *state);
    }
  }
}

/* Reads all characters, and writes the last states of the words. */
static void pi_run_pass(const pi_pass *pass) {
  pi_char_scratch *scratch = pass->scratch;
  size_t hidden = pass->network->hidden, size = scratch->num_waiting * hidden * sizeof(float);
  memset(scratch->states, 0, size);
  memset(scratch->memories, 0, size);
  for (size_t step = 0, end = 0; step < scratch->waiting[0].count;) {
    end = pi_project(pass, step);
    for (const float *const *inputs = scratch->of_rows; step < end; step++) {
      size_t active = pi_count_active(scratch, step);
      pi_run_step(pass, step, active, inputs);
      inputs += active;
    }
  }
  for (size_t word = 0; word < scratch->num_waiting; word++) {
    memcpy(scratch->last + word * pass->network->state + pass->side * hidden,
           scratch->states + word * hidden, hidden * sizeof(float));
  }
}

/* Reads the words that wait, the longest first, and writes their last states. */
static void pi_run_recurrent(const pi_characters *network, float *decoded,
                             const pi_kernels *kernels, pi_char_scratch *scratch) {
  for (size_t layer = 0; layer < network->num_layers; layer++) {
    bool is_last = layer + 1 == network->num_layers;
    for (size_t side = 0; side < network->sides; side++) {
      pi_pass pass = {.network = network,
                      .direction = &network->directions[layer * network->sides + side],
                      .layer = layer,
                      .side = side,
                      .inputs = scratch->outputs[(layer + 1) % 2],
                      .outputs = is_last ? NULL : scratch->outputs[layer % 2],
                      .kernels = kernels,
                      .scratch = scratch,
                      .decoded = decoded};
      pi_run_pass(&pass);
    }
  }
}
