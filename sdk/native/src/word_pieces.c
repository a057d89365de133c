/* The tokenizer `word_pieces`: docs/tokenizer.md. */

#include "tokens.h"
#include "vocabulary.h"

/* Splits a word outside the vocabulary into the numbers of its pieces, at most `room` of them; how
 * many there are in all. */
static size_t pi_split_word(const pi_vocabulary *vocabulary, pintent_text word, uint32_t *pieces,
                            size_t room) {
  size_t ends[PI_MAX_PIECE + 1], found = 0;
  char data[4 * PI_MAX_PIECE + 8] = "##"; /* and the piece behind it */
  for (size_t start = 0; start < word.size;) {
    size_t prefix = start > 0 ? 2 : 0, count = 0, end = start;
    while (end < word.size && count + prefix < vocabulary->longest) {
      end++;
      while (end < word.size && ((unsigned char)word.data[end] & 0xC0) == 0x80) {
        end++;
      }
      ends[count++] = end;
    }
    uint32_t piece = PI_NO_WORD;
    while (piece == PI_NO_WORD && count > 0) {
      count--;
      memcpy(data + 2, word.data + start, ends[count] - start);
      pintent_text text = {data + 2 - prefix, prefix + ends[count] - start};
      piece = pi_find_word(&vocabulary->words, text);
    }
    if (piece != PI_NO_WORD) {
      if (found < room) {
        pieces[found] = piece;
      }
      found++;
      start = ends[count];
    } else {
      do {
        start++;
      } while (start < word.size && ((unsigned char)word.data[start] & 0xC0) == 0x80);
    }
  }
  return found;
}
