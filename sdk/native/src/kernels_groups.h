/* The kernels of a network's layers, which read all tokens of a text. Part of kernels_body.h, where
 * kernels.h says how the numbers of a group of tokens are kept.
 *
 * A vector has a pair of numbers of each token of a group. A pair of weights is read at once and
 * repeated for all tokens: the pairs of a codebook are used where they are, and no product is summed
 * across a vector but at the end of a row. */

#if PI_WIDTH == 1
#define PI_GROUP 1
#define PI_PAIR(name, place) const float *name = place
#define PI_STATE PI_PAIR
#define PI_ADD_PRODUCT(sum, pair, other) sum += (pair)[0] * (other)[0] + (pair)[1] * (other)[1]
#else
#define PI_GROUP (PI_WIDTH / 2)
#define PI_PAIR(name, place) PI_VEC name = PI_K(repeat)(place)
#define PI_STATE PI_LOAD
#define PI_ADD_PRODUCT(sum, pair, other) sum += (pair) * (other)
typedef uint64_t PI_K(pairs) __attribute__((vector_size(4 * PI_WIDTH)));

/* A pair of numbers for each token. */
PI_TARGET static inline PI_VEC PI_K(repeat)(const float *pair) {
  uint64_t bits;
  memcpy(&bits, pair, sizeof bits);
  return (PI_VEC)((PI_K(pairs)){0} + bits);
}

/* The sums of the pairs of two vectors, which become the first and the second of each pair. */
PI_TARGET static inline PI_VEC PI_K(fold)(PI_VEC one, PI_VEC other) {
  PI_K(pairs) a = (PI_K(pairs))one, b = (PI_K(pairs))other;
  return (PI_VEC)((a & 0xFFFFFFFFu) | b << 32) + (PI_VEC)(a >> 32 | (b >> 32 << 32));
}
#endif

/* Where a row is, and its pair `n`, which is of the codebook if rows have codes. */
#define PI_ROW(row)                                                 \
  const uint8_t *codes##row = is_coded ? codes + row * step : NULL; \
  const float *numbers##row = numbers + (is_coded ? 0 : row * step)
#define PI_WEIGHT(row) (numbers##row + 2 * (is_coded ? (size_t)codes##row[n] : n))

#define PI_KEEP(place, s0, s1, s2, s3) \
  (place)[0] = s0;                     \
  (place)[1] = s1;                     \
  (place)[2] = s2;                     \
  (place)[3] = s3

/* Four or six rows and one, two or three groups; the sums of the groups are PI_STRIP apart. */
PI_TARGET PI_SHAPED void PI_K(rows_of_one)(const float *numbers, const uint8_t *codes,
                                           bool is_coded, size_t step, size_t pairs,
                                           const float *states, PI_VEC *sums) {
  PI_ROW(0);
  PI_ROW(1);
  PI_ROW(2);
  PI_ROW(3);
  PI_VEC x0 = {0}, x1 = {0}, x2 = {0}, x3 = {0};
  for (size_t n = 0; n < pairs; n++) {
    PI_STATE(x, states + 2 * PI_GROUP * n);
    PI_PAIR(w0, PI_WEIGHT(0));
    PI_PAIR(w1, PI_WEIGHT(1));
    PI_PAIR(w2, PI_WEIGHT(2));
    PI_PAIR(w3, PI_WEIGHT(3));
    PI_ADD_PRODUCT(x0, w0, x);
    PI_ADD_PRODUCT(x1, w1, x);
    PI_ADD_PRODUCT(x2, w2, x);
    PI_ADD_PRODUCT(x3, w3, x);
  }
  PI_KEEP(sums, x0, x1, x2, x3);
}

