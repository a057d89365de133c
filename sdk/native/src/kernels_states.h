/* What a network does with a list of numbers and with those of a group of tokens: GELU, tangent, norm
 * and softmax. Part of kernels_body.h, behind kernels_groups.h. */

/* x * (1 + tanh(u)) / 2 is x / (1 + exp(-2 u)). */
PI_TARGET static inline void PI_K(gelu_one)(PI_VEC *numbers) {
  PI_VEC x = *numbers;
  PI_VEC power = x * (x * x * -0.07135481627f - 1.595769122f);
  PI_K(exp_one)(&power);
  *numbers = x / (power + 1.0f);
}

PI_TARGET static void PI_K(gelu)(float *numbers, size_t size) {
  size_t n = 0;
  for (; n + PI_WIDTH <= size; n += PI_WIDTH) {
    PI_LOAD(part, numbers + n);
    PI_K(gelu_one)(&part);
    memcpy(numbers + n, &part, sizeof part);
  }
  if (n < size) {
    PI_VEC part = {0};
    memcpy(&part, numbers + n, (size - n) * sizeof *numbers);
    PI_K(gelu_one)(&part);
    memcpy(numbers + n, &part, (size - n) * sizeof *numbers);
  }
}

/* The hyperbolic tangent: near zero by a polynomial (of Cephes, by Moshier), since 1 less almost 1
 * would have lost its digits. */
PI_TARGET static inline void PI_K(tanh_one)(PI_VEC *numbers) {
  PI_VEC x = *numbers, square = x * x, power = x + x;
  PI_VEC inside = PI_ALL(-5.70498872745e-3f);
  inside = inside * square + 2.06390887954e-2f;
  inside = inside * square - 5.37397155531e-2f;
  inside = inside * square + 1.33314422036e-1f;
  inside = inside * square - 3.33332819422e-1f;
  inside = inside * square * x + x;
  PI_K(exp_one)(&power);
  PI_VEC outside = 1.0f - 2.0f / (power + 1.0f);
#if PI_WIDTH == 1
  *numbers = square < 0.390625f ? inside : outside;
#else
  PI_K(ints) is_inside = square < PI_ALL(0.390625f);
  *numbers = (PI_VEC)(((PI_K(ints))inside & is_inside) | ((PI_K(ints))outside & ~is_inside));
#endif
}

PI_TARGET static void PI_K(tanh)(float *numbers, size_t size) {
  for (size_t n = 0; n < size; n += PI_WIDTH) {
    size_t count = size - n < PI_WIDTH ? size - n : PI_WIDTH;
    PI_VEC part = {0};
    memcpy(&part, numbers + n, count * sizeof *numbers);
    PI_K(tanh_one)(&part);
    memcpy(numbers + n, &part, count * sizeof *numbers);
  }
}

#ifndef PINTENT_NO_CHARACTERS
PI_TARGET static void PI_K(softmax)(float *numbers, size_t size) {
  float largest = numbers[0], sum = 0;
  for (size_t n = 1; n < size; n++) {
    largest = numbers[n] > largest ? numbers[n] : largest;
  }
  for (size_t n = 0; n < size; n += PI_WIDTH) {
    size_t count = size - n < PI_WIDTH ? size - n : PI_WIDTH;
    PI_VEC part = {0};
    memcpy(&part, numbers + n, count * sizeof *numbers);
    part = part - largest;
    PI_K(exp_one)(&part);
    memcpy(numbers + n, &part, count * sizeof *numbers);
  }
  for (size_t n = 0; n < size; n++) {
    sum += numbers[n];
  }
  for (size_t n = 0; n < size; n++) {
    numbers[n] /= sum;
  }
}
#endif

/* The vectors of `dim` numbers of each token, without what follows an odd number. */
#define PI_WHOLE(dim) (PI_WIDTH == 1 ? (dim) : (dim) / 2)

/* The second number of each pair becomes 0. */
PI_TARGET static inline PI_VEC PI_K(firsts)(PI_VEC numbers) {
#if PI_WIDTH == 1
  return numbers;
#else
  return (PI_VEC)((PI_K(pairs))numbers & 0xFFFFFFFFu);
#endif
}

/* Each number becomes the sum of its pair. */
PI_TARGET static inline PI_VEC PI_K(of_token)(PI_VEC numbers) {
#if PI_WIDTH == 1
  return numbers;
#else
  return PI_K(fold)(numbers, numbers);
#endif
}

