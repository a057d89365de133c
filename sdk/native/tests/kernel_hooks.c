/* The kernels of groups of tokens, made visible for tests. Part of hooks.c. */

/* Puts vectors into groups, with the tokens of a half group twice, or takes them out. */
static void hook_group(const pi_kernels *kernels, float *vectors, size_t tokens, size_t size,
                       float *groups, bool takes) {
  size_t group = kernels->group, width = size + size % 2;
  size_t whole = (tokens + group - 1) / group * group;
  for (size_t token = 0; token < (takes ? tokens : whole); token++) {
    bool repeats = whole - tokens >= group / 2 && token >= whole - group / 2;
    size_t from = repeats && !takes ? token - group / 2 : token;
    for (size_t n = 0; n < size && from < tokens; n++) {
      float *place = groups + pi_place(group, width, token, n);
      if (takes) {
        vectors[token * size + n] = *place;
      } else {
        *place = vectors[from * size + n];
      }
    }
  }
}

/* Room for numbers of tokens in groups, with zeros, of an arena that the caller frees. */
static float *hook_room(pi_arena *arena, size_t tokens, size_t size) {
  return pi_arena_take(arena, (tokens + PI_MOST_OF_GROUP) * (size + 1), sizeof(float));
}

/* Multiplies rows of floats, or of codes of pairs, with vectors; the products of `out` are added if
 * `adds`. The name of the instructions. */
PINTENT_API const char *hook_multiply(const char *set, const float *numbers, const uint8_t *codes,
                                      const uint16_t *scales, const float *bias, size_t num,
                                      size_t dim, float *vectors, size_t tokens, bool adds,
                                      float *out) {
  const pi_kernels *kernels = pi_choose_kernels(set);
  pi_arena arena;
  pi_arena_init(&arena, NULL);
  pi_matrix matrix = {codes == NULL ? PI_FLOATS : PI_CODES_8, num, dim, numbers, scales, NULL, 0,
                      0, 0, 0};
  if (codes != NULL) {
    matrix.rows = codes;
    matrix.codebook = numbers;
    matrix.sub_dim = 2;
    matrix.num_sub = dim / 2;
    matrix.codebook_size = 256;
  }
  float *states = hook_room(&arena, tokens, dim), *sums = hook_room(&arena, tokens, num);
  float *decoded = pi_arena_take(&arena, PI_ROWS * (dim + 1), sizeof *decoded);
  pi_products products = {sums, (num + num % 2) * kernels->group, NULL, bias, adds};
  hook_group(kernels, vectors, tokens, dim, states, false);
  hook_group(kernels, out, tokens, num, sums, false);
  pi_multiply_groups(&matrix, states, (dim + dim % 2) * kernels->group, tokens, &products, decoded,
                     kernels);
  hook_group(kernels, out, tokens, num, sums, true);
  pi_arena_free(&arena);
  return kernels->name;
}

/* Norms of vectors, or without weights their softmax of `factor` times the numbers. */
PINTENT_API void hook_norm(const char *set, const float *weight, const float *bias, float factor,
                           size_t dim, float *vectors, size_t tokens) {
  const pi_kernels *kernels = pi_choose_kernels(set);
  pi_arena arena;
  pi_arena_init(&arena, NULL);
  float *states = hook_room(&arena, tokens, dim);
  size_t stride = (dim + dim % 2) * kernels->group;
  hook_group(kernels, vectors, tokens, dim, states, false);
  for (size_t n = 0; n * kernels->group < tokens; n++) {
    if (weight != NULL) {
      kernels->norm(states + n * stride, weight, bias, dim);
    } else {
      kernels->softmax_groups(states + n * stride, dim, factor);
    }
  }
  hook_group(kernels, vectors, tokens, dim, states, true);
  pi_arena_free(&arena);
}
