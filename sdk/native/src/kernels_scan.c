/* The products of a scan, once for each set of instructions. */

#include "scan.h"

/* Vectors of 16 bytes: four numbers of four rows. Two sums of pairs are added for each row. */
#if !defined(PINTENT_PLAIN)
#if defined(__SSE2__)
#include <emmintrin.h>
#define PI_SCAN_NAME "sse2"
typedef __m128i pi_sixteen;
#define PI_LOAD_SIXTEEN(place) _mm_loadu_si128((const __m128i *)(const void *)(place))
#define PI_ADD_LOW(sum, row, query) \
  _mm_add_epi32(sum, _mm_madd_epi16(_mm_unpacklo_epi8(row, _mm_setzero_si128()), query))
#define PI_ADD_HIGH(sum, row, query) \
  _mm_add_epi32(sum, _mm_madd_epi16(_mm_unpackhi_epi8(row, _mm_setzero_si128()), query))
typedef __m128i pi_pair_sums;

static inline pi_sixteen pi_broadcast(int32_t four) {
  __m128i twice = _mm_set1_epi32(four);
  return _mm_srai_epi16(_mm_unpacklo_epi8(twice, twice), 8);
}
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#define PI_SCAN_NAME "simd128"
typedef v128_t pi_sixteen;
#define PI_LOAD_SIXTEEN(place) wasm_v128_load(place)
#define PI_ADD_LOW(sum, row, query) \
  wasm_i32x4_add(sum, wasm_i32x4_dot_i16x8(wasm_u16x8_extend_low_u8x16(row), query))
#define PI_ADD_HIGH(sum, row, query) \
  wasm_i32x4_add(sum, wasm_i32x4_dot_i16x8(wasm_u16x8_extend_high_u8x16(row), query))
typedef v128_t pi_pair_sums;

static inline pi_sixteen pi_broadcast(int32_t four) {
  return wasm_i16x8_extend_low_i8x16(wasm_i32x4_splat(four));
}
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#define PI_SCAN_NAME "neon"
#define PI_LOAD_SIXTEEN(place) vreinterpretq_s8_u8(vld1q_u8(place))
#define PI_ADD_LOW(sum, row, query) vpadalq_s16(sum, vmull_s8(vget_low_s8(row), query))
#define PI_ADD_HIGH(sum, row, query) vpadalq_s16(sum, vmull_s8(vget_high_s8(row), query))
typedef int8x16_t pi_sixteen;
typedef int32x4_t pi_pair_sums;

static inline int8x8_t pi_broadcast(int32_t four) { return vreinterpret_s8_s32(vdup_n_s32(four)); }
#endif
#endif

#ifdef PI_SCAN_NAME
#if defined(__ARM_NEON) && !defined(__SSE2__)
typedef int8x8_t pi_broadcast_query;
#else
typedef pi_sixteen pi_broadcast_query;
#endif

static void pi_scan_four(const uint8_t *rows, size_t size, size_t num_groups, const int8_t *query,
                         int32_t *sums) {
  enum { vectors = PI_GROUP / 4 };
  for (size_t group = 0; group < num_groups; group++, sums += PI_GROUP) {
    pi_pair_sums pairs[2 * vectors];
    int32_t numbers[2 * PI_GROUP];
    memset(pairs, 0, sizeof pairs);
    for (size_t n = 0; n < size; n += 4, rows += 4 * PI_GROUP) {
      int32_t four;
      memcpy(&four, query + n, sizeof four);
      pi_broadcast_query repeated = pi_broadcast(four);
      for (int part = 0; part < vectors; part++) {
        pi_sixteen row = PI_LOAD_SIXTEEN(rows + 16 * part);
        pairs[2 * part] = PI_ADD_LOW(pairs[2 * part], row, repeated);
        pairs[2 * part + 1] = PI_ADD_HIGH(pairs[2 * part + 1], row, repeated);
      }
    }
    memcpy(numbers, pairs, sizeof numbers);
    for (int row = 0; row < PI_GROUP; row++) {
      sums[row] = numbers[2 * row] + numbers[2 * row + 1];
    }
  }
}
#endif

/* Where there are vectors, only tests have the plain one. */
#if !defined(PI_SCAN_NAME) || defined(PINTENT_ALL_SETS)
#define PI_HAS_PLAIN_SCAN 1

static void pi_scan_plain(const uint8_t *rows, size_t size, size_t num_groups,
                          const int8_t *query, int32_t *sums) {
  for (size_t group = 0; group < num_groups; group++, sums += PI_GROUP) {
    memset(sums, 0, PI_GROUP * sizeof *sums);
    for (size_t n = 0; n < size; n += 4) {
      for (size_t row = 0; row < PI_GROUP; row++, rows += 4) {
        sums[row] += rows[0] * query[n] + rows[1] * query[n + 1] + rows[2] * query[n + 2] +
                     rows[3] * query[n + 3];
      }
    }
  }
}
#endif

/* The dot products of four bytes that later processors of ARM64 have. */
#if defined(__aarch64__) && !defined(PINTENT_PLAIN) && \
    (defined(__ARM_FEATURE_DOTPROD) || defined(__linux__))
#define PI_HAS_DOTPROD 1
#ifdef __ARM_FEATURE_DOTPROD
#define PI_DOTPROD_TARGET
static bool pi_has_dotprod(void) { return true; }
#else
#include <sys/auxv.h>
#define PI_DOTPROD_TARGET __attribute__((target("arch=armv8.2-a+dotprod")))
static bool pi_has_dotprod(void) {
  const unsigned long asimddp = 1UL << 20;
  return (getauxval(AT_HWCAP) & asimddp) != 0;
}
#endif

