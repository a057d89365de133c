/* A scan: the rows of the index and a query as whole numbers of 7 bits. Their products are fast to
 * compute, and tell which rows have to be compared exactly. */

#ifndef PINTENT_SCAN_H
#define PINTENT_SCAN_H

#include "matrix.h"

/* Rows of a group; what the numbers of a row are padded to; and the largest whole number. */
enum { PI_GROUP = 16, PI_SCAN_UNIT = 16 };
#define PI_SCAN_MOST 63.0f

/* Multiplies groups of rows with a query, in whole numbers. In a group the first four numbers of each
 * row come first, then the next four of each. A number of a row is stored plus 64, so that it is 1
 * to 127, and one of the query is -63 to 63: four products fit 16 bits, and all sets of instructions
 * have the same sums. `size` is a multiple of PI_SCAN_UNIT. */
typedef void (*pi_scan_kernel)(const uint8_t *rows, size_t size, size_t num_groups,
                               const int8_t *query, int32_t *sums);

/* The fastest that the processor has, of those up to a name; NULL for all. */
static pi_scan_kernel pi_choose_scan(const char *most);

/* The rows of an index for a scan, and the latest query. */
typedef struct pi_scan {
  uint8_t *rows; /* NULL where there is no scan */
  float *steps;  /* what 1 stands for in each row */
  size_t size;   /* numbers of a row, padded */
  float error;   /* largest length of what rounding took from a row */
  float length;  /* largest length of a rounded row */
  int8_t *query;
  float query_step;
  int32_t offset; /* what 64 in each number of a row adds to a sum */
  float slack;    /* most that an estimate of this query can be wrong */
} pi_scan;

#endif
