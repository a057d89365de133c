/* What an x86 processor and its system can run, by the instruction cpuid. The compiler's own
 * __builtin_cpu_supports says no to everything in a library that zig has linked. */

#include <stdatomic.h>

#include "base.h"

#if (defined(__x86_64__) || defined(__i386__)) && (defined(__GNUC__) || defined(__clang__))

typedef struct pi_processor {
  bool has_sha, has_avx2, has_avx512, has_vnni;
} pi_processor;

static void pi_cpuid(unsigned int leaf, unsigned int result[4]) {
  __asm__("cpuid"
          : "=a"(result[0]), "=b"(result[1]), "=c"(result[2]), "=d"(result[3])
          : "a"(leaf), "c"(0));
}

/* Whether all of some bits are set. */
static bool pi_has_bits(unsigned int value, unsigned int bits) { return (value & bits) == bits; }

static pi_processor pi_ask_processor(void) {
  const unsigned int ymm = 0x6, zmm = 0xE6;              /* registers that the system saves */
  const unsigned int sse41 = 1U << 19, saves = 1U << 27; /* leaf 1, ecx */
  const unsigned int fma_avx = 1U << 12 | 1U << 28;
  const unsigned int avx2 = 1U << 5, sha = 1U << 29; /* leaf 7, ebx; AVX-512 F, DQ, BW, VL */
  const unsigned int avx512 = 1U << 16 | 1U << 17 | 1U << 30 | 1U << 31;
  const unsigned int vnni = 1U << 11; /* leaf 7, ecx */
  pi_processor found = {false, false, false, false};
  unsigned int most[4], first[4], seventh[4], saved = 0, high = 0;
  pi_cpuid(0, most);
  if (most[0] < 7) {
    return found;
  }
  pi_cpuid(1, first);
  pi_cpuid(7, seventh);
  if (pi_has_bits(first[2], saves)) {
    __asm__("xgetbv" : "=a"(saved), "=d"(high) : "c"(0));
  }
  found.has_sha = pi_has_bits(first[2], sse41) && pi_has_bits(seventh[1], sha);
  found.has_avx2 = pi_has_bits(first[2], fma_avx) && pi_has_bits(seventh[1], avx2) &&
                   pi_has_bits(saved, ymm);
  found.has_avx512 = found.has_avx2 && pi_has_bits(seventh[1], avx512) && pi_has_bits(saved, zmm);
  found.has_vnni = found.has_avx512 && pi_has_bits(seventh[2], vnni);
  return found;
}

/* The same, which is asked once: in a virtual machine each cpuid takes as long as thousands of other
 * instructions. */
static pi_processor pi_this_processor(void) {
  enum { known = 1, sha = 2, avx2 = 4, avx512 = 8, vnni = 16 };
  static atomic_uint answer;
  unsigned int bits = atomic_load_explicit(&answer, memory_order_relaxed);
  if (bits == 0) {
    pi_processor found = pi_ask_processor();
    bits = known | (found.has_sha ? sha : 0U) | (found.has_avx2 ? avx2 : 0U) |
           (found.has_avx512 ? avx512 : 0U) | (found.has_vnni ? vnni : 0U);
    atomic_store_explicit(&answer, bits, memory_order_relaxed);
  }
  pi_processor processor = {(bits & sha) != 0, (bits & avx2) != 0, (bits & avx512) != 0,
                            (bits & vnni) != 0};
  return processor;
}
#endif
