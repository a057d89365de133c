/* A transformer that reads the characters of a word or text: docs/charemb.md. */

#include <math.h>

#include "encoder.h"

/* Brings states to the mean 0 and the variance 1, and scales and moves them (Ba et al. 2016). */
static void pi_norm_states(const pi_norm *norm, float *states, size_t count, size_t dim) {
  for (size_t state = 0; state < count; state++, states += dim) {
    float sum = 0, squares = 0;
    for (size_t n = 0; n < dim; n++) {
      sum += states[n];
    }
    float mean = sum / (float)dim;
    for (size_t n = 0; n < dim; n++) {
      states[n] -= mean;
      squares += states[n] * states[n];
    }
    float scale = 1.0f / sqrtf(squares / (float)dim + 1e-5f);
    for (size_t n = 0; n < dim; n++) {
      states[n] = states[n] * scale * norm->weight[n] + norm->bias[n];
    }
  }
}

/* Replaces each state by a mixture of the values of all, by how its query fits their keys. */
static void pi_mix_states(size_t heads, size_t count, size_t dim, const pi_kernels *kernels,
                          pi_char_scratch *scratch) {
  size_t size = dim / heads, stride = 3 * dim;
  float factor = (float)(1.0 / sqrt((double)size)), *scores = scratch->scores;
  memset(scratch->mixed, 0, count * dim * sizeof *scratch->mixed);
  for (size_t head = 0; head < heads; head++) {
    const float *queries = scratch->parts + head * size, *keys = queries + dim, *values = keys + dim;
    for (size_t state = 0; state < count; state++) {
      for (size_t other = 0; other < count; other++) {
        scores[other] =
            factor * kernels->dot(queries + state * stride, keys + other * stride, size);
      }
      kernels->softmax(scores, count);
      float *mixture = scratch->mixed + state * dim + head * size;
      for (size_t other = 0; other < count; other++) {
        kernels->add(mixture, values + other * stride, scores[other], size);
      }
    }
  }
}

/* Copies the states, and normalises the copy. */
static float *pi_copy_normed(const pi_norm *norm, size_t count, size_t dim,
                             pi_char_scratch *scratch) {
  memcpy(scratch->normed, scratch->states, count * dim * sizeof *scratch->normed);
  pi_norm_states(norm, scratch->normed, count, dim);
  return scratch->normed;
}

/* Adds the attention, and then the feed-forward layers, to the states; the input of each is
 * normalised (Xiong et al. 2020). */
static void pi_run_char_layer(const pi_layer *layer, size_t heads, size_t count, size_t dim,
                              float *decoded, const pi_kernels *kernels,
                              pi_char_scratch *scratch) {
  pi_multiply(&layer->input, pi_copy_normed(&layer->norms[0], count, dim, scratch), dim, count,
              layer->input_bias, scratch->parts, 3 * dim, decoded, kernels);
  pi_mix_states(heads, count, dim, kernels, scratch);
  pi_multiply(&layer->output, scratch->mixed, dim, count, layer->output_bias, scratch->parts, dim,
              decoded, kernels);
  kernels->add(scratch->states, scratch->parts, 1.0f, count * dim);
  float *inner = scratch->feed;
  size_t feedforward = layer->inner.num;
  pi_multiply(&layer->inner, pi_copy_normed(&layer->norms[1], count, dim, scratch), dim, count,
              layer->inner_bias, inner, feedforward, decoded, kernels);
  for (size_t n = 0; n < count * feedforward; n++) {
    inner[n] = inner[n] > 0 ? inner[n] : 0;
  }
  pi_multiply(&layer->outer, inner, feedforward, count, layer->outer_bias, scratch->mixed, dim,
              decoded, kernels);
  kernels->add(scratch->states, scratch->mixed, 1.0f, count * dim);
}

/* Reads each word that waits, and writes the mean of its states. */
static void pi_run_char_transformer(const pi_characters *network, float *decoded,
                                    const pi_kernels *kernels, pi_char_scratch *scratch) {
  const pi_transformer *transformer = network->transformer;
  size_t dim = network->hidden;
  for (size_t word = 0; word < scratch->num_waiting; word++) {
    const pi_spelling *spelling = &scratch->waiting[word];
    size_t count = spelling->count;
    float *mean = scratch->last + word * dim;
    memset(scratch->states, 0, count * dim * sizeof *scratch->states);
    for (size_t n = 0; n < count; n++) {
      float *state = scratch->states + n * dim;
      uint32_t number = scratch->numbers[spelling->start + n];
      pi_add_row(&network->embedding, number, 1.0f, state, decoded, kernels);
      pi_add_row(&transformer->positions, n, 1.0f, state, decoded, kernels);
    }
    for (size_t n = 0; n < transformer->num_layers; n++) {
      pi_run_char_layer(&transformer->layers[n], transformer->heads, count, dim, decoded, kernels,
                        scratch);
    }
    pi_norm_states(&transformer->norm, scratch->states, count, dim);
    memset(mean, 0, dim * sizeof *mean);
    for (size_t n = 0; n < count; n++) {
      kernels->add(mean, scratch->states + n * dim, 1.0f / (float)count, dim);
    }
  }
}
