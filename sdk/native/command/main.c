/* pocketintent-native BOT [TEXT ...]: one JSON line for each text, as `pocketintent match` prints. */

#include "../pocketintent.c" /* first, since it asks the system's headers for more than C */

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#endif

static const char help[] =
    "usage: pocketintent-native [--rank N] BOT [TEXT ...]\n"
    "\n"
    "Recognises the intent of each TEXT or, without TEXT, of each line of stdin, with a bot file\n"
    "made by `pocketintent build`. Prints one JSON object for each, as `pocketintent match` does.\n"
    "\n"
    "  --rank N   also print the best N intents\n"
    "  --version  print the version, and stop\n"
    "  --help     print this, and stop\n"
    "\n"
    "Exit status: 0 done, 1 the bot file cannot be used, 2 the call was wrong.\n";

/* A growing text. */
typedef struct line {
  char *data;
  size_t size, capacity;
} line;

static void grow(line *text, size_t added) {
  if (text->capacity - text->size < added) {
    size_t capacity = 2 * text->capacity + added + 256;
    char *data = realloc(text->data, capacity);
    if (data == NULL) {
      fputs("pocketintent-native: there is no memory\n", stderr);
      exit(1);
    }
    text->data = data;
    text->capacity = capacity;
  }
}

static void append(void *context, const char *data, size_t size) {
  line *text = context;
  grow(text, size);
  if (size > 0) {
    memcpy(text->data + text->size, data, size);
  }
  text->size += size;
}

/* Bytes of the longest beginning of a code point at a place, at least 1: what one sign replaces. */
static size_t damaged_bytes(const char *data, size_t size) {
  unsigned char lead = (unsigned char)data[0];
  unsigned char second = size > 1 ? (unsigned char)data[1] : 0;
  size_t more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1, good = 1;
  unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (lead < 0xC2 || lead > 0xF4 || second < low || second > high) {
    return 1;
  }
  while (good <= more && good < size && ((unsigned char)data[good] & 0xC0) == 0x80) {
    good++;
  }
  return good;
}

/* Copies a text, with a sign for what is not UTF-8: for each byte of an argument, and for each
 * beginning of a code point in a line, as Python reads them. */
static void repair(line *repaired, const char *data, size_t size, bool is_argument) {
  repaired->size = 0;
  for (size_t place = 0; place < size;) {
    size_t start = place;
    if (pi_next_point(data, size, &place) != PI_BAD_BYTE) {
      append(repaired, data + start, place - start);
    } else if (is_argument) {
      append(repaired, "?", 1);
    } else {
      append(repaired, "\xEF\xBF\xBD", 3);
      place = start + damaged_bytes(data + start, size - start);
    }
  }
}

typedef struct session {
  pintent_bot *bot;
  pintent_scratch *scratch;
  size_t rank; /* 0 for no ranking */
  line output;
} session;

/* Writes JSON into the room of the output that a call asks for. */
static bool ask(session *now, const line *text, bool ranks) {
  pintent_status status = PINTENT_ERROR_SIZE;
  for (size_t length = 1024; status == PINTENT_ERROR_SIZE;) {
    grow(&now->output, length + 1);
    char *json = now->output.data + now->output.size;
    status = ranks ? pintent_rank_json(now->bot, now->scratch, text->data, text->size, now->rank,
                                       json, length + 1, &length)
                   : pintent_match_json(now->bot, now->scratch, text->data, text->size, json,
                                        length + 1, &length);
    if (status == PINTENT_OK) {
      now->output.size += length;
    }
  }
  return status == PINTENT_OK;
}

/* Prints the line of a text; false if nobody reads it. */
static bool answer(session *now, const line *text) {
  line *output = &now->output;
  pintent_text shown = {text->size == 0 ? "" : text->data, text->size};
  output->size = 0;
  append(output, "{\"text\":", 8);
  pi_json_write_string(shown, append, output);
  append(output, ",", 1);
  size_t brace = output->size;
  if (!ask(now, text, false)) {
    return false;
  }
  /* The text is the first key of the match's object. */
  memmove(output->data + brace, output->data + brace + 1, output->size - brace - 1);
  output->size--;
  if (now->rank > 0) {
    output->size--;
    append(output, ",\"ranking\":", 11);
    if (!ask(now, text, true)) {
      return false;
    }
    append(output, "}", 1);
  }
  append(output, "\n", 1);
  return fwrite(output->data, 1, output->size, stdout) == output->size && fflush(stdout) == 0;
}

