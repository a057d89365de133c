/* The bytes of a bot file: those that Python's `save` writes for an equal bot. */

#include "saving.h"

enum { PI_MOST_BOT_TENSORS = 6 };

/* What is written by a function; its size is found first. */
static pintent_text pi_save_text(pi_save *save, pi_text_writer write) {
  pi_output output = {NULL, 0, 0};
  pintent_text text = {NULL, 0};
  write(save->bot, &output);
  output.capacity = output.size;
  output.data = pi_take(&save->arena, output.size, 1, save->error);
  if (output.data != NULL) {
    text.data = output.data;
    text.size = output.size;
    output.size = 0;
    write(save->bot, &output);
  }
  return text;
}

/* Adds a tensor of the bot with one or two axes; of more, the others follow. */
static pi_tensor *pi_save_tensor(pi_save *save, const char *name, pi_dtype dtype, const void *data,
                                 size_t rows, size_t columns, size_t num_axes) {
  pi_tensor *tensor = &save->file.tensors[save->file.num_tensors++];
  memset(tensor, 0, sizeof *tensor);
  tensor->name = pi_text_of(name);
  tensor->dtype = dtype;
  tensor->num_axes = num_axes;
  tensor->shape[0] = rows;
  tensor->shape[1] = columns;
  tensor->data = data;
  tensor->size = num_axes == 2 ? rows * columns : rows;
  return tensor;
}

/* Codes of another number of bits than 8 and 16, lowest bit first. */
static void pi_save_packed(pi_save *save, const pi_matrix *rows, size_t bits) {
  size_t count = rows->num * rows->num_sub, place = 0, filled = 0;
  unsigned char *packed = pi_take(&save->arena, (count * bits + 7) / 8 + 4, 1, save->error);
  uint32_t window = 0;
  for (size_t n = 0; packed != NULL && n < count; n++) {
    uint32_t code = rows->form == PI_CODES_8 ? ((const uint8_t *)rows->rows)[n]
                                             : ((const uint16_t *)rows->rows)[n];
    window |= code << filled;
    for (filled += bits; filled >= 8; filled -= 8) {
      packed[place++] = (unsigned char)window;
      window >>= 8;
    }
  }
  if (packed != NULL) {
    packed[place] = (unsigned char)window;
    pi_save_tensor(save, "bot.index.rows.codes", PI_U8, packed, (count * bits + 7) / 8, 0, 1);
  }
}

static void pi_save_codebook(pi_save *save, const pi_matrix *rows) {
  size_t books = rows->step == 0 ? 1 : rows->num_sub;
  size_t count = books * rows->codebook_size * rows->sub_dim;
  uint16_t *halves = pi_take(&save->arena, count, sizeof *halves, save->error);
  for (size_t n = 0; halves != NULL && n < count; n++) {
    halves[n] = pi_to_half(rows->codebook[n]);
  }
  pi_tensor *tensor = pi_save_tensor(save, "bot.index.rows.codebook", PI_F16, halves, books,
                                     rows->codebook_size, 3);
  tensor->shape[2] = rows->sub_dim;
  tensor->size = count;
}

static void pi_save_rows(pi_save *save) {
  const pi_matrix *rows = &save->bot->index.rows;
  size_t bits = pi_bits_for(rows->codebook_size);
  if (rows->codebook == NULL) {
    if (rows->num > 0) {
      pi_save_tensor(save, "bot.index.rows.embedding", PI_F32, rows->rows, rows->num, rows->dim, 2);
    }
    return;
  }
  pi_save_codebook(save, rows);
  if (bits == 8 || bits == 16) {
    pi_save_tensor(save, "bot.index.rows.codes", bits == 8 ? PI_U8 : PI_U16, rows->rows, rows->num,
                   rows->num_sub, 2);
  } else {
    pi_save_packed(save, rows, bits);
  }
}

