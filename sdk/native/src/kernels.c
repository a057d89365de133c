/* The sets of kernels, and the choice of one for the processor. With PINTENT_PLAIN defined there is
 * none but plain C. */

#include <math.h>

#include "kernels.h"

/* Functions whose constant arguments shape their code, and those that are never part of another. */
#if defined(__GNUC__) || defined(__clang__)
#define PI_SHAPED static inline __attribute__((always_inline))
#define PI_NEVER_INLINE static __attribute__((noinline))
#else
#define PI_SHAPED static inline
#define PI_NEVER_INLINE static
#endif

/* What several kernels contain is not repeated in each where size counts. */
#if defined(__wasm__) || defined(_WIN32)
#define PI_EXP_INLINE __attribute__((noinline))
#else
#define PI_EXP_INLINE inline
#endif

/* Where there are always vectors of four, only tests have the plain set. */
#if defined(PINTENT_ALL_SETS) || defined(PINTENT_PLAIN) || \
    !(defined(__SSE2__) || defined(__ARM_NEON) || defined(__wasm_simd128__))
#define PI_HAS_PLAIN 1
#define PI_WIDTH 1
#define PI_TARGET
#define PI_NAME "plain"
#define PI_K(name) pi_plain_##name
#include "kernels_body.h"
#endif

/* Vectors of four are SSE2, NEON, and simd128 with or without its relaxed instructions, which need no
 * choice where the compiler has them. */
#if (defined(__SSE2__) || defined(__ARM_NEON) || defined(__wasm_simd128__)) && \
    !defined(PINTENT_PLAIN)
#define PI_HAS_FOUR 1
#define PI_WIDTH 4
#define PI_TARGET
#define PI_K(name) pi_four_##name
#if defined(__SSE2__)
#define PI_NAME "sse2"
#elif defined(__ARM_NEON)
#define PI_NAME "neon"
#elif defined(__wasm_relaxed_simd__)
#define PI_NAME "relaxed-simd"
#else
#define PI_NAME "simd128"
#endif
#include "kernels_body.h"
#endif

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__)) && !defined(PINTENT_PLAIN)
#include <immintrin.h>

#define PI_HAS_X86 1
#define PI_WIDTH 8
#define PI_TARGET __attribute__((target("avx2,fma")))
#define PI_NAME "avx2"
#define PI_WIDEN(place) _mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)(place)))
#define PI_JOIN(one, other) ((PI_VEC)_mm256_blend_ps((__m256)(one), (__m256)(other), 0xF0))
#define PI_K(name) pi_avx2_##name
#include "kernels_body.h"

#define PI_WIDTH 16
#define PI_TARGET __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,fma")))
#define PI_NAME "avx512"
#define PI_WIDEN(place) _mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)(const void *)(place)))
#define PI_JOIN(one, other) ((PI_VEC)_mm512_mask_blend_ps(0xFF00, (__m512)(one), (__m512)(other)))
#define PI_K(name) pi_avx512_##name
#include "kernels_body.h"
#endif

static const pi_kernels *pi_choose_kernels(const char *most) {
  const pi_kernels *sets[4];
  size_t count = 0;
#ifdef PI_HAS_PLAIN
  sets[count++] = &pi_plain_kernels;
#endif
#ifdef PI_HAS_FOUR
  sets[count++] = &pi_four_kernels;
#endif
#ifdef PI_HAS_X86
  pi_processor processor = pi_this_processor();
  if (processor.has_avx2) {
    sets[count++] = &pi_avx2_kernels;
  }
  if (processor.has_avx512) {
    sets[count++] = &pi_avx512_kernels;
  }
#endif
  for (size_t n = 0; most != NULL && n < count; n++) {
    if (strcmp(sets[n]->name, most) == 0) {
      return sets[n];
    }
  }
  return sets[count - 1];
}
