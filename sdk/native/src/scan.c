/* The scan of an index: estimates of all similarities, and how wrong they can be at most. */

#include <math.h>

#include "bot.h"

enum { PI_SCAN_FEW = 64, PI_SCAN_LARGEST_DIM = 1 << 16 };

static size_t pi_up_to(size_t number, size_t unit) { return (number + unit - 1) / unit * unit; }

/* Whether a scan of the index is faster than an exact search, and fits a number of bytes. */
static bool pi_can_scan(const pi_matrix *rows, size_t bytes) {
  size_t of_row = pi_up_to(rows->dim, PI_SCAN_UNIT) + sizeof(float);
  return rows->num >= PI_SCAN_FEW && rows->dim <= PI_SCAN_LARGEST_DIM &&
         rows->num <= bytes / of_row && pi_up_to(rows->num, PI_GROUP) <= bytes / of_row;
}

/* The largest of some numbers. Eight maxima do not wait for each other. */
static float pi_most(const float *numbers, size_t count) {
  enum { lanes = 8 };
  float most[lanes];
  size_t n = 0;
  for (int lane = 0; lane < lanes; lane++) {
    most[lane] = numbers[0];
  }
  for (; n + lanes <= count; n += lanes) {
    for (int lane = 0; lane < lanes; lane++) {
      most[lane] = numbers[n + (size_t)lane] > most[lane] ? numbers[n + (size_t)lane] : most[lane];
    }
  }
  for (; n < count; n++) {
    most[0] = numbers[n] > most[0] ? numbers[n] : most[0];
  }
  for (int lane = 1; lane < lanes; lane++) {
    most[0] = most[lane] > most[0] ? most[lane] : most[0];
  }
  return most[0];
}

static float pi_largest(const float *numbers, size_t size) {
  float largest = 0;
  for (size_t n = 0; n < size; n++) {
    float number = fabsf(numbers[n]);
    largest = number > largest ? number : largest;
  }
  return largest;
}

/* The length of a vector, given by its square, with all that rounding can have taken from it. */
static float pi_length_at_most(float square) { return sqrtf(square) * 1.001f + 1e-6f; }

/* Rounds a row that is `scale` times these numbers. */
static void pi_scan_row(pi_scan *scan, size_t row, const float *numbers, size_t dim, float scale) {
  float largest = pi_largest(numbers, dim), error = 0, length = 0;
  float inverse = largest > 1e-30f ? PI_SCAN_MOST / largest : 0;
  float step = largest / PI_SCAN_MOST * scale;
  uint8_t *stored = scan->rows + row / PI_GROUP * PI_GROUP * scan->size + row % PI_GROUP * 4;
  for (size_t n = 0; n < dim; n++) {
    int whole = (int)(numbers[n] * inverse + 64.5f); /* of a positive number: rounded */
    float rounded = step * (float)(whole - 64), missing = numbers[n] * scale - rounded;
    error += missing * missing;
    length += rounded * rounded;
    stored[n / 4 * (4 * PI_GROUP) + n % 4] = (uint8_t)whole;
  }
  error = pi_length_at_most(error);
  length = pi_length_at_most(length);
  scan->steps[row] = step;
  scan->error = error > scan->error ? error : scan->error;
  scan->length = length > scan->length ? length : scan->length;
}

/* Makes the rows of a scan; `decoded` is room for a row. */
static bool pi_scan_init(const pintent_bot *bot, pi_arena *arena, float *decoded, pi_scan *scan) {
  const pi_index *index = &bot->index;
  size_t dim = index->rows.dim, num = pi_up_to(index->rows.num, PI_GROUP);
  scan->size = pi_up_to(dim, PI_SCAN_UNIT);
  scan->steps = pi_arena_take(arena, num, sizeof *scan->steps);
  scan->query = pi_arena_take(arena, scan->size, 1);
  scan->rows = pi_arena_take(arena, num, scan->size);
  if (scan->steps == NULL || scan->query == NULL || scan->rows == NULL) {
    return false;
  }
  for (size_t row = 0; row < index->rows.num; row++) {
    pi_decode_row(&index->rows, row, decoded, bot->kernels);
    pi_scan_row(scan, row, decoded, dim, index->scales == NULL ? 1.0f : index->scales[row]);
  }
  return true;
}

/* Rounds a query. A similarity q r is that of the rounded vectors, and the products of what is
 * missing of q with the rounded r, and of q with what is missing of r: at most those of their lengths
 * (Cauchy and Schwarz). To that comes what floats lose in an exact comparison. */
static void pi_scan_query(pi_scan *scan, const float *query, size_t dim) {
  float largest = pi_largest(query, dim), missing_square = 0, square = 0;
  float inverse = largest > 1e-30f ? PI_SCAN_MOST / largest : 0;
  float step = largest / PI_SCAN_MOST;
  int32_t sum = 0;
  for (size_t n = 0; n < dim; n++) {
    int whole = (int)(query[n] * inverse + 64.5f) - 64;
    float missing = query[n] - step * (float)whole;
    missing_square += missing * missing;
    square += query[n] * query[n];
    sum += whole;
    scan->query[n] = (int8_t)whole;
  }
  float length = pi_length_at_most(square), rounding = (float)(dim + 64) * 1.2e-7f;
  scan->query_step = step;
  scan->offset = 64 * sum;
  scan->slack = pi_length_at_most(missing_square) * scan->length + length * scan->error +
                length * (scan->length + scan->error) * rounding + 1e-6f;
}

/* Estimates the similarities of the rounded query and the groups that contain some rows. */
static void pi_estimate(const pintent_bot *bot, const pi_scan *scan, size_t first, size_t last,
                        float *estimates) {
  enum { at_once = 8 };
  int32_t sums[at_once * PI_GROUP];
  size_t group = first / PI_GROUP, end = (last + PI_GROUP - 1) / PI_GROUP;
  for (; group < end; group += at_once) {
    size_t count = end - group < at_once ? end - group : at_once, row = group * PI_GROUP;
    bot->scan(scan->rows + row * scan->size, scan->size, count, scan->query, sums);
    for (size_t n = 0; n < count * PI_GROUP; n++) {
      float step = scan->query_step * scan->steps[row + n];
      estimates[row + n] = step * (float)(sums[n] - scan->offset);
    }
  }
}

/* The row of some that is most similar to the query, of equally similar ones the first, and its
 * similarity: only rows are compared whose estimates do not exclude it. */
static size_t pi_compare(const pintent_bot *bot, pintent_scratch *scratch, size_t first,
                         size_t last, float *similarity) {
  const float *estimates = scratch->similarities;
  float least = pi_most(estimates + first, last - first) - 2 * scratch->scan.slack;
  float best = -HUGE_VALF;
  size_t nearest = first;
  for (size_t row = first; row < last; row++) {
    float exact = estimates[row] < least ? -HUGE_VALF
                                         : pi_row_similarity(bot, row, scratch->encoder.vector,
                                                             scratch->row);
    if (exact > best) {
      best = exact;
      nearest = row;
    }
  }
  *similarity = best;
  return nearest;
}
