/* The tokenizer `simple`, version 1: docs/tokenizer.md. */

import {
  classOf,
  DIGIT,
  IDEOGRAPH,
  isFinalSigma,
  LETTER,
  lowerOf,
  MARK,
  normalise,
  SEPARATOR,
  SYMBOL,
} from './unicode.js';
import { decodeUtf8, writePoint } from './utf8.js';

/** Code points of a text that are read. */
const MAX_CHARS = 4096;
/** Most code points that one becomes in the normal form, and UTF-8 bytes and tokens of these. */
const EXPANSION = 18;
const BYTES_OF_POINT = 30;
const TOKENS_OF_POINT = 6;
/** Most bytes of all tokens of a text. */
export const MAX_BYTES = MAX_CHARS * BYTES_OF_POINT;

/** The tokens of a text, as UTF-8 one behind the other. */
export class Tokens {
  readonly bytes = new Uint8Array(MAX_BYTES);
  /** Where each token begins; behind the last one, where it ends. */
  readonly starts = new Uint32Array(MAX_CHARS * TOKENS_OF_POINT + 1);
  count = 0;

  /** Begins a token behind the last one. */
  begin(): void {
    this.count++;
    this.starts[this.count] = this.starts[this.count - 1]!;
  }

  /** Adds a code point to the last token. */
  extend(point: number): void {
    this.starts[this.count] = writePoint(this.bytes, this.starts[this.count]!, point);
  }

  /** Adds a token. */
  add(bytes: Uint8Array, start: number, end: number): void {
    this.begin();
    let place = this.starts[this.count]!;
    for (let n = start; n < end; n++) this.bytes[place++] = bytes[n]!;
    this.starts[this.count] = place;
  }

  toStrings(): string[] {
    const { bytes, starts, count } = this;
    const text = (n: number): string | null => decodeUtf8(bytes.subarray(starts[n], starts[n + 1]));
    return Array.from({ length: count }, (_, n) => text(n)!);
  }

  equals(other: Tokens): boolean {
    if (this.count !== other.count) return false;
    const { starts, bytes, count } = this;
    for (let n = 1; n <= count; n++) if (starts[n] !== other.starts[n]) return false;
    for (let n = 0; n < starts[count]!; n++) if (bytes[n] !== other.bytes[n]) return false;
    return true;
  }
}

const isLetter = (code: number): boolean => code >= 97 && code <= 122;

/** The lower case of a character in ASCII, with one sign for all apostrophes; NaN behind a text. */
function lowerAscii(text: string, place: number): number {
  const code = text.charCodeAt(place);
  return code >= 65 && code <= 90 ? code + 32 : code === 0x60 ? 0x27 : code;
}

/** Tokens of a text in ASCII. */
function tokenizeAscii(text: string, tokens: Tokens): void {
  const { bytes, starts } = tokens;
  let run = SEPARATOR; // class of the token that the next character may extend
  let count = 0;
  let used = 0;
  for (let n = 0; n < text.length; n++) {
    const code = lowerAscii(text, n);
    if (isLetter(code)) {
      if (run !== LETTER) starts[count++] = used;
      run = LETTER;
    } else if (code >= 48 && code <= 57) {
      if (run !== DIGIT) starts[count++] = used;
      run = DIGIT;
    } else if (code === 0x27 && run === LETTER && isLetter(lowerAscii(text, n + 1))) {
      starts[count++] = used;
    } else {
      run = SEPARATOR;
      if ('$+<=>^|~'.indexOf(text[n]!) < 0) continue;
      starts[count++] = used;
    }
    bytes[used++] = code;
  }
  starts[count] = used;
  tokens.count = count;
}

let room: Uint32Array | undefined;

/** Adds a character of a class; the class of the token that the next one may extend. */
function addPoint(tokens: Tokens, point: number, kind: number, run: number): number {
  const isJoined = kind === run || (kind === MARK && run === LETTER);
  if (kind === LETTER || kind === DIGIT) {
    if (!isJoined) tokens.begin();
    run = kind;
  } else if (kind === IDEOGRAPH || kind === SYMBOL) {
    tokens.begin();
    run = SEPARATOR;
  } else if (!isJoined || kind === SEPARATOR) {
    return SEPARATOR;
  }
  tokens.extend(point);
  return run;
}

/** Tokens of a text in its normal form. */
function tokenizePoints(text: string, tokens: Tokens): void {
  const points = (room ??= new Uint32Array(MAX_CHARS * EXPANSION));
  let count = 0;
  for (let place = 0; place < text.length; place++) {
    const point = text.codePointAt(place)!;
    points[count++] = point;
    if (point > 0xffff) place++;
  }
  tokens.count = 0;
  tokens.starts[0] = 0;
  let run = SEPARATOR;
  for (let n = 0; n < count; n++) {
    const point = points[n]!;
    if (point === 0x27) {
      const next = n + 1 < count ? lowerOf(points[n + 1]!) : 0;
      if (run !== LETTER || classOf(next) !== LETTER) {
        run = SEPARATOR;
        continue;
      }
      tokens.begin();
      tokens.extend(point);
    } else if (point === 0x130) {
      run = addPoint(tokens, 0x69, LETTER, run);
      run = addPoint(tokens, 0x307, MARK, run);
    } else {
      const isSigma = point === 0x3a3;
      const lower = isSigma ? (isFinalSigma(points, count, n) ? 0x3c2 : 0x3c3) : lowerOf(point);
      run = addPoint(tokens, lower, classOf(lower), run);
    }
  }
}

/** The part of a text that is read. */
function cut(text: string): string {
  if (text.length <= MAX_CHARS) return text;
  let place = 0;
  for (let n = 0; n < MAX_CHARS && place < text.length; n++) {
    place += text.codePointAt(place)! > 0xffff ? 2 : 1;
  }
  return text.slice(0, place);
}

/** Splits a text into its tokens. Lone surrogates separate tokens, as in Python. */
export function tokenize(text: string, tokens: Tokens): void {
  const read = cut(text);
  for (let n = 0; n < read.length; n++) {
    if (read.charCodeAt(n) > 0x7f) {
      const plain = read.replace(/[\u2019\u2018\u02BC\u0060\u00B4]/g, "'");
      return tokenizePoints(normalise(plain), tokens);
    }
  }
  tokenizeAscii(read, tokens);
}
