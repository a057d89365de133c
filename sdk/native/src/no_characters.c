/* In place of networks over characters, for apps whose models have none (PINTENT_NO_CHARACTERS). */

#include "encoder.h"

static bool pi_refuse_characters(pi_error *error) {
  return pi_fail(error, PINTENT_ERROR_UNSUPPORTED,
                 "this library was built without networks over characters (PINTENT_NO_CHARACTERS)");
}

static bool pi_read_charemb(const pi_file *file, pi_arena *arena, pi_arena *scratch,
                            pi_encoder *encoder, pi_error *error) {
  (void)file, (void)arena, (void)scratch, (void)encoder;
  return pi_refuse_characters(error);
}

static bool pi_read_combined(const pi_file *file, pi_arena *arena, pi_arena *scratch,
                             pi_encoder *encoder, pi_error *error) {
  (void)file, (void)arena, (void)scratch, (void)encoder;
  return pi_refuse_characters(error);
}

/* No encoder with such a network was opened, so that nothing below is called. */

static size_t pi_longest_row(const pi_characters *network) {
  (void)network;
  return 0;
}

static bool pi_char_scratch_init(const pi_encoder *encoder, size_t cache_bytes, pi_arena *arena,
                                 pi_encoder_scratch *scratch) {
  (void)encoder, (void)cache_bytes, (void)arena, (void)scratch;
  return false;
}

static void pi_encode_characters(const pi_encoder *encoder, const pi_tokens *tokens,
                                 const pi_kernels *kernels, pi_encoder_scratch *scratch) {
  (void)encoder, (void)tokens, (void)kernels, (void)scratch;
}