/* Scales and moves a vector by the weights and biases at a place. */
PI_TARGET static inline void PI_K(move)(float *states, PI_VEC scale, const float *weight,
                                        const float *bias) {
  PI_LOAD(state, states);
#if PI_WIDTH == 1
  state = state * scale * *weight + *bias;
#else
  state = state * scale * PI_K(repeat)(weight) + PI_K(repeat)(bias);
#endif
  memcpy(states, &state, sizeof state);
}

PI_TARGET static void PI_K(norm)(float *states, const float *weight, const float *bias,
                                 size_t dim) {
  size_t whole = PI_WHOLE(dim), step = PI_WIDTH == 1 ? 1 : 2;
  bool has_rest = whole * step < dim;
  PI_VEC even = {0}, odd = {0};
  for (size_t n = 0; n + 2 <= whole; n += 2) {
    PI_LOAD(one, states + n * PI_WIDTH);
    PI_LOAD(other, states + (n + 1) * PI_WIDTH);
    even += one;
    odd += other;
  }
  for (size_t n = whole / 2 * 2; n < whole + has_rest; n++) {
    PI_LOAD(one, states + n * PI_WIDTH);
    even += one;
  }
  PI_VEC mean = PI_K(of_token)(even + odd) / (float)dim, squares = {0};
  for (size_t n = 0; n < whole; n++) {
    PI_LOAD(state, states + n * PI_WIDTH);
    state -= mean;
    squares += state * state;
    memcpy(states + n * PI_WIDTH, &state, sizeof state);
  }
  if (has_rest) {
    PI_LOAD(state, states + whole * PI_WIDTH);
    state = PI_K(firsts)(state - mean);
    squares += state * state;
    memcpy(states + whole * PI_WIDTH, &state, sizeof state);
  }
  PI_VEC scale = PI_K(of_token)(squares) / (float)dim + 1e-5f;
  float roots[PI_WIDTH];
  memcpy(roots, &scale, sizeof scale);
  for (int n = 0; n < PI_WIDTH; n++) {
    roots[n] = 1.0f / sqrtf(roots[n]);
  }
  memcpy(&scale, roots, sizeof scale);
  for (size_t n = 0; n < whole; n++) {
    PI_K(move)(states + n * PI_WIDTH, scale, weight + n * step, bias + n * step);
  }
  if (has_rest) {
    const float last_weight[2] = {weight[dim - 1], 0}, last_bias[2] = {bias[dim - 1], 0};
    PI_K(move)(states + whole * PI_WIDTH, scale, last_weight, last_bias);
  }
}

PI_TARGET static inline PI_VEC PI_K(larger)(PI_VEC one, PI_VEC other) {
#if PI_WIDTH == 1
  return one > other ? one : other;
#else
  PI_K(ints) is_larger = one > other;
  return (PI_VEC)(((PI_K(ints))one & is_larger) | ((PI_K(ints))other & ~is_larger));
#endif
}

/* What follows an odd number of scores becomes the lowest, and so counts for nothing. */
PI_TARGET static void PI_K(softmax_groups)(float *scores, size_t count, float factor) {
  size_t whole = PI_WHOLE(count), num = PI_WIDTH == 1 ? count : (count + 1) / 2;
  if (whole < num) {
    for (size_t n = 1; n < PI_WIDTH; n += 2) {
      scores[whole * PI_WIDTH + n] = -1e30f;
    }
  }
  PI_LOAD(largest, scores);
  for (size_t n = 1; n < num; n++) {
    PI_LOAD(part, scores + n * PI_WIDTH);
    largest = PI_K(larger)(largest, part);
  }
#if PI_WIDTH > 1
  PI_K(pairs) bits = (PI_K(pairs))largest;
  largest = PI_K(larger)(largest, (PI_VEC)(bits >> 32 | bits << 32));
#endif
  PI_VEC sum = {0};
  for (size_t n = 0; n < num; n++) {
    PI_LOAD(part, scores + n * PI_WIDTH);
    part = (part - largest) * factor;
    PI_K(exp_one)(&part);
    sum += part;
    memcpy(scores + n * PI_WIDTH, &part, sizeof part);
  }
  sum = 1.0f / PI_K(of_token)(sum);
  for (size_t n = 0; n < num; n++) {
    PI_LOAD(part, scores + n * PI_WIDTH);
    part *= sum;
    memcpy(scores + n * PI_WIDTH, &part, sizeof part);
  }
}

#undef PI_WHOLE
