/* Hashed character n-grams: the counts that `logistic` reads (docs/decision.md), and those of words
 * outside the vocabulary (docs/model-file.md). */

import type { Tokens } from './tokenizer.js';
import { fnv } from './words.js';

export const NUM_BUCKETS = 512;
const SHORTEST = 2;
const LONGEST = 5;
const BRACKETS = Uint8Array.of(0x3c, 0x3e);

/** Calls `visit` with the hash of each n-gram of a word in brackets, of `least` to `most` code points.
 * A shorter word has itself, with its brackets. */
export function visitNgrams(
  bytes: Uint8Array,
  start: number,
  end: number,
  least: number,
  most: number,
  visit: (hash: number) => void,
): void {
  let points = 2;
  for (let n = start; n < end; n++) if ((bytes[n]! & 0xc0) !== 0x80) points++;
  const shortest = Math.min(least, points);
  // The brackets stand before the start and at the end.
  for (let first = start - 1, next = first; first <= end; first = next) {
    let hash = fnv(bytes, 0, 0);
    for (let length = 1, place = first; length <= most && place <= end; length++) {
      if (place < start || place === end) {
        const bracket = place < start ? 0 : 1;
        hash = fnv(BRACKETS, bracket, bracket + 1, hash);
        place++;
      } else {
        const from = place++;
        while (place < end && (bytes[place]! & 0xc0) === 0x80) place++;
        hash = fnv(bytes, from, place, hash);
      }
      if (length === 1) next = place;
      if (length >= shortest) visit(hash >>> 0);
    }
  }
}

/** Adds the signed counts of the n-grams of a text's tokens to zeros. */
export function countNgrams(tokens: Tokens, counts: Float32Array): void {
  const { bytes, starts, count } = tokens;
  const visit = (hash: number): void => {
    counts[hash % NUM_BUCKETS]! += hash < 0x80000000 ? 1 : -1;
  };
  for (let n = 0; n < count; n++) {
    visitNgrams(bytes, starts[n]!, starts[n + 1]!, SHORTEST, LONGEST, visit);
  }
}
