/* The codebook of a set's own templates. */

#include "edit.h"

static bool pi_fit_template_codebook(pi_edit *edit, const size_t *counts, const bool *known,
                                     float *const *vectors, size_t num) {
  (void)counts, (void)known, (void)vectors, (void)num;
  return pi_fail(edit->error, PINTENT_ERROR_UNSUPPORTED, "no codebook is fitted");
}
