/* SHA-256 (FIPS 180-4). */

const primes: number[] = [];
for (let n = 2; primes.length < 64; n++) {
  if (primes.every((prime) => n % prime)) primes.push(n);
}

/** The first 32 bits of the fraction of a root. */
const fraction = (root: number): number => ((root % 1) * 0x100000000) | 0;
const ROUNDS = Int32Array.from(primes, (prime) => fraction(Math.cbrt(prime)));

/** The hash of bytes that arrive in parts. */
export interface Sha256 {
  add(bytes: Uint8Array): void;
  /** The hash, in hexadecimal. Nothing may be added after it. */
  finish(): string;
}

/** Adds a block of 64 bytes to a state; `words` is room for 64 numbers. */
function addBlock(state: Int32Array, words: Int32Array, bytes: Uint8Array, place: number): void {
  for (let n = 0; n < 16; n++, place += 4) {
    words[n] =
      (bytes[place]! << 24) |
      (bytes[place + 1]! << 16) |
      (bytes[place + 2]! << 8) |
      bytes[place + 3]!;
  }
  for (let n = 16; n < 64; n++) {
    const x = words[n - 15]!;
    const y = words[n - 2]!;
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    words[n] = (words[n - 16]! + s0 + words[n - 7]! + s1) | 0;
  }
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  let e = state[4]!;
  let f = state[5]!;
  let g = state[6]!;
  let h = state[7]!;
  for (let n = 0; n < 64; n++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const one = (h + s1 + ((e & f) ^ (~e & g)) + ROUNDS[n]! + words[n]!) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const other = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + one) | 0;
    d = c;
    c = b;
    b = a;
    a = (one + other) | 0;
  }
  state[0]! += a;
  state[1]! += b;
  state[2]! += c;
  state[3]! += d;
  state[4]! += e;
  state[5]! += f;
  state[6]! += g;
  state[7]! += h;
}

export function sha256(): Sha256 {
  const state = Int32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));
  const words = new Int32Array(64);
  const rest = new Uint8Array(64);
  let size = 0;
  const add = (bytes: Uint8Array): void => {
    let place = 0;
    const used = size % 64;
    size += bytes.length;
    if (used > 0) {
      place = Math.min(64 - used, bytes.length);
      rest.set(bytes.subarray(0, place), used);
      if (used + place < 64) return;
      addBlock(state, words, rest, 0);
    }
    for (; place + 64 <= bytes.length; place += 64) addBlock(state, words, bytes, place);
    rest.set(bytes.subarray(place));
  };
  const finish = (): string => {
    const bits = size * 8;
    const end = new Uint8Array(((size + 8) & ~63) + 64 - size);
    end[0] = 0x80;
    const view = new DataView(end.buffer);
    view.setUint32(end.length - 8, Math.floor(bits / 0x100000000));
    view.setUint32(end.length - 4, bits >>> 0);
    add(end);
    return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
  };
  return { add, finish };
}
