/* What the tokenizer asks of code points. The tables are of one version of Unicode, so that a text has
 * the same tokens in each engine and in Python. Only the normal form and the lower case are the
 * engine's: they are stable for what is assigned, and what is not is kept from them. */

import { DIGITS, PROPERTIES, RANGES } from './unicode_tables.js';

/** The classes of docs/tokenizer.md; apostrophes are told apart by the tokenizer. */
export const SEPARATOR = 0;
export const LETTER = 1;
export const MARK = 2;
export const DIGIT = 3;
export const IDEOGRAPH = 4;
export const SYMBOL = 5;

const CASED = 1;
const IGNORED = 2;
const ALONE = 1 << 5;

/** The numbers of a table: in base 44, the lowest digit first; 45 is added to all but the last one. */
function decodeNumbers(text: string): number[] {
  const numbers: number[] = [];
  let number = 0;
  let scale = 1;
  for (const char of text) {
    const digit = DIGITS.indexOf(char);
    if (digit > 44) {
      number += (digit - 45) * scale;
      scale *= 44;
    } else {
      numbers.push(number + digit * scale);
      number = 0;
      scale = 1;
    }
  }
  return numbers;
}

interface Tables {
  /** The end of each range of code points with one property, and the property. */
  readonly ends: Uint32Array;
  readonly properties: Uint8Array;
}

function makeTables(): Tables {
  const kinds = PROPERTIES.length;
  const ranges = decodeNumbers(RANGES);
  let end = 0;
  const ends = Uint32Array.from(ranges, (range) => (end += Math.floor(range / kinds)));
  const properties = Uint8Array.from(ranges, (range) => PROPERTIES[range % kinds]!);
  return { ends, properties };
}

let made: Tables | undefined;

/** The property of a code point. The tables are decoded for the first text that is not ASCII. */
function propertyOf(point: number): number {
  const { ends, properties } = (made ??= makeTables());
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[middle]! <= point) low = middle + 1;
    else high = middle;
  }
  return properties[low]!;
}

export function classOf(point: number): number {
  return propertyOf(point) & 7;
}

/** The lower case of a code point, but for U+0130, which becomes two, and a capital sigma. */
export function lowerOf(point: number): number {
  if (propertyOf(point) & ALONE) return point;
  return String.fromCodePoint(point).toLowerCase().codePointAt(0)!;
}

/** Whether a capital sigma at a place ends a word: a cased character is before it and none after it,
 * past those that have no case of their own. */
export function isFinalSigma(points: Uint32Array, count: number, place: number): boolean {
  const caseAt = (n: number): number =>
    n < 0 || n >= count ? 0 : (propertyOf(points[n]!) >> 3) & 3;
  let before = place - 1;
  let after = place + 1;
  while (caseAt(before) === IGNORED) before--;
  while (caseAt(after) === IGNORED) after++;
  return caseAt(before) === CASED && caseAt(after) !== CASED;
}

/** The normal form NFKC of a text. Code points that the tables do not know stay as they are; nothing
 * joins them or moves past them. */
export function normalise(text: string): string {
  let result = '';
  let start = 0;
  for (let place = 0; place < text.length;) {
    const point = text.codePointAt(place)!;
    const next = place + (point > 0xffff ? 2 : 1);
    if (propertyOf(point) & ALONE) {
      result += text.slice(start, place).normalize('NFKC') + text.slice(place, next);
      start = next;
    }
    place = next;
  }
  return result + text.slice(start).normalize('NFKC');
}