/* Adds the tensors of the bot. */
static bool pi_save_bot_tensors(pi_save *save) {
  const pintent_bot *bot = save->bot;
  const pi_matrix *weights = &bot->classifier.weights;
  const pi_index *index = &bot->index;
  unsigned char *known = pi_take(&save->arena, bot->templates.num_templates, 1, save->error);
  pintent_text set = pi_save_text(save, pi_put_set);
  if (known == NULL || set.data == NULL) {
    return false;
  }
  for (size_t n = 0; n < index->bounds[index->num]; n++) {
    known[index->templates[n]] = 1;
  }
  if (bot->decision == PI_LOGISTIC && index->num > 0) {
    pi_save_tensor(save, "bot.decision.weights", PI_F32, weights->rows, weights->num, weights->dim,
                   2);
  }
  pi_save_tensor(save, "bot.index.errors", PI_F32, index->errors, index->num, 0, 1);
  pi_save_tensor(save, "bot.index.known", PI_U8, known, bot->templates.num_templates, 0, 1);
  pi_save_rows(save);
  pi_save_tensor(save, "bot.templates", PI_U8, set.data, set.size, 0, 1);
  return save->error->status == PINTENT_OK;
}

static bool pi_is_before_by_name(const void *context, size_t one, size_t other) {
  const pi_tensor *tensors = context;
  return pi_order(tensors[one].name, tensors[other].name) < 0;
}

/* As the library safetensors writes them: those of large numbers first. */
static bool pi_is_before_in_file(const void *context, size_t one, size_t other) {
  static const int ranks[PI_NUM_DTYPES] = {11, 10, 9, 7, 8, 6, 4, 5, 3, 0, 1, 2};
  const pi_tensor *tensors = context;
  int first = ranks[tensors[one].dtype], second = ranks[tensors[other].dtype];
  return first != second ? first < second : one < other;
}

/* Gathers the tensors of the model and of the bot, by their names. */
static bool pi_save_tensors(pi_save *save) {
  size_t most = save->base.num_tensors + PI_MOST_BOT_TENSORS;
  pi_tensor *sorted = pi_take(&save->arena, most, sizeof *sorted, save->error);
  size_t *order = pi_take(&save->arena, most, sizeof *order, save->error);
  save->file.tensors = pi_take(&save->arena, most, sizeof *save->file.tensors, save->error);
  if (sorted == NULL || order == NULL || save->file.tensors == NULL) {
    return false;
  }
  for (size_t n = 0; n < save->base.num_tensors; n++) {
    if (!pi_starts(save->base.tensors[n].name, "bot.")) {
      save->file.tensors[save->file.num_tensors++] = save->base.tensors[n];
    }
  }
  if (!pi_save_bot_tensors(save)) {
    return false;
  }
  for (size_t n = 0; n < save->file.num_tensors; n++) {
    order[n] = n;
    if (pi_has_bad_number(&save->file.tensors[n])) {
      return pi_fail(save->error, PINTENT_ERROR_MODEL,
                     "a bot is not saved whose tensor '%.*s' has a number that is NaN, infinite or "
                     "beyond 65504",
                     PI_SHOWN(save->file.tensors[n].name));
    }
  }
  pi_sort(order, save->file.num_tensors, pi_is_before_by_name, save->file.tensors);
  for (size_t n = 0; n < save->file.num_tensors; n++) {
    sorted[n] = save->file.tensors[order[n]];
  }
  save->file.tensors = sorted;
  return true;
}

/* Gives the tensors their places behind each other. */
static bool pi_place_saved(pi_save *save) {
  size_t *order = pi_take(&save->arena, save->file.num_tensors, sizeof *order, save->error);
  if (order == NULL) {
    return false;
  }
  for (size_t n = 0; n < save->file.num_tensors; n++) {
    order[n] = n;
  }
  pi_sort(order, save->file.num_tensors, pi_is_before_in_file, save->file.tensors);
  uint64_t end = 0;
  for (size_t n = 0; n < save->file.num_tensors; n++) {
    pi_tensor *tensor = &save->file.tensors[order[n]];
    tensor->begin = end;
    end += (uint64_t)tensor->size * pi_dtypes[tensor->dtype].size;
    tensor->end = end;
  }
  save->order = order;
  return true;
}

