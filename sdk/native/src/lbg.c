/* The algorithm of Linde, Buzo and Gray (1980), the codebook of a set of vectors: Python's `fit_lbg`.
 *
 * It starts from the mean of all vectors, splits each centroid c into c(1 + eps) and c(1 - eps), and
 * runs Lloyd's iteration after each split. */

#include "edit.h"

enum { PI_LLOYD_STEPS = 20 };
#define PI_NO_DISTORTION 1e-12 /* share of the energy below which a distance is rounding */
#define PI_LLOYD_TOLERANCE 1e-3

/* Vectors less their mean, the cluster of each, and what is summed over the clusters. */
typedef struct pi_partition {
  size_t num, dim, size, most; /* vectors, their length, clusters, and how many there are to be */
  float *vectors, *mean, *centroids, *squares;
  size_t *codes, *counts, *order;
  double *energies;           /* squared length of each vector */
  double *sums;               /* [most, dim] */
  double *totals;             /* energy of each cluster */
  double *distortions, floor; /* energy about the centroids */
} pi_partition;

static bool pi_partition_init(pi_partition *p, const float *vectors, size_t num, size_t dim,
                              size_t most, pi_arena *arena, pi_error *error) {
  memset(p, 0, sizeof *p);
  p->num = num;
  p->dim = dim;
  p->size = 1;
  p->most = most;
  p->vectors = pi_take(arena, num, dim * sizeof(float), error);
  p->mean = pi_take(arena, dim, sizeof(float), error);
  p->centroids = pi_take(arena, most, dim * sizeof(float), error);
  p->squares = pi_take(arena, most, sizeof(float), error);
  p->codes = pi_take(arena, num, sizeof(size_t), error);
  p->counts = pi_take(arena, most, sizeof(size_t), error);
  p->order = pi_take(arena, 2 * most, sizeof(size_t), error);
  p->energies = pi_take(arena, num, sizeof(double), error);
  p->sums = pi_take(arena, most, dim * sizeof(double), error);
  p->totals = pi_take(arena, most, sizeof(double), error);
  p->distortions = pi_take(arena, most, sizeof(double), error);
  if (error->status != PINTENT_OK) {
    return false;
  }
  for (size_t d = 0; d < dim; d++) {
    double sum = 0;
    for (size_t n = 0; n < num; n++) {
      sum += vectors[n * dim + d];
    }
    p->mean[d] = (float)(sum / (double)num);
  }
  for (size_t n = 0; n < num * dim; n++) {
    p->vectors[n] = vectors[n] - p->mean[n % dim];
    p->energies[n / dim] += (double)p->vectors[n] * (double)p->vectors[n];
  }
  for (size_t n = 0; n < num; n++) {
    p->floor += PI_NO_DISTORTION * p->energies[n];
  }
  return true;
}

/* The energy of a cluster about its mean. */
static void pi_spread(pi_partition *p, size_t cluster) {
  double of_mean = 0;
  for (size_t d = 0; d < p->dim; d++) {
    of_mean += p->sums[cluster * p->dim + d] * p->sums[cluster * p->dim + d];
  }
  of_mean /= (double)(p->counts[cluster] > 0 ? p->counts[cluster] : 1);
  double rest = p->totals[cluster] - of_mean;
  p->distortions[cluster] = rest > 0 ? rest : 0;
}

/* Adds a vector to the sums of a cluster, or takes it from them. */
static void pi_count_vector(pi_partition *p, size_t vector, size_t cluster, bool leaves) {
  double sign = leaves ? -1 : 1;
  p->counts[cluster] += leaves ? (size_t)-1 : 1;
  p->totals[cluster] += sign * p->energies[vector];
  for (size_t d = 0; d < p->dim; d++) {
    p->sums[cluster * p->dim + d] += sign * (double)p->vectors[vector * p->dim + d];
  }
}

/* Moves the vector of a cluster that is farthest from its centroid, and those equal to it, to an empty
 * cluster. */
static void pi_reseed(pi_partition *p, size_t empty, size_t worst) {
  size_t dim = p->dim, farthest = 0, before = p->counts[worst];
  double most = -1;
  for (size_t n = 0; n < p->num; n++) {
    double distance = 0;
    for (size_t d = 0; d < dim; d++) {
      double apart = (double)p->vectors[n * dim + d] - p->sums[worst * dim + d] / (double)before;
      distance += apart * apart;
    }
    if (p->codes[n] == worst && distance > most) {
      most = distance;
      farthest = n;
    }
  }
  for (size_t n = 0; n < p->num; n++) {
    if (p->codes[n] == worst && memcmp(p->vectors + n * dim, p->vectors + farthest * dim,
                                       dim * sizeof *p->vectors) == 0) {
      p->codes[n] = empty;
      pi_count_vector(p, n, worst, true);
      pi_count_vector(p, n, empty, false);
    }
  }
  pi_spread(p, empty);
  pi_spread(p, worst);
}

