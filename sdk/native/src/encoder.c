/* The kinds of models, by the name in the manifest. */

#include "encoder.h"

static const char *const pi_kinds[PI_NUM_KINDS] = {"static", "contextual", "transformer", "charemb",
                                                   "combined"};

/* Language tags, such as en or pt-BR, which tools compare with those of templates. */
static bool pi_is_language(pintent_text tag) {
  size_t length = 0, part = 0;
  for (size_t n = 0; n < tag.size; n++) {
    char c = tag.data[n], small = (char)(c | 32);
    bool is_letter = small >= 'a' && small <= 'z', is_digit = c >= '0' && c <= '9';
    if (c == '-') {
      if (length < (part == 0 ? 2 : 1)) {
        return false;
      }
      part++;
      length = 0;
    } else if ((!is_letter && (!is_digit || part == 0)) || ++length > (part == 0 ? 3 : 8)) {
      return false;
    }
  }
  return length >= (part == 0 ? 2 : 1);
}

static bool pi_check_languages(const pi_json *manifest, pi_error *error) {
  const pi_json *languages = pi_json_get(manifest, "languages");
  bool is_list = languages == NULL || languages->type == PI_JSON_ARRAY;
  for (const pi_json *tag = is_list && languages != NULL ? languages->of.members.first : NULL;
       tag != NULL; tag = tag->next) {
    is_list &= tag->type == PI_JSON_STRING && pi_is_language(tag->of.string);
  }
  return is_list || pi_fail(error, PINTENT_ERROR_MODEL,
                            "the manifest's languages must be a list of language tags such as 'en'");
}

static bool pi_read_encoder(const pi_file *file, pi_arena *arena, pi_arena *scratch,
                            pi_encoder *encoder, pi_error *error) {
  const pi_json *kind = pi_json_get(file->manifest, "kind");
  if (!pi_check_languages(file->manifest, error)) {
    return false;
  }
  size_t number = 0;
  while (number < PI_NUM_KINDS && !pi_json_is_string(kind, pi_kinds[number])) {
    number++;
  }
  if (number == PI_NUM_KINDS) {
    return pi_fail(error, PINTENT_ERROR_UNSUPPORTED,
                   "this library has no encoder kind '%.*s'; it has static, contextual, "
                   "transformer, charemb and combined",
                   PI_SHOWN(kind->of.string));
  }
  encoder->kind = (pi_kind)number;
  if (encoder->kind == PI_CHAREMB) {
    return pi_read_charemb(file, arena, scratch, encoder, error);
  }
  if (!pi_read_table(file, arena, scratch, &encoder->table, error)) {
    return false;
  }
  if (encoder->kind == PI_COMBINED) {
    return pi_read_combined(file, arena, scratch, encoder, error);
  }
  size_t dim = encoder->table.dim;
  if (encoder->kind == PI_CONTEXTUAL &&
      !pi_read_context(file, dim, arena, &encoder->context, error)) {
    return false;
  }
  if (encoder->kind == PI_TRANSFORMER &&
      !pi_read_transformer(file, dim, arena, &encoder->transformer, error)) {
    return false;
  }
  if (encoder->kind != PI_STATIC && encoder->table.has_ngrams && encoder->table.weight == 0) {
    return pi_fail(error, PINTENT_ERROR_MODEL,
                   "the n-grams have the weight 0, with which a graph cannot tell an unknown word "
                   "from padding; use a table without n-grams");
  }
  return true;
}

static bool pi_encoder_scratch_init(const pi_encoder *encoder, size_t cache_bytes, pi_arena *arena,
                                    pi_encoder_scratch *scratch) {
  size_t dim = encoder->table.dim, longest = dim;
  if (encoder->kind == PI_CONTEXTUAL) {
    size_t inner = encoder->context.width * dim, hidden = encoder->context.hidden;
    longest = inner > hidden ? inner : hidden;
  } else if (encoder->kind == PI_TRANSFORMER && encoder->transformer.feedforward > dim) {
    longest = encoder->transformer.feedforward;
  } else if (encoder->kind == PI_CHAREMB || encoder->kind == PI_COMBINED) {
    size_t of_network = pi_longest_row(&encoder->characters);
    longest = of_network > dim ? of_network : dim;
  }
  size_t pieces = encoder->kind == PI_STATIC && encoder->table.vocabulary.has_pieces
                      ? PI_MAX_TOKEN_BYTES
                      : PI_SEQUENCE;
  scratch->vector = pi_arena_take(arena, dim, sizeof(float));
  scratch->word = pi_arena_take(arena, dim, sizeof(float));
  scratch->plain = pi_arena_take(arena, dim, sizeof(float));
  scratch->block = pi_arena_take(arena, dim, sizeof(float));
  scratch->decoded = pi_arena_raw(arena, PI_ROWS * (longest + 1), sizeof(float));
  scratch->pieces = pi_arena_raw(arena, pieces, sizeof *scratch->pieces);
  if (scratch->vector == NULL || scratch->word == NULL || scratch->plain == NULL ||
      scratch->block == NULL || scratch->decoded == NULL || scratch->pieces == NULL) {
    return false;
  }
  switch (encoder->kind) {
    case PI_CONTEXTUAL:
      return pi_context_scratch_init(encoder, cache_bytes, arena, scratch);
    case PI_TRANSFORMER:
      return pi_transformer_scratch_init(encoder, arena, scratch);
    case PI_CHAREMB:
    case PI_COMBINED:
      return pi_char_scratch_init(encoder, cache_bytes, arena, scratch);
    case PI_STATIC:
    case PI_NUM_KINDS:
      break;
  }
  return true;
}

static void pi_encode_tokens(const pi_encoder *encoder, const pi_tokens *tokens,
                             const pi_kernels *kernels, pi_encoder_scratch *scratch) {
  switch (encoder->kind) {
    case PI_STATIC:
      pi_encode_static(&encoder->table, tokens, kernels, scratch);
      return;
    case PI_CONTEXTUAL:
      pi_encode_context(encoder, tokens, kernels, scratch);
      return;
    case PI_TRANSFORMER:
      pi_encode_transformer(encoder, tokens, kernels, scratch);
      return;
    case PI_CHAREMB:
    case PI_COMBINED:
      pi_encode_characters(encoder, tokens, kernels, scratch);
      return;
    case PI_NUM_KINDS:
      return;
  }
}
