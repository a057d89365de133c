/* time_core BOT ROUNDS: prints the least nanoseconds of a match of each line of stdin, as Time.kt does. */

#define _POSIX_C_SOURCE 199309L /* for clock_gettime */

#include "pocketintent.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (long long)time.tv_sec * 1000000000 + time.tv_nsec;
}

int main(int count, char **arguments) {
  static char lines[1000][200];
  static long long least[1000];
  size_t num_lines = 0;
  pintent_bot *bot = NULL;
  pintent_scratch *scratch = NULL;
  pintent_match match;
  if (count != 3 || pintent_open(arguments[1], NULL, &bot, NULL) != PINTENT_OK ||
      pintent_scratch_new(bot, PINTENT_DEFAULT_CACHE, &scratch) != PINTENT_OK) {
    return 1;
  }
  while (num_lines < 1000 && fgets(lines[num_lines], sizeof *lines, stdin) != NULL) {
    lines[num_lines][strcspn(lines[num_lines], "\n")] = '\0';
    least[num_lines++] = INT64_MAX;
  }
  for (int round = 0; round < atoi(arguments[2]); round++) {
    for (size_t n = 0; n < num_lines; n++) {
      long long start = now();
      pintent_match_text(bot, scratch, lines[n], strlen(lines[n]), &match);
      long long taken = now() - start;
      least[n] = taken < least[n] ? taken : least[n];
    }
  }
  for (size_t n = 0; n < num_lines; n++) {
    printf("%s%lld", n == 0 ? "[" : ",", least[n]);
  }
  puts("]");
  pintent_scratch_free(scratch);
  pintent_close(bot);
}