/* Sums the clusters, fills the empty ones, and writes the centroids. */
static void pi_update(pi_partition *p) {
  size_t dim = p->dim, largest = 0, worst;
  memset(p->counts, 0, p->size * sizeof *p->counts);
  memset(p->totals, 0, p->size * sizeof *p->totals);
  memset(p->sums, 0, p->size * dim * sizeof *p->sums);
  for (size_t n = 0; n < p->num; n++) {
    pi_count_vector(p, n, p->codes[n], false);
  }
  for (size_t n = 0; n < p->size; n++) {
    pi_spread(p, n);
  }
  for (size_t n = 0; n < p->size; n++) {
    if (p->counts[n] > 0) {
      continue;
    }
    worst = 0;
    for (size_t other = 1; other < p->size; other++) {
      worst = p->distortions[other] > p->distortions[worst] ? other : worst;
    }
    if (p->distortions[worst] <= p->floor) {
      break;
    }
    pi_reseed(p, n, worst);
  }
  for (size_t n = 0; n < p->size; n++) {
    largest = p->counts[n] > p->counts[largest] ? n : largest;
    for (size_t d = 0; d < dim; d++) {
      double count = (double)(p->counts[n] > 0 ? p->counts[n] : 1);
      p->centroids[n * dim + d] = (float)(p->sums[n * dim + d] / count);
    }
  }
  for (size_t n = 0; n < p->size; n++) {
    if (p->counts[n] == 0) {
      memcpy(p->centroids + n * dim, p->centroids + largest * dim, dim * sizeof *p->centroids);
    }
  }
}

static double pi_distortion(const pi_partition *p) {
  double sum = 0;
  for (size_t n = 0; n < p->size; n++) {
    sum += p->distortions[n];
  }
  return sum;
}

static bool pi_is_more_distorted(const void *context, size_t one, size_t other) {
  const double *distortions = context;
  return distortions[one] > distortions[other] ||
         (distortions[one] == distortions[other] && one < other);
}

/* Splits the most distorted clusters, as many as are needed. */
static void pi_split(pi_partition *p) {
  size_t size = p->size, dim = p->dim, *second = p->order + p->most;
  size_t splits = size < p->most - size ? size : p->most - size;
  for (size_t n = 0; n < size; n++) {
    p->order[n] = n;
    second[n] = PI_NONE;
  }
  pi_sort(p->order, size, pi_is_more_distorted, p->distortions);
  for (size_t n = 0; n < splits; n++) {
    second[p->order[n]] = 0;
  }
  for (size_t n = 0; n < size; n++) {
    second[n] = second[n] == PI_NONE ? PI_NONE : p->size++;
  }
  for (size_t n = 0; n < p->num; n++) {
    size_t code = p->codes[n];
    float side = 0;
    for (size_t d = 0; d < dim; d++) {
      float centroid = p->centroids[code * dim + d];
      side += (p->vectors[n * dim + d] - centroid) * (centroid + p->mean[d]);
    }
    p->codes[n] = side < 0 && second[code] != PI_NONE ? second[code] : code;
  }
  pi_update(p);
}

/* One iteration of Lloyd: the nearest centroids, then the means of the clusters. */
static void pi_reassign(pi_partition *p) {
  for (size_t n = 0; n < p->size; n++) {
    p->squares[n] = 0;
    for (size_t d = 0; d < p->dim; d++) {
      p->squares[n] += p->centroids[n * p->dim + d] * p->centroids[n * p->dim + d];
    }
  }
  for (size_t n = 0; n < p->num; n++) {
    p->codes[n] =
        pi_nearest_centroid(p->vectors + n * p->dim, p->centroids, p->squares, p->size, p->dim);
  }
  pi_update(p);
}

/* Fits a codebook of `size` centroids: [size, dim]. */
static bool pi_fit_lbg(const float *vectors, size_t num, size_t dim, size_t size, float *codebook,
                       pi_arena *arena, pi_error *error) {
  pi_partition p;
  if (!pi_partition_init(&p, vectors, num, dim, size, arena, error)) {
    return false;
  }
  pi_update(&p);
  while (p.size < size && pi_distortion(&p) > p.floor) {
    pi_split(&p);
    double before = pi_distortion(&p);
    for (int n = 0; n < PI_LLOYD_STEPS; n++) {
      pi_reassign(&p);
      double now = pi_distortion(&p);
      if (before - now <= PI_LLOYD_TOLERANCE * before) {
        break;
      }
      before = now;
    }
  }
  for (size_t n = 0; n < size * dim; n++) { /* where there are fewer, the first one again */
    size_t place = n / dim < p.size ? n : n % dim;
    codebook[n] = p.centroids[place] + p.mean[n % dim];
  }
  return true;
}