/* Makes the manifest: that of the model with the entry of the bot, and the hash of both. */
static bool pi_save_manifest(pi_save *save) {
  const pi_json *base = save->base.manifest;
  const pi_json_rules rules = {16, false, false, false};
  pintent_text entry = pi_save_text(save, pi_put_bot_entry);
  pi_json *manifest = pi_take(&save->arena, 1, sizeof *manifest, save->error);
  pi_json *hash = pi_take(&save->arena, 1, sizeof *hash, save->error);
  pi_json **sorted =
      pi_take(&save->arena, base->of.members.count + 1, sizeof(pi_json *), save->error);
  char *digest = pi_take(&save->arena, 64, 1, save->error);
  if (save->error->status != PINTENT_OK) {
    return false;
  }
  pi_json *bot = pi_json_read(&save->arena, entry.data, entry.size, rules, save->error);
  if (bot == NULL) {
    return false;
  }
  *manifest = *base;
  manifest->of.members.sorted = sorted;
  hash->type = PI_JSON_STRING;
  bot->key = pi_text_of("bot");
  hash->key = pi_text_of("sha256");
  size_t count = 0;
  bool has_bot = false; /* whether the entry has its place, also in the manifest of a model */
  for (size_t n = 0; n < base->of.members.count; n++) {
    pi_json *member = base->of.members.sorted[n];
    if (!has_bot && pi_order(bot->key, member->key) <= 0) {
      sorted[count++] = bot;
      has_bot = true;
    }
    if (!pi_same(member->key, bot->key)) {
      sorted[count++] = pi_same(member->key, hash->key) ? hash : member;
    }
  }
  manifest->of.members.count = count;
  save->file.manifest = manifest;
  if (!pi_find_digest(&save->file, digest)) {
    return pi_fail(save->error, PINTENT_ERROR_MODEL, "the manifest cannot be written as JSON");
  }
  hash->of.string.data = digest;
  hash->of.string.size = 64;
  return true;
}

static void pi_put_tensor_entry(pi_output *output, const pi_tensor *tensor) {
  pi_put_key(output, ",");
  pi_json_write_string(tensor->name, pi_put, output);
  pi_put_key(output, ":{\"dtype\":\"");
  pi_put_key(output, pi_dtypes[tensor->dtype].name);
  pi_put_key(output, "\",\"shape\":[");
  for (size_t axis = 0; axis < tensor->num_axes; axis++) {
    pi_put_count(output, axis == 0 ? "" : ",", (size_t)tensor->shape[axis]);
  }
  pi_put_count(output, "],\"data_offsets\":[", (size_t)tensor->begin);
  pi_put_count(output, ",", (size_t)tensor->end);
  pi_put_key(output, "]}");
}

static void pi_put_header(const pi_save *save, pintent_text manifest, pi_output *output) {
  pi_put_key(output, "{\"__metadata__\":{\"pocketintent\":");
  pi_json_write_string(manifest, pi_put, output);
  pi_put_key(output, "}");
  for (size_t n = 0; n < save->file.num_tensors; n++) {
    pi_put_tensor_entry(output, &save->file.tensors[save->order[n]]);
  }
  pi_put_key(output, "}");
  while (output->size % 8 != 0) {
    pi_put_key(output, " ");
  }
}

/* Makes the header, with its length before it. */
static bool pi_save_header(pi_save *save) {
  pi_output output = {NULL, 0, 0};
  pi_json_write(save->file.manifest, NULL, pi_put, &output);
  pintent_text manifest = {NULL, output.size};
  output.capacity = output.size;
  output.data = pi_take(&save->arena, output.size, 1, save->error);
  if (output.data == NULL) {
    return false;
  }
  manifest.data = output.data;
  output.size = 0;
  pi_json_write(save->file.manifest, NULL, pi_put, &output);
  pi_output header = {NULL, 0, 0};
  pi_put_header(save, manifest, &header);
  uint64_t length = header.size;
  char *data = pi_take(&save->arena, header.size + 8, 1, save->error);
  if (data == NULL) {
    return false;
  }
  memcpy(data, &length, sizeof length);
  header.data = data + 8;
  header.capacity = header.size;
  header.size = 0;
  pi_put_header(save, manifest, &header);
  save->header.data = data;
  save->header.size = header.size + 8;
  return true;
}
