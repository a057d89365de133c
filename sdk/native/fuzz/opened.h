/* The bots that texts and edits are tried with: the files 00.safetensors, 01.safetensors and so on in
 * the folder that the variable POCKETINTENT_BOTS names. */

#ifndef PINTENT_OPENED_H
#define PINTENT_OPENED_H

#include "checks.h"

enum { MOST_BOTS = 100 };

static pintent_bot *opened_bots[MOST_BOTS];
static size_t num_opened;

static void open_bots(void) {
  const char *folder = getenv("POCKETINTENT_BOTS");
  CHECK(folder != NULL);
  for (; num_opened < MOST_BOTS; num_opened++) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%02d.safetensors", folder, (int)num_opened);
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
      break;
    }
    fclose(file);
    CHECK(pintent_open(path, NULL, &opened_bots[num_opened], NULL) == PINTENT_OK);
  }
  CHECK(num_opened > 0);
}

#endif
