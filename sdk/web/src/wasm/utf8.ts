/** Texts in UTF-8. JavaScript's may contain halves of surrogate pairs, which UTF-8 cannot. */

const encoder = new TextEncoder();
const LONE = /\p{Surrogate}/u;
const ALL_LONE = /\p{Surrogate}/gu;

/** UTF-16 units of a text that the core reads: it ends after 4,096 code points, of up to two each. */
const MAX_UNITS = 8192;

/** Room that {@link encodeQuery} needs: three bytes for each unit. */
export const QUERY_BYTES = 3 * MAX_UNITS;

/** Whether a text has half of a surrogate pair. Engines since 2023 answer by themselves. */
function hasLone(text: string & { isWellFormed?(): boolean }): boolean {
  return text.isWellFormed === undefined ? LONE.test(text) : !text.isWellFormed();
}

/**
 * Writes a text to be matched, and returns its size. Half of a surrogate pair separates words, as in
 * Python, so it is written as a space, which is one code point too. TextEncoder would make it
 * U+FFFD, a symbol, and a token of its own.
 *
 * @param target - Has {@link QUERY_BYTES} bytes.
 */
export function encodeQuery(text: string, target: Uint8Array): number {
  const cut = text.length > MAX_UNITS ? text.slice(0, MAX_UNITS) : text;
  const whole = hasLone(cut) ? cut.replace(ALL_LONE, ' ') : cut;
  return encoder.encodeInto(whole, target).written;
}

/** The bytes of a text that becomes a part of a bot: half of a surrogate pair stays one, in three
 * bytes, for which the core refuses the text. */
export function encodeExactly(text: string): Uint8Array {
  if (!hasLone(text)) {
    return encoder.encode(text);
  }
  const bytes: number[] = [];
  for (const char of text) {
    const point = char.codePointAt(0) ?? 0;
    if (point >= 0xd800 && point <= 0xdfff) {
      bytes.push(0xed, 0x80 | ((point >> 6) & 0x3f), 0x80 | (point & 0x3f));
    } else {
      bytes.push(...encoder.encode(char));
    }
  }
  return Uint8Array.from(bytes);
}
