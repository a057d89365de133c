/* Words by their bytes: a hash table. */

const FNV_START = 0x811c9dc5;

/** The 32-bit FNV-1a hash of bytes behind what was hashed already. */
export function fnv(bytes: Uint8Array, start: number, end: number, hash = FNV_START): number {
  for (let n = start; n < end; n++) hash = Math.imul(hash ^ bytes[n]!, 16777619);
  return hash;
}

/** Words with the numbers 0, 1, 2 …, with a line feed between two in the bytes. */
export class Words {
  /** Where each word begins, and where one behind the last would. */
  private readonly starts: Uint32Array;
  /** A number plus one in the bits of the mask, and a part of the hash in the others; 0 if empty. */
  private readonly slots: Uint32Array;
  private readonly mask: number;
  readonly count: number;
  /** The number of a word that is there already, and thus the first that cannot be found; or -1. */
  readonly repeated: number = -1;

  constructor(readonly bytes: Uint8Array) {
    let count = 0;
    for (let n = 0; n < bytes.length; n++) if (bytes[n] === 10) count++;
    this.count = bytes.length > 0 ? count + 1 : 0;
    this.starts = new Uint32Array(this.count + 1);
    let slots = 4;
    while (slots < 2 * this.count) slots *= 2;
    this.slots = new Uint32Array(slots);
    this.mask = slots - 1;
    for (let number = 0, place = 0; number < this.count; number++) {
      const start = place;
      while (place < bytes.length && bytes[place] !== 10) place++;
      this.starts[number + 1] = place + 1;
      const hash = fnv(bytes, start, place);
      const slot = this.slotOf(hash, bytes, start, place);
      if (this.slots[slot] !== 0) {
        this.repeated = number;
        break;
      }
      this.slots[slot] = (hash & ~this.mask) | (number + 1);
      place++;
    }
  }

  /** The place of a word with this hash in the slots; an empty one if there is none. */
  private slotOf(hash: number, bytes: Uint8Array, start: number, end: number): number {
    const { slots, mask } = this;
    for (let slot = (hash ^ (hash >>> 15)) & mask; ; slot = (slot + 1) & mask) {
      const entry = slots[slot]!;
      if (entry === 0) return slot;
      if (((entry ^ hash) & ~mask) === 0 && this.isAt((entry & mask) - 1, bytes, start, end)) {
        return slot;
      }
    }
  }

  private isAt(number: number, bytes: Uint8Array, start: number, end: number): boolean {
    let place = this.startOf(number);
    if (this.endOf(number) - place !== end - start) return false;
    while (start < end) if (this.bytes[place++] !== bytes[start++]) return false;
    return true;
  }

  startOf(number: number): number {
    return this.starts[number]!;
  }

  endOf(number: number): number {
    return this.starts[number + 1]! - 1;
  }

  /** The number of a word; -1 if there is none. */
  find(bytes: Uint8Array, start: number, end: number): number {
    return this.findHashed(fnv(bytes, start, end), bytes, start, end);
  }

  /** The number of a word with this hash; -1 if there is none. */
  findHashed(hash: number, bytes: Uint8Array, start: number, end: number): number {
    return (this.slots[this.slotOf(hash, bytes, start, end)]! & this.mask) - 1;
  }
}
