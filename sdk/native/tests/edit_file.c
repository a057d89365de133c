/* Edits a bot file: adds templates to an intent, removes another one, saves the bot. By this program
 * the edits of other processors are compared with Python's.
 *
 *     edit_file BOT SAVED REMOVED ADDED TEMPLATE ... */

#include "../pocketintent.c"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_TEXTS = 64 };

static void need(pintent_status status, const pintent_message *message) {
  if (status != PINTENT_OK) {
    fprintf(stderr, "%s: %s\n", pintent_status_text(status), message->text);
    exit(1);
  }
}

int main(int count, char **words) {
  pintent_text texts[MOST_TEXTS];
  pintent_bot *opened, *added, *removed;
  pintent_message message = {""};
  if (count < 6 || count > MOST_TEXTS) {
    fprintf(stderr, "edit_file BOT SAVED REMOVED ADDED TEMPLATE ...\n");
    return 2;
  }
  for (int n = 0; n < count; n++) {
    texts[n] = pi_text_of(words[n]);
  }
  const pintent_addition addition = {
      .name = texts[4], .templates = texts + 5, .num_templates = (size_t)count - 5};
  need(pintent_open(words[1], NULL, &opened, &message), &message);
  need(pintent_add_intent(opened, &addition, &added, &message), &message);
  need(pintent_remove_intent(added, words[3], texts[3].size, &removed, &message), &message);
  need(pintent_save(removed, words[2], &message), &message);
  pintent_close(opened);
  pintent_close(added);
  pintent_close(removed);
  return 0;
}
