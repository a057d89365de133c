/* Texts in an order that depends on nothing but the texts. */

#include "edit.h"

/* Texts in the order of their code points. */
typedef struct pi_listed {
  const pintent_text *texts;
  size_t *order;
  size_t count;
} pi_listed;

static bool pi_is_earlier_text(const void *context, size_t one, size_t other) {
  const pintent_text *texts = context;
  int order = pi_order(texts[one], texts[other]);
  return order < 0 || (order == 0 && one < other);
}

/* Sorts texts; false if there is no memory. */
static bool pi_list_texts(pi_edit *edit, const pintent_text *texts, size_t count, pi_listed *listed) {
  pi_listed made = {texts, pi_take(&edit->scratch, count, sizeof(size_t), edit->error), count};
  *listed = made;
  for (size_t n = 0; made.order != NULL && n < count; n++) {
    made.order[n] = n;
  }
  if (made.order != NULL) {
    pi_sort(made.order, count, pi_is_earlier_text, texts);
  }
  return made.order != NULL;
}
