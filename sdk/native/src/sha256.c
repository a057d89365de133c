/* SHA-256 (FIPS 180-4), with the processor's own instructions where it has them. */

#include "base.h"

#if (defined(__x86_64__) || defined(__i386__)) && (defined(__GNUC__) || defined(__clang__))
#define PI_SHA_X86 1
#include <immintrin.h>
#endif

typedef struct pi_sha256 {
  uint32_t state[8];
  uint64_t size;
  unsigned char block[64];
  size_t filled; /* bytes of the block */
  bool has_instructions;
} pi_sha256;

static const uint32_t pi_sha_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static bool pi_has_sha_instructions(void);

static void pi_sha_init(pi_sha256 *sha) {
  static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  memset(sha, 0, sizeof *sha);
  memcpy(sha->state, start, sizeof start);
  sha->has_instructions = pi_has_sha_instructions();
}

static inline uint32_t pi_rotate(uint32_t x, int bits) { return x >> bits | x << (32 - bits); }

/* A round, after which the numbers take each other's place: so none of them moves. */
#define PI_SHA_ROUND(a, b, c, d, e, f, g, h, n)                                         \
  h += (pi_rotate(e, 6) ^ pi_rotate(e, 11) ^ pi_rotate(e, 25)) + (g ^ (e & (f ^ g))) +  \
       pi_sha_constants[n] + w[n];                                                      \
  d += h;                                                                               \
  h += (pi_rotate(a, 2) ^ pi_rotate(a, 13) ^ pi_rotate(a, 22)) + ((a & b) | (c & (a | b)))

static void pi_sha_blocks(uint32_t *state, const unsigned char *data, size_t count) {
  for (; count > 0; count--, data += 64) {
    uint32_t w[64];
    for (int n = 0; n < 16; n++) {
      w[n] = (uint32_t)data[4 * n] << 24 | (uint32_t)data[4 * n + 1] << 16 |
             (uint32_t)data[4 * n + 2] << 8 | data[4 * n + 3];
    }
    for (int n = 16; n < 64; n++) {
      uint32_t x = w[n - 15], y = w[n - 2];
      w[n] = w[n - 16] + w[n - 7] + (pi_rotate(x, 7) ^ pi_rotate(x, 18) ^ x >> 3) +
             (pi_rotate(y, 17) ^ pi_rotate(y, 19) ^ y >> 10);
    }
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    for (int n = 0; n < 64; n += 8) {
      PI_SHA_ROUND(a, b, c, d, e, f, g, h, n);
      PI_SHA_ROUND(h, a, b, c, d, e, f, g, n + 1);
      PI_SHA_ROUND(g, h, a, b, c, d, e, f, n + 2);
      PI_SHA_ROUND(f, g, h, a, b, c, d, e, n + 3);
      PI_SHA_ROUND(e, f, g, h, a, b, c, d, n + 4);
      PI_SHA_ROUND(d, e, f, g, h, a, b, c, n + 5);
      PI_SHA_ROUND(c, d, e, f, g, h, a, b, n + 6);
      PI_SHA_ROUND(b, c, d, e, f, g, h, a, n + 7);
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
    state[5] += f;
    state[6] += g;
    state[7] += h;
  }
}

#ifdef PI_SHA_X86
/* Four rounds take the words of one vector; the words of later rounds are made of four vectors. */
__attribute__((target("sha,sse4.1,ssse3"))) static void pi_sha_blocks_x86(uint32_t *state,
                                                                        const unsigned char *data,
                                                                        size_t count) {
  const __m128i order = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  __m128i low = _mm_loadu_si128((const __m128i *)(const void *)state);
  __m128i high = _mm_loadu_si128((const __m128i *)(const void *)(state + 4));
  /* The instructions want the state as ABEF and CDGH. */
  low = _mm_shuffle_epi32(low, 0xB1);
  high = _mm_shuffle_epi32(high, 0x1B);
  __m128i abef = _mm_alignr_epi8(low, high, 8);
  __m128i cdgh = _mm_blend_epi16(high, low, 0xF0);
  for (; count > 0; count--, data += 64) {
    __m128i first = abef, second = cdgh, w[4];
    for (int n = 0; n < 4; n++) {
      w[n] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)(data + 16 * n)), order);
    }
    for (int n = 0; n < 16; n++) {
      __m128i constants =
          _mm_loadu_si128((const __m128i *)(const void *)(pi_sha_constants + 4 * n));
      __m128i sums = _mm_add_epi32(w[n % 4], constants);
      second = _mm_sha256rnds2_epu32(second, first, sums);
      first = _mm_sha256rnds2_epu32(first, second, _mm_shuffle_epi32(sums, 0x0E));
      if (n < 12) {
        __m128i next = _mm_sha256msg1_epu32(w[n % 4], w[(n + 1) % 4]);
        next = _mm_add_epi32(next, _mm_alignr_epi8(w[(n + 3) % 4], w[(n + 2) % 4], 4));
        w[n % 4] = _mm_sha256msg2_epu32(next, w[(n + 3) % 4]);
      }
    }
    abef = _mm_add_epi32(abef, first);
    cdgh = _mm_add_epi32(cdgh, second);
  }
  low = _mm_shuffle_epi32(abef, 0x1B);
  high = _mm_shuffle_epi32(cdgh, 0xB1);
  _mm_storeu_si128((__m128i *)(void *)state, _mm_blend_epi16(low, high, 0xF0));
  _mm_storeu_si128((__m128i *)(void *)(state + 4), _mm_alignr_epi8(high, low, 8));
}

static bool pi_has_sha_instructions(void) { return pi_this_processor().has_sha; }
#else
static bool pi_has_sha_instructions(void) { return false; }
#endif

static void pi_sha_compress(pi_sha256 *sha, const unsigned char *data, size_t count) {
#ifdef PI_SHA_X86
  if (sha->has_instructions) {
    pi_sha_blocks_x86(sha->state, data, count);
    return;
  }
#endif
  pi_sha_blocks(sha->state, data, count);
}

/* Hashes more bytes; a sink of bytes. */
static void pi_sha_add(void *context, const char *data, size_t size) {
  pi_sha256 *sha = context;
  sha->size += size;
  if (sha->filled > 0) {
    size_t part = size < 64 - sha->filled ? size : 64 - sha->filled;
    memcpy(sha->block + sha->filled, data, part);
    sha->filled += part;
    data += part;
    size -= part;
    if (sha->filled < 64) {
      return;
    }
    pi_sha_compress(sha, sha->block, 1);
    sha->filled = 0;
  }
  if (size >= 64) {
    pi_sha_compress(sha, (const unsigned char *)data, size / 64);
    data += size / 64 * 64;
    size %= 64;
  }
  if (size > 0) {
    memcpy(sha->block, data, size);
  }
  sha->filled = size;
}

/* The hash of all bytes in hexadecimal, 64 characters. */
static void pi_sha_finish(pi_sha256 *sha, char *text) {
  static const char digits[] = "0123456789abcdef";
  uint64_t bits = 8 * sha->size;
  char end[72] = {(char)0x80};
  size_t padding = (sha->filled < 56 ? 56 : 120) - sha->filled;
  for (int n = 0; n < 8; n++) {
    end[padding + (size_t)n] = (char)(bits >> (56 - 8 * n) & 0xFF);
  }
  pi_sha_add(sha, end, padding + 8);
  for (int n = 0; n < 64; n++) {
    text[n] = digits[sha->state[n / 8] >> (28 - 4 * (n % 8)) & 15];
  }
}
