/** The words of texts: what the checks and the test compare texts by. */

import { tokenize } from '../../src/wasm/words.js';

/** The most code points of a name that are read. */
const MAX_CHARS = 4096;

/** The words of a text, separated by spaces; empty if it has none. */
export function wordsOf(text: string): string {
  return tokenize(text).join(' ');
}

/**
 * An intent's name as a text: a space is put where a capital letter follows a small one, and before
 * the last of several capitals that a small letter follows. The tokenizer splits at underscores.
 */
export function wordsOfName(name: string): string {
  const chars = [...name].slice(0, MAX_CHARS);
  return chars
    .map((char, at) => {
      const before = chars[at - 1] ?? '';
      const startsWord = isSmall(before) || (isCapital(before) && isSmall(chars[at + 1] ?? ' '));
      return at > 0 && isCapital(char) && startsWord ? ` ${char}` : char;
    })
    .join('');
}

function isCapital(char: string): boolean {
  return /^\p{Uppercase}$/u.test(char);
}

function isSmall(char: string): boolean {
  return /^\p{Lowercase}$/u.test(char);
}

const SHORT_FORMS =
  'ain aren can couldn didn doesn don hadn hasn haven isn mustn needn shouldn wasn weren won wouldn';

const NEGATIONS: Readonly<Record<string, ReadonlySet<string>>> = {
  en: new Set([
    ...['not', 'never', 'no', 'nor', 'neither', 'without', 'cannot', "'t"],
    ...SHORT_FORMS.split(' ').map((word) => `${word}t`),
  ]),
};

/** The words that negate a text in a language, which is English where none is named. */
export function negationsOf(language: string | null): ReadonlySet<string> {
  const primary = (language || 'en').split(/[-_]/)[0]!.toLowerCase();
  return (Object.hasOwn(NEGATIONS, primary) && NEGATIONS[primary]) || new Set();
}

export function isNegated(text: string, negations: ReadonlySet<string>): boolean {
  return negations.size > 0 && tokenize(text).some((word) => negations.has(word));
}
