/* Readers beside an editor, for ThreadSanitizer: each reader takes a scratch of the current bot under a
 * lock, as the header says, and matches without it. Prints how many matches and edits there were. */

#include "../pocketintent.c"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { READERS = 8, EDITS = 6, SCRATCHES = 6, MATCHES = 12 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pintent_bot *current;
static atomic_bool is_over;
static atomic_int num_matches;

static void need(bool claim, const char *what) {
  if (!claim) {
    fprintf(stderr, "failed: %s\n", what);
    exit(1);
  }
}

/* Matches with the bot that is current, while others take its place. */
static void match_some(int number) {
  static const char *const texts[] = {"turn on the lamp", "swich the lihgt of", "play some jazz", ""};
  pintent_scratch *scratch;
  pintent_match match;
  pthread_mutex_lock(&lock);
  const pintent_bot *bot = current;
  need(pintent_scratch_new(bot, 1 << 16, &scratch) == PINTENT_OK, "scratch");
  pthread_mutex_unlock(&lock);
  for (int n = 0; n < MATCHES; n++) {
    const char *text = texts[(n + number) % 4];
    need(pintent_match_text(bot, scratch, text, strlen(text), &match) == PINTENT_OK, "match");
    atomic_fetch_add(&num_matches, 1);
  }
  pintent_scratch_free(scratch);
}

static void *read_texts(void *number) {
  for (int n = 0; n < SCRATCHES || !atomic_load(&is_over); n++) {
    match_some((int)(uintptr_t)number + n);
  }
  return NULL;
}

/* Adds an intent, sets other templates, or removes the intent; the old bot is closed while its scratches
 * are in use. */
static void edit(int number) {
  static const char set[] = "{\"jazz\": [\"play jazz\"], \"lamp\": [\"turn on the lamp\", \"lamp on\"]}";
  const pintent_text texts[] = {{"play some jazz", 14}, {"put on music", 12}};
  const pintent_addition addition = {.name = {"jazz", 4}, .templates = texts, .num_templates = 2};
  pintent_bot *next, *old = current; /* this thread alone changes it */
  pintent_status status =
      number % 3 == 0   ? pintent_add_intent(old, &addition, &next, NULL)
      : number % 3 == 1 ? pintent_set_templates(old, set, sizeof set - 1, &next, NULL)
                        : pintent_remove_intent(old, "jazz", 4, &next, NULL);
  need(status == PINTENT_OK, "edit");
  pthread_mutex_lock(&lock);
  current = next;
  pthread_mutex_unlock(&lock);
  pintent_close(old);
  size_t size;
  need(pintent_save_buffer(next, NULL, 0, &size) == PINTENT_ERROR_SIZE, "save");
  need(pintent_templates_json(next, NULL, 0, &size) == PINTENT_ERROR_SIZE, "templates");
}

int main(int count, char **arguments) {
  pthread_t readers[READERS];
  need(count == 2 && pintent_open(arguments[1], NULL, &current, NULL) == PINTENT_OK, "open");
  for (uintptr_t n = 0; n < READERS; n++) {
    need(pthread_create(&readers[n], NULL, read_texts, (void *)n) == 0, "thread");
  }
  for (int n = 0; n < EDITS; n++) {
    edit(n);
  }
  atomic_store(&is_over, true);
  for (int n = 0; n < READERS; n++) {
    pthread_join(readers[n], NULL);
  }
  pintent_close(current);
  printf("%d matches, %d edits\n", atomic_load(&num_matches), EDITS);
  return 0;
}
