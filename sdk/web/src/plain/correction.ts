/* Typing errors: docs/correction.md. */

import { KEPT_WORDS } from './kept_words.js';
import { tokenize, type Tokens } from './tokenizer.js';
import { encodeUtf8 } from './utf8.js';
import { isLost, type Vocabulary } from './vocabulary.js';
import { fnv, Words } from './words.js';

/** Tokens of a text that may be corrected. */
const MAX_TOKENS = 64;
const MIN_LETTERS = 3;
const MAX_LETTERS = 16;
const A = 97;
const Z = 122;

const wordsOf = (words: readonly string[]): Words => new Words(encodeUtf8(words.join('\n')));

/** The bot's own words, the preferred ones first. */
export function findOwnWords(texts: readonly string[], tokens: Tokens): Words {
  const counts = new Map<string, number>();
  for (const text of texts) {
    tokenize(text, tokens);
    for (const token of tokens.toStrings()) {
      counts.set(token, (counts.get(token) ?? 0) + 1);
    }
  }
  const words = [...counts.keys()];
  // No other words than those of letters from a to z are found, so that units are points.
  words.sort((a, b) => counts.get(b)! - counts.get(a)! || (a < b ? -1 : 1));
  return wordsOf(words);
}

/** Reads unknown words as the known ones within one typing error. */
export class Corrector {
  private readonly edit = new Uint8Array(MAX_LETTERS + 1);
  private ofOwn = -1;
  private ofVocabulary = -1;

  constructor(
    private readonly vocabulary: Vocabulary,
    private readonly own: Words,
    /** Room for the tokens of a corrected text. */
    private readonly corrected: Tokens,
    /** Words that are right without being known. */
    private readonly kept = wordsOf(KEPT_WORDS.trim().split(/\s+/)),
  ) {}

  /** Corrects the tokens of a text; the text itself if there is nothing to correct, otherwise that of
   * the corrected tokens. */
  correct(text: string, tokens: Tokens): string {
    const { corrected } = this;
    const { bytes, starts, count } = tokens;
    let isChanged = false;
    corrected.count = 0;
    for (let n = 0; n < count; n++) {
      const start = starts[n]!;
      const end = starts[n + 1]!;
      const words = n < MAX_TOKENS ? this.correctWord(bytes, start, end) : null;
      if (words === null) {
        if (isChanged) corrected.add(bytes, start, end);
        continue;
      }
      if (!isChanged) {
        for (let m = 0; m < n; m++) corrected.add(bytes, starts[m]!, starts[m + 1]!);
      }
      isChanged = true;
      const number = words === this.own ? this.ofOwn : this.ofVocabulary;
      corrected.add(words.bytes, words.startOf(number), words.endOf(number));
    }
    return isChanged ? this.readAgain(text, tokens) : text;
  }

  /** Tokenises the text of the corrected tokens, which gives these in nearly all cases. */
  private readAgain(text: string, tokens: Tokens): string {
    const spaced = this.corrected.toStrings().map((token) => (token[0] === "'" ? '' : ' ') + token);
    const joined = spaced.join('').slice(1);
    tokenize(joined, tokens);
    if (tokens.equals(this.corrected)) return joined;
    tokenize(text, tokens);
    return text;
  }

  /** Finds the known word that a token is read as, and returns the words it belongs to; null if the
   * token stays. */
  private correctWord(bytes: Uint8Array, start: number, end: number): Words | null {
    const length = end - start;
    if (length < MIN_LETTERS || length > MAX_LETTERS) return null;
    for (let n = start; n < end; n++) if (bytes[n]! < A || bytes[n]! > Z) return null;
    const hash = fnv(bytes, start, end);
    for (const words of [this.vocabulary.words, this.own, this.kept]) {
      if (words.findHashed(hash, bytes, start, end) >= 0) return null;
    }
    const word = bytes.subarray(start, end);
    if (isLost(this.vocabulary.lost, word)) return null;
    this.ofOwn = this.ofVocabulary = -1;
    this.tryEdits(word);
    return this.ofOwn >= 0 ? this.own : this.ofVocabulary >= 0 ? this.vocabulary.words : null;
  }

  /** Tries all words within one edit: a letter left out, put in or replaced, or two swapped. */
  private tryEdits(word: Uint8Array): void {
    const { edit } = this;
    const length = word.length;
    edit.set(word);
    // What is before the place is the word, and so is its hash.
    for (let place = 0, hash = fnv(word, 0, 0); place <= length; place++) {
      edit.set(word.subarray(place), place + 1);
      this.tryLetters(hash, place, length + 1); // put in
      if (place < length) {
        edit.set(word.subarray(place + 1), place);
        this.tryWord(fnv(edit, place, length - 1, hash), length - 1); // left out
        edit.set(word.subarray(place), place);
        this.tryLetters(hash, place, length); // replaced
        if (place + 1 < length) {
          edit[place] = word[place + 1]!;
          edit[place + 1] = word[place]!;
          this.tryWord(fnv(edit, place, length, hash), length); // swapped
        }
        edit.set(word.subarray(place), place);
        hash = fnv(word, place, place + 1, hash);
      }
    }
  }

  /** Tries each letter at a place, before which the edit has a hash. */
  private tryLetters(hash: number, place: number, length: number): void {
    for (let letter = A; letter <= Z; letter++) {
      this.edit[place] = letter;
      this.tryWord(fnv(this.edit, place, length, hash), length);
    }
  }

  /** Tries the edit, which has a hash. */
  private tryWord(hash: number, length: number): void {
    const own = this.own.findHashed(hash, this.edit, 0, length);
    if (own >= 0 && (this.ofOwn < 0 || own < this.ofOwn)) this.ofOwn = own;
    if (this.ofOwn >= 0) return;
    const known = this.vocabulary.words.findHashed(hash, this.edit, 0, length);
    if (known >= 0 && (this.ofVocabulary < 0 || known < this.ofVocabulary)) {
      this.ofVocabulary = known;
    }
  }
}
