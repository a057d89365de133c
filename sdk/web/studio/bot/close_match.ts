/** The name that was probably meant: the rule of Python's `difflib.get_close_matches`. */

import { compareTexts } from './messages.js';

const LEAST_RATIO = 0.6;

/** The known name that is most similar to a mistyped one; undefined if none is similar enough. */
export function closeMatch(typed: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestRatio = LEAST_RATIO;
  for (const name of known) {
    const ratio = similarity([...name], [...typed]);
    const wins = best === undefined || compareTexts(name, best) > 0;
    if (ratio > bestRatio || (ratio === bestRatio && wins)) [best, bestRatio] = [name, ratio];
  }
  return best;
}

/** Twice the characters in common blocks, of all characters of both texts. */
function similarity(a: readonly string[], b: readonly string[]): number {
  const length = a.length + b.length;
  return length ? (2 * countCommon(a, b)) / length : 1;
}

/** Characters of the longest common block, of those before it and of those after it. */
function countCommon(a: readonly string[], b: readonly string[]): number {
  let [start, at, size] = [0, 0, 0];
  let lengths = new Map<number, number>();
  a.forEach((char, i) => {
    const next = new Map<number, number>();
    for (let j = b.indexOf(char); j >= 0; j = b.indexOf(char, j + 1)) {
      const length = (lengths.get(j - 1) ?? 0) + 1;
      next.set(j, length);
      if (length > size) [start, at, size] = [i - length + 1, j - length + 1, length];
    }
    lengths = next;
  });
  if (!size) return 0;
  const before = countCommon(a.slice(0, start), b.slice(0, at));
  return before + size + countCommon(a.slice(start + size), b.slice(at + size));
}
