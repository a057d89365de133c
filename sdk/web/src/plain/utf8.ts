/* UTF-8 to and from strings: `TextDecoder` and `TextEncoder` are missing in some engines. */

/** The first byte from a place on that is no ASCII. */
function endOfAscii(bytes: Uint8Array, start: number, end: number): number {
  let place = start;
  while (place < end && bytes[place]! < 0x80) place++;
  return place;
}

/** The code point at a place that does not begin with ASCII; -1 if the bytes are no UTF-8. */
function longPoint(bytes: Uint8Array, place: number, end: number): number {
  const lead = bytes[place]!;
  const more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
  if (lead < 0xc2 || lead > 0xf4 || place + more >= end) return -1;
  let point = lead & (0x3f >> more);
  for (let n = 1; n <= more; n++) {
    const byte = bytes[place + n]!;
    if ((byte & 0xc0) !== 0x80) return -1;
    point = (point << 6) | (byte & 0x3f);
  }
  const isShort = (more === 2 && point < 0x800) || (more === 3 && point < 0x10000);
  return isShort || point > 0x10ffff || (point >= 0xd800 && point < 0xe000) ? -1 : point;
}

/** How many bytes a code point takes. */
export function sizeOfPoint(point: number): number {
  return point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
}

/** Whether all bytes are UTF-8. */
export function isUtf8(bytes: Uint8Array): boolean {
  let place = endOfAscii(bytes, 0, bytes.length);
  while (place < bytes.length) {
    const point = longPoint(bytes, place, bytes.length);
    if (point < 0) return false;
    place = endOfAscii(bytes, place + sizeOfPoint(point), bytes.length);
  }
  return true;
}

/** The string of some bytes; null if they are no UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | null {
  const units = new Uint16Array(Math.min(bytes.length, 8192) + 1);
  let text = '';
  let used = 0;
  for (let place = 0; place < bytes.length;) {
    let point = bytes[place]!;
    if (point >= 0x80) point = longPoint(bytes, place, bytes.length);
    if (point < 0) return null;
    place += sizeOfPoint(point);
    if (point >= 0x10000) {
      units[used++] = 0xd7c0 + (point >> 10);
      point = 0xdc00 | (point & 0x3ff);
    }
    units[used++] = point;
    if (used >= units.length - 1 || place >= bytes.length) {
      text += String.fromCharCode.apply(null, units.subarray(0, used) as unknown as number[]);
      used = 0;
    }
  }
  return text;
}

/** Writes a code point at a place; the place behind it. */
export function writePoint(bytes: Uint8Array, place: number, point: number): number {
  if (point < 0x80) {
    bytes[place++] = point;
  } else {
    const more = sizeOfPoint(point) - 1;
    bytes[place++] = ((0xf0 << (3 - more)) & 0xff) | (point >> (6 * more));
    for (let n = more - 1; n >= 0; n--) bytes[place++] = 0x80 | ((point >> (6 * n)) & 0x3f);
  }
  return place;
}

/** The bytes of a string. */
export function encodeUtf8(text: string): Uint8Array {
  const bytes = new Uint8Array(3 * text.length);
  let size = 0;
  for (let place = 0; place < text.length;) {
    const point = text.codePointAt(place)!;
    size = writePoint(bytes, size, point);
    place += point > 0xffff ? 2 : 1;
  }
  return bytes.subarray(0, size);
}

/** Whether each half of a surrogate pair in a text has its other half. */
export function isWellFormed(text: string): boolean {
  for (let place = 0; place < text.length; place++) {
    const point = text.codePointAt(place)!;
    if (point >= 0xd800 && point < 0xe000) return false;
    if (point > 0xffff) place++;
  }
  return true;
}

/** Compares texts by their code points, as sorted bytes of UTF-8 are; negative if `one` is first. */
export function comparePoints(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let n = 0; n < length; n++) {
    let a = one.charCodeAt(n);
    let b = other.charCodeAt(n);
    if (a !== b) {
      // Surrogates stand for points beyond all others.
      if (a >= 0xd800) a += a < 0xe000 ? 0x2000 : -0x800;
      if (b >= 0xd800) b += b < 0xe000 ? 0x2000 : -0x800;
      return a - b;
    }
  }
  return one.length - other.length;
}