/* Reads a line of stdin without its end; false after the last one. */
static bool read_line(line *text) {
  int c = getc(stdin);
  text->size = 0;
  if (c == EOF) {
    return false;
  }
  for (; c != EOF && c != '\n'; c = getc(stdin)) {
    char byte = (char)c;
    append(text, &byte, 1);
  }
  while (text->size > 0 && text->data[text->size - 1] == '\r') {
    text->size--;
  }
  return true;
}

static bool answer_lines(session *now) {
  line given = {NULL, 0, 0}, text = {NULL, 0, 0};
  bool is_read = true;
  for (bool is_first = true; is_read && read_line(&given); is_first = false) {
    bool has_mark = is_first && given.size >= 3 && memcmp(given.data, "\xEF\xBB\xBF", 3) == 0;
    size_t start = has_mark ? 3 : 0;
    grow(&text, 1);
    repair(&text, given.data == NULL ? "" : given.data + start, given.size - start, false);
    is_read = answer(now, &text);
  }
  free(given.data);
  free(text.data);
  return is_read;
}

static bool answer_arguments(session *now, char **arguments, int count) {
  line text = {NULL, 0, 0};
  bool is_read = true;
  grow(&text, 1);
  for (int n = 0; is_read && n < count; n++) {
    repair(&text, arguments[n], strlen(arguments[n]), true);
    is_read = answer(now, &text);
  }
  free(text.data);
  return is_read;
}

static int wrong_call(const char *what) {
  fprintf(stderr, "%s\npocketintent-native: %s\n", "usage: pocketintent-native [--rank N] BOT [TEXT ...]",
          what);
  return 2;
}

int main(int count, char **arguments) {
  session now = {NULL, NULL, 0, {NULL, 0, 0}};
  int first = 1;
  for (; first < count && strncmp(arguments[first], "--", 2) == 0; first++) {
    if (strcmp(arguments[first], "--help") == 0) {
      fputs(help, stdout);
      return 0;
    }
    if (strcmp(arguments[first], "--version") == 0) {
      printf("pocketintent-native %s (Unicode %s, %s)\n", pintent_version(),
             pintent_unicode_version(), pi_choose_kernels(NULL)->name);
      return 0;
    }
    if (strcmp(arguments[first], "--") == 0) {
      first++;
      break;
    }
    if (strcmp(arguments[first], "--rank") != 0 || first + 1 >= count) {
      return wrong_call("unknown option, or --rank without a number");
    }
    char *end;
    unsigned long long rank = strtoull(arguments[++first], &end, 10);
    if (*end != '\0' || rank == 0 || rank > SIZE_MAX / 2 || arguments[first][0] == '-') {
      return wrong_call("--rank must be a whole number from 1");
    }
    now.rank = (size_t)rank;
  }
  if (first >= count) {
    return wrong_call("BOT is missing");
  }
#ifdef _WIN32
  _setmode(_fileno(stdin), _O_BINARY);
  _setmode(_fileno(stdout), _O_BINARY);
#endif
  pintent_message message;
  pintent_status status = pintent_open(arguments[first++], NULL, &now.bot, &message);
  if (status == PINTENT_OK) {
    status = pintent_scratch_new(now.bot, 8 * PINTENT_DEFAULT_CACHE, &now.scratch);
    snprintf(message.text, sizeof message.text, "%s", pintent_status_text(status));
  }
  if (status != PINTENT_OK) {
    fprintf(stderr, "pocketintent-native: %s\n", message.text);
    pintent_close(now.bot);
    return 1;
  }
  bool is_read = first < count ? answer_arguments(&now, arguments + first, count - first)
                               : answer_lines(&now);
  pintent_scratch_free(now.scratch);
  pintent_close(now.bot);
  free(now.output.data);
  return is_read ? 0 : 1;
}
