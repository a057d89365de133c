/* Answers the requests on stdin, each by a line of JSON on stdout, so that another program can compare
 * them: this one may be compiled with sanitizers or for another processor.
 *
 * A request is a letter, the size of what follows in four bytes, and that:
 *   B  the content of a bot file    opens it; the status and the message
 *   K  the name of instructions     those that are used from now on; the name of the nearest ones
 *   M  texts, each after its size   a list: of each its match, ranking, text as read and tokens;
 *                                   empty if no bot is open */

#include "../tests/hooks.c"

#include <stdio.h>
#include <stdlib.h>

enum { RANKED = 3 };

typedef struct line {
  char *data;
  size_t size, capacity;
} line;

static void put(void *context, const char *data, size_t size) {
  line *to = context;
  if (to->capacity - to->size < size) {
    to->capacity = 2 * (to->size + size);
    to->data = realloc(to->data, to->capacity);
    if (to->data == NULL) {
      abort();
    }
  }
  memcpy(to->data + to->size, data, size);
  to->size += size;
}

static void put_text(line *to, const char *text) { put(to, text, strlen(text)); }

typedef struct session {
  void *file; /* as large as the file, so that each byte read beyond it is found */
  pintent_bot *bot;
  pintent_scratch *scratch;
  const char *instructions;
  pi_arena arena;
  uint32_t *points;
  pi_tokens tokens;
  line output;
} session;

static void close_bot(session *now) {
  pintent_scratch_free(now->scratch);
  pintent_close(now->bot);
  free(now->file);
  now->scratch = NULL;
  now->bot = NULL;
  now->file = NULL;
}

static void open_bot(session *now, char *data, size_t size) {
  close_bot(now);
  now->file = data;
  pintent_message message = {""};
  pintent_status status = pintent_open_buffer(data, size, NULL, &now->bot, &message);
  if (status == PINTENT_OK) {
    hook_use_kernels(now->bot, now->instructions);
    status = pintent_scratch_new(now->bot, PINTENT_DEFAULT_CACHE, &now->scratch);
  }
  put_text(&now->output, "{\"status\":\"");
  put_text(&now->output, pintent_status_text(status));
  put_text(&now->output, "\",\"message\":");
  pi_json_write_string(pi_text_of(message.text), put, &now->output);
  put_text(&now->output, "}\n");
}

static void use_instructions(session *now, const char *name, size_t size) {
  static const char *const names[] = {"plain", "sse2", "neon", "avx2", "avx512"};
  now->instructions = NULL;
  for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
    if (strlen(names[n]) == size && memcmp(names[n], name, size) == 0) {
      now->instructions = names[n];
    }
  }
  if (now->bot != NULL) {
    hook_use_kernels(now->bot, now->instructions);
  }
  put_text(&now->output, "\"");
  put_text(&now->output, pi_choose_kernels(now->instructions)->name);
  put_text(&now->output, "\"\n");
}

static void put_json(session *now, const char *text, size_t size, bool ranks) {
  size_t length = 0, room = 1024;
  for (pintent_status status = PINTENT_ERROR_SIZE; status == PINTENT_ERROR_SIZE; room = length + 1) {
    char *json = malloc(room);
    if (json == NULL) {
      abort();
    }
    status = ranks ? pintent_rank_json(now->bot, now->scratch, text, size, RANKED, json, room,
                                       &length)
                   : pintent_match_json(now->bot, now->scratch, text, size, json, room, &length);
    if (status == PINTENT_OK) {
      put(&now->output, json, length);
    }
    free(json);
  }
}

static void answer(session *now, const char *text, size_t size) {
  put_text(&now->output, "{\"match\":");
  put_json(now, text, size, false);
  put_text(&now->output, ",\"rank\":");
  put_json(now, text, size, true);
  put_text(&now->output, ",\"read\":");
  pintent_text read = {NULL, 0};
  pintent_read(now->bot, now->scratch, text, size, &read);
  pi_json_write_string(read, put, &now->output);
  put_text(&now->output, ",\"tokens\":[");
  pi_tokenize(text, size, now->points, &now->tokens);
  for (size_t n = 0; n < now->tokens.count; n++) {
    put(&now->output, ",", n > 0);
    pi_json_write_string(pi_token_text(&now->tokens, n), put, &now->output);
  }
  put_text(&now->output, "]}");
}

/* Each text is copied to memory of its own size. */
static void answer_all(session *now, const char *data, size_t size) {
  put_text(&now->output, "[");
  for (size_t place = 0; now->bot != NULL && size - place >= 4;) {
    uint32_t length;
    memcpy(&length, data + place, 4);
    place += 4;
    char *text = malloc(length + (length == 0));
    if (text == NULL || length > size - place) {
      abort();
    }
    memcpy(text, data + place, length);
    place += length;
    put(&now->output, ",", now->output.size > 1);
    answer(now, text, length);
    free(text);
  }
  put_text(&now->output, "]\n");
}

int main(void) {
  session now;
  memset(&now, 0, sizeof now);
  unsigned char head[5];
  pi_arena_init(&now.arena, NULL);
  now.points = pi_arena_raw(&now.arena, PI_MAX_POINTS, sizeof *now.points);
  if (now.points == NULL || !pi_tokens_init(&now.tokens, &now.arena)) {
    return 1;
  }
  while (fread(head, 1, sizeof head, stdin) == sizeof head) {
    uint32_t size;
    memcpy(&size, head + 1, 4);
    char *data = malloc(size + (size == 0));
    if (data == NULL || fread(data, 1, size, stdin) != size) {
      return 1;
    }
    now.output.size = 0;
    if (head[0] == 'B') {
      open_bot(&now, data, size);
    } else if (head[0] == 'K') {
      use_instructions(&now, data, size);
    } else {
      answer_all(&now, data, size);
    }
    if (head[0] != 'B') {
      free(data);
    }
    fwrite(now.output.data, 1, now.output.size, stdout);
    fflush(stdout);
  }
  close_bot(&now);
  pi_arena_free(&now.arena);
  free(now.output.data);
  return 0;
}