#define PI_TIMES_TWO(row)            \
  PI_PAIR(w##row, PI_WEIGHT(row));   \
  PI_ADD_PRODUCT(x##row, w##row, x); \
  PI_ADD_PRODUCT(y##row, w##row, y)

PI_TARGET PI_SHAPED void PI_K(rows_of_two)(const float *numbers, const uint8_t *codes,
                                           bool is_coded, size_t step, size_t pairs,
                                           const float *states, size_t stride, PI_VEC *sums) {
  const float *second = states + stride;
  PI_ROW(0);
  PI_ROW(1);
  PI_ROW(2);
  PI_ROW(3);
  PI_ROW(4);
  PI_ROW(5);
  PI_VEC x0 = {0}, x1 = {0}, x2 = {0}, x3 = {0}, x4 = {0}, x5 = {0};
  PI_VEC y0 = {0}, y1 = {0}, y2 = {0}, y3 = {0}, y4 = {0}, y5 = {0};
  for (size_t n = 0; n < pairs; n++) {
    PI_STATE(x, states + 2 * PI_GROUP * n);
    PI_STATE(y, second + 2 * PI_GROUP * n);
    PI_TIMES_TWO(0);
    PI_TIMES_TWO(1);
    PI_TIMES_TWO(2);
    PI_TIMES_TWO(3);
    PI_TIMES_TWO(4);
    PI_TIMES_TWO(5);
  }
  PI_KEEP(sums, x0, x1, x2, x3);
  PI_KEEP(sums + PI_STRIP, y0, y1, y2, y3);
  sums[4] = x4;
  sums[5] = x5;
  sums[PI_STRIP + 4] = y4;
  sums[PI_STRIP + 5] = y5;
}

#ifdef PI_JOIN
/* The sums of two rows that share a vector. */
PI_TARGET static inline void PI_K(part)(PI_VEC both, PI_VEC *sums) {
  const size_t half = sizeof both / 2;
  for (size_t n = 0; n < 2; n++) {
    memcpy(&sums[n], (const char *)&both + n * half, half);
    memcpy((char *)&sums[n] + half, (const char *)&both + n * half, half);
  }
}

/* Two groups, and one of which the second half of the tokens repeats the first: the weights of two
 * rows share a vector. */
PI_TARGET PI_SHAPED void PI_K(rows_of_half)(const float *numbers, const uint8_t *codes,
                                            bool is_coded, size_t step, size_t pairs,
                                            const float *states, size_t stride, PI_VEC *sums) {
  const float *second = states + stride, *third = second + stride;
  PI_ROW(0);
  PI_ROW(1);
  PI_ROW(2);
  PI_ROW(3);
  PI_VEC x0 = {0}, x1 = {0}, x2 = {0}, x3 = {0}, y0 = {0}, y1 = {0}, y2 = {0}, y3 = {0};
  PI_VEC z0 = {0}, z1 = {0};
  for (size_t n = 0; n < pairs; n++) {
    PI_STATE(x, states + 2 * PI_GROUP * n);
    PI_STATE(y, second + 2 * PI_GROUP * n);
    PI_STATE(z, third + 2 * PI_GROUP * n);
    PI_TIMES_TWO(0);
    PI_TIMES_TWO(1);
    z0 += PI_JOIN(w0, w1) * z;
    PI_TIMES_TWO(2);
    PI_TIMES_TWO(3);
    z1 += PI_JOIN(w2, w3) * z;
  }
  PI_KEEP(sums, x0, x1, x2, x3);
  PI_KEEP(sums + PI_STRIP, y0, y1, y2, y3);
  PI_K(part)(z0, sums + 2 * PI_STRIP);
  PI_K(part)(z1, sums + 2 * PI_STRIP + 2);
}
#endif

#define PI_TIMES_THREE(row) \
  PI_TIMES_TWO(row);        \
  PI_ADD_PRODUCT(z##row, w##row, z)

PI_TARGET PI_SHAPED void PI_K(rows_of_three)(const float *numbers, const uint8_t *codes,
                                             bool is_coded, size_t step, size_t pairs,
                                             const float *states, size_t stride, PI_VEC *sums) {
  const float *second = states + stride, *third = second + stride;
  PI_ROW(0);
  PI_ROW(1);
  PI_ROW(2);
  PI_ROW(3);
  PI_VEC x0 = {0}, x1 = {0}, x2 = {0}, x3 = {0}, y0 = {0}, y1 = {0}, y2 = {0}, y3 = {0};
  PI_VEC z0 = {0}, z1 = {0}, z2 = {0}, z3 = {0};
  for (size_t n = 0; n < pairs; n++) {
    PI_STATE(x, states + 2 * PI_GROUP * n);
    PI_STATE(y, second + 2 * PI_GROUP * n);
    PI_STATE(z, third + 2 * PI_GROUP * n);
    PI_TIMES_THREE(0);
    PI_TIMES_THREE(1);
    PI_TIMES_THREE(2);
    PI_TIMES_THREE(3);
  }
  PI_KEEP(sums, x0, x1, x2, x3);
  PI_KEEP(sums + PI_STRIP, y0, y1, y2, y3);
  PI_KEEP(sums + 2 * PI_STRIP, z0, z1, z2, z3);
}

/* One row that is left, and one group. */
PI_TARGET PI_SHAPED void PI_K(one_row)(const float *numbers, const uint8_t *codes, bool is_coded,
                                       size_t pairs, const float *states, PI_VEC *sums) {
  const size_t step = 0;
  PI_ROW(0);
  PI_VEC sum = {0};
  for (size_t n = 0; n < pairs; n++) {
    PI_STATE(x, states + 2 * PI_GROUP * n);
    PI_PAIR(w, PI_WEIGHT(0));
    PI_ADD_PRODUCT(sum, w, x);
  }
  *sums = sum;
}

/* The sums of some rows from `row` on, of `left`; how many rows it were. */
PI_TARGET PI_SHAPED size_t PI_K(sum_rows)(const pi_pairs *rows, size_t row, size_t left,
                                          bool is_coded, const float *states, size_t stride,
                                          size_t groups, bool ends_half, PI_VEC *sums) {
  size_t pairs = rows->pairs, step = rows->stride, count = left < 4 ? 1 : 4;
  const float *numbers = rows->numbers + (is_coded ? 0 : row * step);
  const uint8_t *codes = is_coded ? rows->codes + row * step : NULL;
  (void)ends_half;
  if (is_coded && groups == 2 && left >= 6) {
    PI_K(rows_of_two)(numbers, codes, is_coded, step, pairs, states, stride, sums);
    return 6;
  }
  if (groups < 3 || left < 4) {
    for (size_t n = 0; n < groups; n++, states += stride, sums += PI_STRIP) {
      if (count == 1) {
        PI_K(one_row)(numbers, codes, is_coded, pairs, states, sums);
      } else {
        PI_K(rows_of_one)(numbers, codes, is_coded, step, pairs, states, sums);
      }
    }
    return count;
  }
#ifdef PI_JOIN
  if (is_coded && ends_half) {
    PI_K(rows_of_half)(numbers, codes, is_coded, step, pairs, states, stride, sums);
    return count;
  }
#endif
  PI_K(rows_of_three)(numbers, codes, is_coded, step, pairs, states, stride, sums);
  return count;
}

/* Writes the products of `num` rows from `row` on and some groups. It is never inlined, so that its
 * constants take no registers of the loops. */
PI_TARGET PI_NEVER_INLINE void PI_K(write_rows)(const PI_VEC *sums, size_t row, size_t num,
                                                size_t groups, const pi_products *products) {
  float scales[PI_STRIP + 1], bias[PI_STRIP + 1];
  for (size_t n = 0; n < num; n++) {
    scales[n] = products->scales == NULL ? 1.0f : pi_finite_half(products->scales[row + n]);
  }
  memset(bias, 0, sizeof bias);
  if (products->bias != NULL) {
    memcpy(bias, products->bias + row, num * sizeof *bias);
  }
  scales[num] = 0;
  for (size_t group = 0; group < groups; group++, sums += PI_STRIP) {
    float *out = products->out + group * products->stride + row * PI_GROUP;
    for (size_t n = 0; n < num; n += 2, out += 2 * PI_GROUP) {
#if PI_WIDTH == 1
      out[0] = (products->adds ? out[0] : 0) + sums[n] * scales[n] + bias[n];
      if (n + 1 < num) {
        out[1] = (products->adds ? out[1] : 0) + sums[n + 1] * scales[n + 1] + bias[n + 1];
      } else {
        out[1] = 0;
      }
#else
      PI_VEC zero = {0}, other = n + 1 == num ? zero : sums[n + 1];
      PI_VEC sum = PI_K(fold)(sums[n], other) * PI_K(repeat)(scales + n) + PI_K(repeat)(bias + n);
      if (products->adds) {
        PI_LOAD(before, out);
        sum += before;
      }
      memcpy(out, &sum, sizeof sum);
#endif
    }
  }
}

/* All rows, and at most three groups. */
PI_TARGET PI_SHAPED void PI_K(multiply_rows)(const pi_pairs *rows, bool is_coded,
                                             const float *states, size_t stride, size_t groups,
                                             bool ends_half, const pi_products *products) {
  PI_VEC sums[PI_GROUPS * PI_STRIP];
  for (size_t row = 0; row < rows->num; row += PI_STRIP) {
    size_t left = rows->num - row, num = left < PI_STRIP ? left : PI_STRIP;
    for (size_t n = 0; n < num;) {
      n += PI_K(sum_rows)(rows, row + n, num - n, is_coded, states, stride, groups, ends_half,
                          sums + n);
    }
    PI_K(write_rows)(sums, row, num, groups, products);
  }
}

PI_TARGET static void PI_K(multiply_groups)(const pi_pairs *rows, const float *states,
                                            size_t stride, size_t tokens,
                                            const pi_products *products) {
  pi_products next = *products;
  size_t groups = (tokens + PI_GROUP - 1) / PI_GROUP, count = 0;
  bool is_half = (tokens - 1) % PI_GROUP + 1 <= PI_GROUP / 2;
  for (; groups > 0; groups -= count, states += count * stride, next.out += count * next.stride) {
    /* Four groups are two and two, and five of which one is half are two and three. Single numbers
     * are quicker by two, whose sums leave registers free. */
    bool is_pair = groups == 2 || groups == 4 || (groups == 5 && is_half) ||
                   (PI_WIDTH == 1 && groups > 2);
    count = is_pair ? 2 : groups < PI_GROUPS ? groups : PI_GROUPS;
    if (rows->codes != NULL) {
      PI_K(multiply_rows)(rows, true, states, stride, count, is_half && groups == 3, &next);
    } else {
      PI_K(multiply_rows)(rows, false, states, stride, count, false, &next);
    }
  }
}

#undef PI_PAIR
#undef PI_STATE
#undef PI_ADD_PRODUCT
#undef PI_ROW
#undef PI_WEIGHT
#undef PI_KEEP
#undef PI_TIMES_TWO
#undef PI_TIMES_THREE
