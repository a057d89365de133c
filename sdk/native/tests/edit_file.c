/* Edits a bot file: adds templates to an intent, removes another one, saves the bot; and saves a bot
 * that is fitted again to the templates of that one. By this program the edits of other processors are
 * compared with Python's.
 *
 *     edit_file BOT SAVED FITTED REMOVED ADDED TEMPLATE ... */

#include "../pocketintent.c"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_TEXTS = 64, MOST_BYTES = 1 << 20 };

static void need(pintent_status status, const pintent_message *message) {
  if (status != PINTENT_OK) {
    fprintf(stderr, "%s: %s\n", pintent_status_text(status), message->text);
    exit(1);
  }
}

int main(int count, char **words) {
  static char json[MOST_BYTES];
  size_t length;
  pintent_text texts[MOST_TEXTS];
  pintent_bot *opened, *added, *removed, *fitted;
  pintent_message message = {""};
  if (count < 7 || count > MOST_TEXTS) {
    fprintf(stderr, "edit_file BOT SAVED FITTED REMOVED ADDED TEMPLATE ...\n");
    return 2;
  }
  for (int n = 0; n < count; n++) {
    texts[n] = pi_text_of(words[n]);
  }
  const pintent_addition addition = {
      .name = texts[5], .templates = texts + 6, .num_templates = (size_t)count - 6};
  need(pintent_open(words[1], NULL, &opened, &message), &message);
  need(pintent_add_intent(opened, &addition, &added, &message), &message);
  need(pintent_remove_intent(added, words[4], texts[4].size, &removed, &message), &message);
  need(pintent_save(removed, words[2], &message), &message);
  need(pintent_templates_json(removed, json, sizeof json, &length), &message);
  need(pintent_set_templates(opened, json, length, &fitted, &message), &message);
  need(pintent_save(fitted, words[3], &message), &message);
  pintent_close(opened);
  pintent_close(added);
  pintent_close(removed);
  pintent_close(fitted);
  return 0;
}
