/* The vocabulary of a model: vocabulary.bytes and vocabulary.lost.N of docs/model-file.md, and the
 * word pieces of docs/tokenizer.md. */

import { ModelFileError } from '../errors.js';
import type { Tensors } from './tensors.js';
import { decodeUtf8, isUtf8 } from './utf8.js';
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
  const tensor = tensors.get('vocabulary.bytes');
  if (tensor?.dtype !== 'U8' || tensor.shape.length !== 1) {
    throw new ModelFileError('vocabulary.bytes is missing or not U8 [total]');
  }
  if (!isUtf8(tensor.bytes)) throw new ModelFileError('vocabulary.bytes is not UTF-8');
  const words = new Words(tensor.bytes);
  if (words.repeated >= 0) {
    const { repeated, bytes } = words;
    const word = decodeUtf8(bytes.subarray(words.startOf(repeated), words.endOf(repeated)));
    throw new ModelFileError(`the vocabulary has '${word}' twice; remove one and its row`);
  }
  const empty = words.find(tensor.bytes, 0, 0);
  if (empty >= 0) throw new ModelFileError(`word ${empty} of the vocabulary is empty`);
  return words;
}

export function readVocabulary(tensors: Tensors): Vocabulary {
  const words = readWords(tensors);
  const names = [...tensors.keys()].filter((name) => name.startsWith('vocabulary.lost.'));
  const lost = names.map((_, n) => {
    const tensor = tensors.get(`vocabulary.lost.${n}`);
    if (tensor === undefined) {
      throw new ModelFileError('the tensors vocabulary.lost.N are not numbered from 0');
    }
    if (tensor.dtype !== 'U8' || tensor.shape.length !== 1 || tensor.bytes.length === 0) {
      throw new ModelFileError(`${tensor.name} must be U8 [num_bytes], of at least one byte`);
    }
    return tensor.bytes;
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
