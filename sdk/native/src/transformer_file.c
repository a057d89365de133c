/* Reading a model of the kind `transformer`. */

#include "encoder.h"

/* Reads the weights of a network under their names. */
typedef struct pi_weights_reader {
  const pi_file *file;
  const pi_json *matrices; /* the settings of each matrix */
  pi_form form;            /* that all matrices must have; PI_CODES_8 stands for all codes */
  pi_arena *arena;
  pi_error *error;
} pi_weights_reader;

/* Begins to read weights of the format that the entry `weights` of a manifest names. */
static bool pi_open_weights(pi_weights_reader *reader, const pi_file *file, const pi_json *entry,
                            pi_arena *arena, pi_error *error) {
  const pi_json *format = pi_json_get(entry, "format");
  pi_weights_reader begun = {file, pi_json_get(entry, "matrices"), PI_CODES_8, arena, error};
  if (pi_json_is_string(format, "int8")) {
    begun.form = PI_INTEGERS;
  } else if (pi_json_is_string(format, "float32")) {
    begun.form = PI_FLOATS;
  } else if (!pi_json_is_string(format, "codebook")) {
    return pi_fail(error, PINTENT_ERROR_MODEL,
                   "the manifest's weights must name a format: float32, int8, codebook");
  }
  *reader = begun;
  return true;
}

static bool pi_weight_matrix(pi_weights_reader *reader, const char *name, size_t rows,
                             size_t columns, pi_matrix *matrix) {
  bool is_read = reader->form == PI_INTEGERS
                     ? pi_read_integers(reader->file, name, matrix, reader->error)
                     : pi_read_matrix(reader->file, name, pi_json_get(reader->matrices, name),
                                      reader->arena, matrix, reader->error);
  if (!is_read) {
    return false;
  }
  if (matrix->num != rows || matrix->dim != columns) {
    return pi_fail(reader->error, PINTENT_ERROR_MODEL,
                   "weight %s: the network requires shape [%zu, %zu], but the weights have shape "
                   "[%zu, %zu]",
                   name, rows, columns, matrix->num, matrix->dim);
  }
  if (reader->form != PI_INTEGERS && (matrix->form == PI_FLOATS) != (reader->form == PI_FLOATS)) {
    return pi_fail(reader->error, PINTENT_ERROR_MODEL, "weight %s is not stored as %s", name,
                   reader->form == PI_FLOATS ? "float32" : "codebook");
  }
  return pi_check_decoded(matrix, name, reader->error);
}

static bool pi_weight_vector(pi_weights_reader *reader, const char *name, size_t size,
                             const float **vector) {
  const uint64_t shape = size;
  const pi_tensor *tensor = pi_need_tensor(reader->file, name, PI_F32, 1, &shape, reader->error);
  *vector = tensor == NULL ? NULL : (const float *)(const void *)tensor->data;
  return tensor != NULL;
}

/* Reads `prefix`.weight and `prefix`.bias of one layer of a network, or of a norm. */
static bool pi_weight_pair(pi_weights_reader *reader, const char *prefix, size_t rows,
                           size_t columns, pi_matrix *matrix, const float **bias) {
  char name[96];
  pi_format(name, sizeof name, "%s.weight", prefix);
  if (!pi_weight_matrix(reader, name, rows, columns, matrix)) {
    return false;
  }
  pi_format(name, sizeof name, "%s.bias", prefix);
  return pi_weight_vector(reader, name, rows, bias);
}

static bool pi_weight_norm(pi_weights_reader *reader, const char *prefix, size_t dim,
                           pi_norm *norm) {
  char name[96];
  pi_format(name, sizeof name, "%s.weight", prefix);
  if (!pi_weight_vector(reader, name, dim, &norm->weight)) {
    return false;
  }
  pi_format(name, sizeof name, "%s.bias", prefix);
  return pi_weight_vector(reader, name, dim, &norm->bias);
}

