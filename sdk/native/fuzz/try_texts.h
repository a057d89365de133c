/* For the fuzzer: texts to open bots. The first byte chooses the bot, the second the instructions that are
 * compared with plain C, and the rest is the text. */

#ifndef PINTENT_TRY_TEXTS_H
#define PINTENT_TRY_TEXTS_H

#include "opened.h"

/* Makes the answers on the processor's instructions comparable: nearly the same score, and the same
 * intent unless another is as near. */
static void check_equal(const pintent_match *one, const pintent_match *other) {
  CHECK(fabs(one->nearest.score - other->nearest.score) < 2e-5);
  CHECK((one->nearest.intent.data == NULL) == (other->nearest.intent.data == NULL));
  if (one->has_runner_up && one->margin > 4e-5) {
    CHECK(one->nearest.intent.data == other->nearest.intent.data);
  }
}

static void try_texts(const uint8_t *data, size_t size) {
  static const char *const names[] = {"sse2", "avx2", "avx512", "neon"};
  static pintent_scratch *kept[MOST_BOTS];
  if (size < 2) {
    return;
  }
  size_t number = data[0] % num_opened, length = size - 2;
  pintent_bot *bot = opened_bots[number];
  char *text = copy_bytes(data + 2, length);
  pintent_match first, second, third;
  pintent_scratch *fresh;
  if (kept[number] == NULL) { /* one scratch keeps the words of all texts, within its room */
    CHECK(pintent_scratch_new(bot, (size_t)1 << 16, &kept[number]) == PINTENT_OK);
  }
  hook_use_kernels(bot, names[data[1] % 4]);
  check_text(bot, kept[number], text, length, &first);
  if (data[1] % 16 == 0) {
    CHECK(pintent_scratch_new(bot, 0, &fresh) == PINTENT_OK);
    CHECK(pintent_match_text(bot, fresh, text, length, &second) == PINTENT_OK);
    check_equal(&first, &second);
    hook_use_kernels(bot, "plain");
    check_text(bot, fresh, text, length, &third);
    check_equal(&second, &third);
    pintent_scratch_free(fresh);
  }
  free(text);
}

#endif
