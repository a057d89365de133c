/* The network over characters in a model file: docs/charemb.md. */

#include "encoder.h"

enum { PI_MOST_LAYERS = 64, PI_MOST_PRODUCTS = 1 << 20 };

static bool pi_read_cell(const pi_json *entry, size_t heads, pi_characters *network,
                         pi_error *error) {
  static const char *const cells[] = {"lstm", "gru", "transformer"};
  const pi_json *cell = pi_json_get(entry, "cell");
  size_t number = 0;
  while (number < 3 && !pi_json_is_string(cell, cells[number])) {
    number++;
  }
  if (number == 3) {
    return pi_fail(error, PINTENT_ERROR_MODEL, "cell must be lstm, gru or transformer");
  }
  network->cell = (pi_cell)number;
  if (network->cell == PI_ATTENTION &&
      (network->hidden % heads != 0 || network->char_dim != network->hidden)) {
    return pi_fail(error, PINTENT_ERROR_MODEL,
                   "char_dim of a transformer must be hidden, and divisible by heads");
  }
  return true;
}

/* Reads the manifest's entry `network`, and the width of the layer before the vector. */
static bool pi_read_char_network(const pi_json *entry, pi_characters *network, size_t *heads,
                                 size_t *mlp, pi_error *error) {
  static const char *const names[] = {"dim", "char_dim", "hidden", "mlp", "heads", "layers"};
  size_t *const sizes[] = {&network->dim, &network->char_dim, &network->hidden, mlp, heads,
                           &network->num_layers};
  bool is_bidirectional = false;
  if (!pi_json_is_object(entry) || entry->of.members.count != 9) {
    return pi_fail(error, PINTENT_ERROR_MODEL,
                   "the manifest's network must have the nine settings of docs/charemb.md");
  }
  for (size_t n = 0; n < 6; n++) {
    if (!pi_network_size(entry, names[n], n < 5 ? PI_MOST_DIM : PI_MOST_LAYERS, sizes[n], error)) {
      return false;
    }
  }
  if (!pi_flag(entry, "bidirectional", &is_bidirectional, error) ||
      !pi_flag(entry, "norm", &network->has_length, error) ||
      !pi_read_cell(entry, *heads, network, error)) {
    return false;
  }
  network->gates = (network->cell == PI_LSTM ? 4 : 3) * network->hidden;
  network->sides = network->cell == PI_ATTENTION ? 1 : (size_t)is_bidirectional + 1;
  network->state = network->hidden * network->sides;
  return true;
}

/* Whether the weights, and the largest array of a text, are not meant for more memory. */
static bool pi_check_char_memory(const pi_characters *network, size_t heads, size_t mlp,
                                 pi_error *error) {
  uint64_t hidden = network->hidden, layers = network->num_layers, sides = network->sides;
  uint64_t characters = network->alphabet.count + 1, most = network->alphabet.most;
  uint64_t outputs = network->dim + network->has_length, gates = network->gates;
  uint64_t weights = characters * network->char_dim + mlp * (network->state + 1 + outputs) + outputs;
  if (network->cell == PI_ATTENTION) {
    uint64_t read = most < PI_MAX_CHARS ? most : PI_MAX_CHARS;
    weights += most * hidden + layers * (12 * hidden * hidden + 13 * hidden) + 2 * hidden;
    return pi_check_room("weights", weights, error) &&
           pi_check_room("attention", heads * read * PI_MAX_CHARS, error) &&
           pi_check_room("layers", 4 * hidden * PI_MAX_CHARS, error);
  }
  uint64_t inputs = network->char_dim + (layers - 1) * network->state;
  uint64_t biases = gates + (network->cell == PI_GRU ? hidden : 0);
  weights += sides * (gates * inputs + layers * (gates * hidden + biases));
  uint64_t rows = characters > PI_MAX_CHARS ? characters : PI_MAX_CHARS;
  return pi_check_room("weights", weights, error) &&
         pi_check_room("layers", sides * gates * rows, error);
}

/* Replaces a matrix by one of floats, since its codes would be decoded for each character. */
static bool pi_decode_matrix(pi_matrix *matrix, const pi_kernels *kernels, pi_arena *arena,
                             pi_error *error) {
  if (matrix->form == PI_FLOATS) {
    return true;
  }
  float *numbers = pi_take(arena, matrix->num * matrix->dim, sizeof *numbers, error);
  for (size_t row = 0; numbers != NULL && row < matrix->num; row++) {
    float *of_row = numbers + row * matrix->dim, scale = pi_scale_of(matrix, row);
    pi_decode_row(matrix, row, of_row, kernels);
    for (size_t n = 0; n < matrix->dim; n++) {
      of_row[n] *= scale;
    }
  }
  pi_matrix decoded = {.form = PI_FLOATS, .num = matrix->num, .dim = matrix->dim, .rows = numbers};
  *matrix = decoded;
  return numbers != NULL;
}

