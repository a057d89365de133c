/* A cache of what a network has made of words; a full one is emptied. */

import type { Tokens } from './tokenizer.js';

const MOST_BYTES = 4 << 20;
/** Bytes of the longest unknown word that is kept. */
const LONGEST = 40;

export class WordCache {
  /** `size` numbers of each entry. */
  readonly parts: Float32Array;
  /** Entries that are in use. */
  used = 0;
  private readonly capacity: number;
  /** The entry of each known word, plus one. */
  private readonly known: Uint16Array;
  /** The same of unknown ones, by their bytes. */
  private readonly unknown = new Map<string, number>();

  /**
   * @param size Numbers of an entry.
   * @param least Entries that there are in any case, since a text can have so many words.
   * @param numWords Known words.
   */
  constructor(
    readonly size: number,
    private readonly least: number,
    numWords: number,
  ) {
    const fitting = Math.floor(MOST_BYTES / (4 * size));
    this.capacity = Math.min(Math.max(fitting, least), 0xffff);
    this.parts = new Float32Array(this.capacity * size);
    this.known = new Uint16Array(numWords);
  }

  /** Makes room for the words of a text. */
  makeRoom(): void {
    if (this.used + this.least > this.capacity) {
      this.used = 0;
      this.known.fill(0);
      this.unknown.clear();
    }
  }

  private keyOf({ bytes, starts }: Tokens, item: number): string {
    let key = '';
    for (let n = starts[-1 - item]!; n < starts[-item]!; n++) key += String.fromCharCode(bytes[n]!);
    return key;
  }

  /** Where the parts of an item of a text are; -1 if they are not kept. */
  find(tokens: Tokens, item: number): number {
    const entry = item >= 0 ? this.known[item]! : this.unknown.get(this.keyOf(tokens, item));
    return entry ? (entry - 1) * this.size : -1;
  }

  /** Takes room for the parts of an item, which are zeros; where it is. */
  add(tokens: Tokens, item: number): number {
    const place = this.used++ * this.size;
    if (item >= 0) {
      this.known[item] = this.used;
    } else {
      const key = this.keyOf(tokens, item);
      if (key.length <= LONGEST) this.unknown.set(key, this.used);
    }
    this.parts.fill(0, place, place + this.size);
    return place;
  }
}
