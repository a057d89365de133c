/* Saving: a bot as the bytes of a bot file. */

#ifndef PINTENT_SAVING_H
#define PINTENT_SAVING_H

#include "bot.h"

typedef struct pi_output pi_output;

/* A save while it lasts. */
typedef struct pi_save {
  const pintent_bot *bot;
  pi_arena arena;
  pi_error *error;
  pi_file base;  /* the file that the bot shares with others */
  pi_file file;  /* what is written: the tensors by their names, and the manifest with its hash */
  size_t *order; /* of the tensors in the file */
  pintent_text header; /* with its length before it */
  size_t size;         /* of all bytes */
} pi_save;

/* Writes a part of a text. */
typedef void (*pi_text_writer)(const pintent_bot *bot, pi_output *output);

#endif
