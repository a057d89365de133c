/* The vocabulary of a model: vocabulary.bytes and vocabulary.lost.N of docs/model-file.md, and the
 * word pieces of docs/tokenizer.md. */

import { check } from './checks.js';
import { needTensor, type Tensors } from './tensors.js';
import { isUtf8 } from './utf8.js';
import { fnv, Words } from './words.js';

/** Code points of the longest piece of a word. */
const MAX_PIECE = 64;
const HASH_SIGN = 0x23;

export interface Vocabulary {
  readonly words: Words;
  /** Filters of the words that pruning lost. */
  readonly lost: readonly Uint8Array[];
}

function readWords(tensors: Tensors): Words {
  const { bytes } = needTensor(tensors, 'vocabulary.bytes', 'U8', [-1]);
  check(isUtf8(bytes), 'vocabulary.bytes is not UTF-8');
  const words = new Words(bytes);
  check(words.repeated < 0, `the vocabulary has word ${words.repeated} twice`);
  check(words.find(bytes, 0, 0) < 0, 'a word of the vocabulary is empty');
  return words;
}

export function readVocabulary(tensors: Tensors): Vocabulary {
  const words = readWords(tensors);
  const names = [...tensors.keys()].filter((name) => name.startsWith('vocabulary.lost.'));
  const lost = names.map((_, n) => {
    const { bytes } = needTensor(tensors, `vocabulary.lost.${n}`, 'U8', [-1]);
    check(bytes.length > 0, `vocabulary.lost.${n} is empty`);
    return bytes;
  });
  return { words, lost };
}

/** Whether pruning lost a word of letters from a to z, by filters (Bloom 1970): docs/correction.md. */
export function isLost(filters: readonly Uint8Array[], word: Uint8Array): boolean {
  if (filters.length === 0) return false;
  const first = fnv(word, 0, word.length) >>> 0;
  const step = fnv(word.slice().reverse(), 0, word.length) >>> 0;
  return filters.some((filter) => {
    for (let n = 0; n < 5; n++) {
      const place = (first + n * step) % (8 * filter.length - 1);
      // Not by shifts: a place may have more than 32 bits.
      if (((filter[Math.floor(place / 8)]! >> (place % 8)) & 1) === 0) return false;
    }
    return true;
  });
}

const isInside = (byte: number | undefined): boolean => (byte! & 0xc0) === 0x80;

/** Splits words that are not in a vocabulary into pieces that are. */
export class WordPieces {
  private readonly longest: number;
  private readonly ends = new Uint32Array(MAX_PIECE);
  /** A piece, behind two number signs. */
  private readonly piece = new Uint8Array(4 * MAX_PIECE + 2).fill(HASH_SIGN, 0, 2);

  constructor(private readonly words: Words) {
    let longest = 0;
    for (let word = 0; word < words.count; word++) {
      let length = 0;
      for (let n = words.startOf(word); n < words.endOf(word); n++) {
        if (!isInside(words.bytes[n])) length++;
      }
      longest = Math.max(longest, length);
    }
    this.longest = Math.min(longest, MAX_PIECE);
  }

  /** Writes the numbers of the pieces of a word from a place on; the place behind the last one. What
   * has no room is left out. */
  split(bytes: Uint8Array, start: number, end: number, pieces: Int32Array, place: number): number {
    const { ends, piece, words, longest } = this;
    for (let from = start; from < end && place < pieces.length;) {
      const prefix = from > start ? 2 : 0;
      let count = 0;
      for (let to = from; to < end && count + prefix < longest;) {
        to++;
        while (to < end && isInside(bytes[to])) to++;
        ends[count++] = to;
      }
      let found = -1;
      if (count > 0) piece.set(bytes.subarray(from, ends[count - 1]), 2);
      while (found < 0 && count > 0) {
        count--;
        found = words.find(piece, 2 - prefix, 2 + ends[count]! - from);
      }
      if (found >= 0) {
        pieces[place++] = found;
        from = ends[count]!;
      } else {
        do from++;
        while (from < end && isInside(bytes[from]));
      }
    }
    return place;
  }
}