static bool pi_read_layer(pi_weights_reader *reader, const char *start, size_t dim,
                          size_t feedforward, pi_layer *layer) {
  char name[80];
  pi_format(name, sizeof name, "%s.attention.input", start);
  if (!pi_weight_pair(reader, name, 3 * dim, dim, &layer->input, &layer->input_bias)) {
    return false;
  }
  pi_format(name, sizeof name, "%s.attention.output", start);
  if (!pi_weight_pair(reader, name, dim, dim, &layer->output, &layer->output_bias)) {
    return false;
  }
  pi_format(name, sizeof name, "%s.feedforward.0", start);
  if (!pi_weight_pair(reader, name, feedforward, dim, &layer->inner, &layer->inner_bias)) {
    return false;
  }
  pi_format(name, sizeof name, "%s.feedforward.1", start);
  if (!pi_weight_pair(reader, name, dim, feedforward, &layer->outer, &layer->outer_bias)) {
    return false;
  }
  for (int n = 0; n < 2; n++) {
    pi_format(name, sizeof name, "%s.norm.%d", start, n);
    if (!pi_weight_norm(reader, name, dim, &layer->norms[n])) {
      return false;
    }
  }
  return true;
}

static bool pi_read_network_sizes(const pi_json *entry, size_t dim, pi_transformer *network,
                                  pi_error *error) {
  size_t layers = 0, heads = 0, feedforward = 0;
  if (!pi_network_size(entry, "layers", 64, &layers, error) ||
      !pi_network_size(entry, "heads", PI_MOST_DIM, &heads, error) ||
      !pi_network_size(entry, "feedforward", PI_MOST_DIM, &feedforward, error)) {
    return false;
  }
  if (dim % heads != 0) {
    return pi_fail(error, PINTENT_ERROR_MODEL,
                   "the %zu heads of the network do not divide its %zu dimensions", heads, dim);
  }
  uint64_t of_layer = 4 * (uint64_t)dim * dim + 2 * (uint64_t)dim * feedforward + 9 * (uint64_t)dim +
                      feedforward;
  uint64_t weights = (PI_SEQUENCE + 3) * (uint64_t)dim + layers * of_layer;
  uint64_t length = PI_SEQUENCE + 1, most = length * heads;
  most = most > 3 * (uint64_t)dim ? most : 3 * (uint64_t)dim;
  most = most > feedforward ? most : feedforward;
  network->num_layers = layers;
  network->heads = heads;
  network->feedforward = feedforward;
  return pi_check_room("weights", weights, error) && pi_check_room("layers", length * most, error);
}

static bool pi_read_transformer(const pi_file *file, size_t dim, pi_arena *arena,
                                pi_transformer *network, pi_error *error) {
  const pi_json *entry = pi_json_get(file->manifest, "network");
  if (!pi_json_is_object(entry)) {
    return pi_fail(error, PINTENT_ERROR_MODEL, "the manifest has no object 'network'");
  }
  if (!pi_read_network_sizes(entry, dim, network, error)) {
    return false;
  }
  pi_weights_reader reader;
  if (!pi_open_weights(&reader, file, pi_json_get(entry, "weights"), arena, error)) {
    return false;
  }
  network->layers = pi_take(arena, network->num_layers, sizeof *network->layers, error);
  if (network->layers == NULL || !pi_weight_vector(&reader, "network.start", dim, &network->start) ||
      !pi_weight_matrix(&reader, "network.positions", PI_SEQUENCE, dim, &network->positions) ||
      !pi_weight_norm(&reader, "network.norm", dim, &network->norm)) {
    return false;
  }
  for (size_t n = 0; n < network->num_layers; n++) {
    char start[48];
    pi_format(start, sizeof start, "network.layers.%zu", n);
    if (!pi_read_layer(&reader, start, dim, network->feedforward, &network->layers[n])) {
      return false;
    }
  }
  return true;
}