static bool pi_read_direction(pi_weights_reader *reader, const pi_characters *network, size_t layer,
                              size_t side, pi_direction *direction) {
  char start[48], name[80];
  size_t inputs = layer == 0 ? network->char_dim : network->state;
  pi_format(start, sizeof start, "layers.%zu.%s", layer, side == 0 ? "forward" : "backward");
  pi_format(name, sizeof name, "%s.input", start);
  if (!pi_weight_matrix(reader, name, network->gates, inputs, &direction->input)) {
    return false;
  }
  pi_format(name, sizeof name, "%s.recurrent", start);
  if (!pi_weight_matrix(reader, name, network->gates, network->hidden, &direction->recurrent)) {
    return false;
  }
  pi_format(name, sizeof name, "%s.bias", start);
  if (!pi_weight_vector(reader, name, network->gates, &direction->bias)) {
    return false;
  }
  pi_format(name, sizeof name, "%s.recurrent_bias", start);
  return network->cell != PI_GRU ||
         pi_weight_vector(reader, name, network->hidden, &direction->recurrent_bias);
}

/* Multiplies the first layer with each character once, unless there are very many. */
static bool pi_multiply_characters(pi_characters *network, const pi_kernels *kernels,
                                   pi_arena *arena, pi_arena *scratch, pi_error *error) {
  size_t num = network->embedding.num, dim = network->char_dim, row = network->sides * network->gates;
  if (num > PI_MOST_PRODUCTS / row) {
    return true;
  }
  pi_matrix characters = network->embedding;
  float *products = pi_take(arena, num * row, sizeof *products, error);
  float *decoded = pi_take(scratch, PI_ROWS * dim, sizeof *decoded, error);
  if (products == NULL || decoded == NULL ||
      !pi_decode_matrix(&characters, kernels, scratch, error)) {
    return false;
  }
  for (size_t side = 0; side < network->sides; side++) {
    const pi_direction *direction = &network->directions[side];
    pi_multiply(&direction->input, characters.rows, dim, num, direction->bias,
                products + side * network->gates, row, decoded, kernels);
  }
  network->products = products;
  return true;
}

static bool pi_read_recurrent(pi_weights_reader *reader, pi_characters *network,
                              const pi_kernels *kernels, pi_arena *scratch) {
  size_t count = network->num_layers * network->sides;
  network->directions = pi_take(reader->arena, count, sizeof *network->directions, reader->error);
  for (size_t n = 0; network->directions != NULL && n < count; n++) {
    pi_direction *direction = &network->directions[n];
    if (!pi_read_direction(reader, network, n / network->sides, n % network->sides, direction) ||
        !pi_decode_matrix(&direction->recurrent, kernels, reader->arena, reader->error)) {
      return false;
    }
  }
  return network->directions != NULL &&
         pi_multiply_characters(network, kernels, reader->arena, scratch, reader->error);
}

static bool pi_read_char_transformer(pi_weights_reader *reader, size_t heads,
                                     pi_characters *network) {
  size_t dim = network->hidden, count = network->num_layers;
  pi_transformer *transformer = pi_take(reader->arena, 1, sizeof *transformer, reader->error);
  if (transformer == NULL) {
    return false;
  }
  transformer->num_layers = count;
  transformer->heads = heads;
  transformer->feedforward = 4 * dim;
  transformer->layers = pi_take(reader->arena, count, sizeof *transformer->layers, reader->error);
  if (transformer->layers == NULL ||
      !pi_weight_matrix(reader, "positions", network->alphabet.most, dim, &transformer->positions) ||
      !pi_weight_norm(reader, "norm", dim, &transformer->norm)) {
    return false;
  }
  for (size_t n = 0; n < count; n++) {
    char start[48];
    pi_format(start, sizeof start, "layers.%zu", n);
    if (!pi_read_layer(reader, start, dim, 4 * dim, &transformer->layers[n])) {
      return false;
    }
  }
  network->transformer = transformer;
  return true;
}

/* Reads the network of a file, or of the part of a file that has its manifest and its tensors. */
static bool pi_read_characters(const pi_file *file, pi_arena *arena, pi_arena *scratch,
                               pi_characters *network, pi_error *error) {
  const pi_json *manifest = file->manifest, *reads = pi_json_get(manifest, "reads");
  size_t heads = 0, mlp = 0;
  if (!pi_read_alphabet(file, arena, scratch, &network->alphabet, error) ||
      !pi_read_char_network(pi_json_get(manifest, "network"), network, &heads, &mlp, error)) {
    return false;
  }
  network->reads_words = pi_json_is_string(reads, "words");
  if (!network->reads_words && !pi_json_is_string(reads, "text")) {
    return pi_fail(error, PINTENT_ERROR_MODEL, "reads must be text or words");
  }
  pi_weights_reader reader;
  size_t outputs = network->dim + network->has_length;
  const pi_kernels *kernels = pi_choose_kernels(NULL);
  return pi_check_char_memory(network, heads, mlp, error) &&
         pi_open_weights(&reader, file, pi_json_get(manifest, "weights"), arena, error) &&
         pi_weight_matrix(&reader, "embedding", network->alphabet.count + 1, network->char_dim,
                          &network->embedding) &&
         pi_weight_pair(&reader, "mlp.0", mlp, network->state, &network->inner,
                        &network->inner_bias) &&
         pi_weight_pair(&reader, "mlp.1", outputs, mlp, &network->outer, &network->outer_bias) &&
         (network->cell == PI_ATTENTION
              ? pi_read_char_transformer(&reader, heads, network)
              : pi_read_recurrent(&reader, network, kernels, scratch));
}
