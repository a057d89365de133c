/* The vectors of a bot's texts, which a bot keeps that was made from a whole set: the next set is
 * mostly the same, and a network takes longer to read a text than the rest of an edit for it. */

#include "edit.h"

static size_t pi_vector_slot(const pi_vectors *vectors, pintent_text text) {
  size_t slot = pi_fnv(PI_FNV_START, text.data, text.size) & vectors->mask;
  while (vectors->slots[slot] != 0 && !pi_same(vectors->texts[vectors->slots[slot] - 1], text)) {
    slot = (slot + 1) & vectors->mask;
  }
  return slot;
}

/* The vector of a text; NULL if it is not kept. */
static const float *pi_find_vector(const pi_vectors *vectors, pintent_text text, size_t dim) {
  if (vectors->count == 0) {
    return NULL;
  }
  uint32_t number = vectors->slots[pi_vector_slot(vectors, text)];
  return number == 0 ? NULL : vectors->numbers + (number - 1) * dim;
}

/* Keeps the vector of a text for the next edit, if the new bot keeps any. */
static void pi_keep_vector(pi_edit *edit, pintent_text text, const float *vector) {
  pi_vectors *vectors = &edit->bot->vectors;
  size_t dim = edit->bot->encoder.table.dim;
  if (vectors->count == vectors->room) {
    return;
  }
  size_t slot = pi_vector_slot(vectors, text);
  if (vectors->slots[slot] == 0) {
    memcpy(vectors->numbers + vectors->count * dim, vector, dim * sizeof *vector);
    vectors->texts[vectors->count++] = pi_keep_edited(edit, text);
    vectors->slots[slot] = (uint32_t)vectors->count;
  }
}

/* Begins the vectors of the new bot with those of the old one whose texts stay. The others are of
 * texts that a fit asks for again. */
static bool pi_begin_vectors(pi_edit *edit) {
  const pi_templates *set = &edit->bot->templates;
  const pi_vectors *old = &edit->old->vectors;
  pi_vectors *vectors = &edit->bot->vectors;
  pi_arena *arena = &edit->bot->arena;
  size_t dim = edit->bot->encoder.table.dim, num_slots = 1;
  if (edit->change.set.data == NULL && old->room == 0) {
    return true;
  }
  /* Of an intent its name, and the negated one. */
  size_t room = set->num_templates + set->num_counter_examples + set->num_background +
                2 * set->num_intents;
  while (num_slots < 2 * room) {
    num_slots *= 2;
  }
  vectors->mask = num_slots - 1;
  vectors->slots = pi_take(arena, num_slots, sizeof *vectors->slots, edit->error);
  vectors->texts = pi_take(arena, room, sizeof *vectors->texts, edit->error);
  vectors->numbers = pi_arena_raw(arena, room, dim * sizeof *vectors->numbers);
  if (edit->error->status != PINTENT_OK || vectors->numbers == NULL) {
    return pi_fail(edit->error, PINTENT_ERROR_MEMORY, "there is no memory for vectors");
  }
  vectors->room = room;
  bool keeps_all = edit->change.set.data == NULL && pi_keeps_texts(&edit->change);
  for (size_t n = 0; n < (keeps_all ? old->count : set->num_templates); n++) {
    pintent_text text = keeps_all ? old->texts[n] : set->texts[n];
    const float *vector = pi_find_vector(old, text, dim);
    if (vector != NULL) {
      pi_keep_vector(edit, text, vector);
    }
  }
  return true;
}

/* Encodes a text, or finds its vector; its tokens are then in the edit's room. Whether the model
 * knows a word of it. */
static bool pi_encode_text(pi_edit *edit, pintent_text text) {
  const pintent_bot *bot = edit->bot;
  size_t dim = bot->encoder.table.dim;
  const float *kept = pi_find_vector(&bot->vectors, text, dim);
  kept = kept == NULL ? pi_find_vector(&edit->old->vectors, text, dim) : kept;
  pi_tokenize(text.data, text.size, edit->points, &edit->tokens);
  if (kept != NULL) {
    memcpy(edit->encoder.vector, kept, dim * sizeof *kept);
  } else {
    pi_encode_tokens(&bot->encoder, &edit->tokens, bot->kernels, &edit->encoder);
  }
  pi_keep_vector(edit, text, edit->encoder.vector);
  bool is_known = false;
  for (size_t n = 0; n < dim; n++) {
    is_known |= edit->encoder.vector[n] != 0;
  }
  return is_known;
}