PI_DOTPROD_TARGET static void pi_scan_dotprod(const uint8_t *rows, size_t size, size_t num_groups,
                                              const int8_t *query, int32_t *sums) {
  for (size_t group = 0; group < num_groups; group++, sums += PI_GROUP) {
    int32x4_t a = vdupq_n_s32(0), b = a, c = a, d = a;
    for (size_t n = 0; n < size; n += 4, rows += 4 * PI_GROUP) {
      int32_t four;
      memcpy(&four, query + n, sizeof four);
      int8x16_t repeated = vreinterpretq_s8_s32(vdupq_n_s32(four));
      a = vdotq_s32(a, PI_LOAD_SIXTEEN(rows), repeated);
      b = vdotq_s32(b, PI_LOAD_SIXTEEN(rows + 16), repeated);
      c = vdotq_s32(c, PI_LOAD_SIXTEEN(rows + 32), repeated);
      d = vdotq_s32(d, PI_LOAD_SIXTEEN(rows + 48), repeated);
    }
    vst1q_s32(sums, a);
    vst1q_s32(sums + 4, b);
    vst1q_s32(sums + 8, c);
    vst1q_s32(sums + 12, d);
  }
}
#endif

#ifdef PI_HAS_X86
/* Four bytes of the query, for each row. */
__attribute__((target("avx2"))) static inline __m256i pi_broadcast_avx2(const int8_t *query) {
  int32_t four;
  memcpy(&four, query, sizeof four);
  return _mm256_set1_epi32(four);
}

/* Adds the products of eight numbers of eight rows; those of four fit 16 bits. */
__attribute__((target("avx2"))) static inline __m256i pi_add_avx2(__m256i sums, const uint8_t *rows,
                                                                  __m256i one, __m256i other) {
  __m256i first = _mm256_loadu_si256((const __m256i *)(const void *)rows);
  __m256i second = _mm256_loadu_si256((const __m256i *)(const void *)(rows + 4 * PI_GROUP));
  __m256i products = _mm256_add_epi16(_mm256_maddubs_epi16(first, one),
                                      _mm256_maddubs_epi16(second, other));
  return _mm256_add_epi32(sums, _mm256_madd_epi16(products, _mm256_set1_epi16(1)));
}

__attribute__((target("avx2"))) static void pi_scan_avx2(const uint8_t *rows, size_t size,
                                                         size_t num_groups, const int8_t *query,
                                                         int32_t *sums) {
  for (size_t group = 0; group < num_groups; group++, sums += PI_GROUP) {
    __m256i low = _mm256_setzero_si256(), high = low;
    for (size_t n = 0; n < size; n += 8, rows += 8 * PI_GROUP) {
      __m256i one = pi_broadcast_avx2(query + n), other = pi_broadcast_avx2(query + n + 4);
      low = pi_add_avx2(low, rows, one, other);
      high = pi_add_avx2(high, rows + 32, one, other);
    }
    _mm256_storeu_si256((__m256i *)(void *)sums, low);
    _mm256_storeu_si256((__m256i *)(void *)(sums + 8), high);
  }
}

#define PI_VNNI __attribute__((target("avx512f,avx512bw,avx512vnni")))

/* Adds the products of four numbers of all rows of a group. */
PI_VNNI static inline __m512i pi_add_vnni(__m512i sums, const uint8_t *rows, const int8_t *query) {
  int32_t four;
  memcpy(&four, query, sizeof four);
  return _mm512_dpbusd_epi32(sums, _mm512_loadu_si512(rows), _mm512_set1_epi32(four));
}

PI_VNNI static void pi_scan_vnni(const uint8_t *rows, size_t size, size_t num_groups,
                                 const int8_t *query, int32_t *sums) {
  for (size_t group = 0; group < num_groups; group++, sums += PI_GROUP) {
    __m512i a = _mm512_setzero_si512(), b = a, c = a, d = a;
    for (size_t n = 0; n < size; n += 16, rows += 16 * PI_GROUP) {
      a = pi_add_vnni(a, rows, query + n);
      b = pi_add_vnni(b, rows + 4 * PI_GROUP, query + n + 4);
      c = pi_add_vnni(c, rows + 8 * PI_GROUP, query + n + 8);
      d = pi_add_vnni(d, rows + 12 * PI_GROUP, query + n + 12);
    }
    _mm512_storeu_si512(sums, _mm512_add_epi32(_mm512_add_epi32(a, b), _mm512_add_epi32(c, d)));
  }
}
#endif

static pi_scan_kernel pi_choose_scan(const char *most) {
  const char *names[5];
  pi_scan_kernel kernels[5];
  size_t count = 0;
#ifdef PI_HAS_PLAIN_SCAN
  names[count] = "plain";
  kernels[count++] = pi_scan_plain;
#endif
#ifdef PI_SCAN_NAME
  names[count] = PI_SCAN_NAME;
  kernels[count++] = pi_scan_four;
#endif
#ifdef PI_HAS_DOTPROD
  if (pi_has_dotprod()) {
    names[count] = "dotprod";
    kernels[count++] = pi_scan_dotprod;
  }
#endif
#ifdef PI_HAS_X86
  pi_processor processor = pi_this_processor();
  if (processor.has_avx2) {
    names[count] = "avx2";
    kernels[count++] = pi_scan_avx2;
  }
  if (processor.has_vnni) {
    names[count] = "avx512";
    kernels[count++] = pi_scan_vnni;
  }
#endif
  for (size_t n = 0; most != NULL && n < count; n++) {
    if (strcmp(names[n], most) == 0) {
      return kernels[n];
    }
  }
  return kernels[count - 1];
}
