/** The tokens of a text: docs/tokenizer.md. The core has them too, but does not hand them out. */

const MAX_CHARS = 4096;
const APOSTROPHES = /[\u2019\u2018\u02BC\u0060\u00B4]/g;
const IDEOGRAPH =
  '[\\u3041-\\u30FF\\u31F0-\\u31FF\\u3400-\\u4DBF\\u4E00-\\u9FFF\\uF900-\\uFAFF\\u{20000}-\\u{3FFFF}]';
const LETTER = `(?!${IDEOGRAPH})\\p{L}`;
const WORD = `${LETTER}(?:${LETTER}|\\p{M})*`;
const TOKEN = new RegExp(
  `${IDEOGRAPH}|(?<=${LETTER}\\p{M}*)'${WORD}|${WORD}|\\p{Nd}+|[\\p{S}\\p{Nl}\\p{No}\\p{Cn}\\p{Co}]`,
  'gu',
);

/** The tokens of a text, by the rules of the tokenizer `simple`. */
export function tokenize(text: string): string[] {
  const cut = [...text.slice(0, 2 * MAX_CHARS)].slice(0, MAX_CHARS).join('');
  const plain = cut.replace(APOSTROPHES, "'").normalize('NFKC').toLowerCase();
  return plain.match(TOKEN) ?? [];
}

/** The words of a text: what follows an apostrophe belongs to the word before it. */
export function wordsOf(text: string): string[] {
  return tokenize(text)
    .join(' ')
    .replaceAll(" '", "'")
    .split(' ')
    .filter((word) => word !== '');
}
