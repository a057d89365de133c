/** Values as the messages of the Python package write them, so that both say the same sentences. */

const MAX_SHOWN = 80;
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}\p{Zs}]/u;
const ESCAPES: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** A text in quotation marks, as Python's `repr` writes it. */
export function quote(text: string): string {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  let quoted = '';
  for (const char of text) {
    if (char === mark || char === '\\') quoted += `\\${char}`;
    else if (char !== ' ' && UNPRINTABLE.test(char)) quoted += ESCAPES[char] ?? escapeCode(char);
    else quoted += char;
  }
  return mark + quoted + mark;
}

function escapeCode(char: string): string {
  const code = char.codePointAt(0)!;
  const hex = code.toString(16);
  if (code < 0x100) return `\\x${hex.padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}

/** A text in quotation marks, or a number, of at most 80 characters: the middle is left out. */
export function shorten(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const chars = [...value];
  const quoted = quote(chars.slice(0, MAX_SHOWN).join(''));
  if ([...quoted].length <= MAX_SHOWN) return quoted;
  const before = Math.floor((MAX_SHOWN - 3) / 2);
  const after = MAX_SHOWN - 3 - before;
  const ends = chars.slice(0, before).concat(chars.slice(Math.max(0, chars.length - after)));
  const shown = [...quote(ends.join(''))];
  return `${shown.slice(0, before).join('')}...${shown.slice(shown.length - after).join('')}`;
}

/** Compares texts by their code points, as Python orders them. */
export function compareTexts(one: string, other: string): number {
  const [a, b] = [[...one], [...other]];
  const place = a.findIndex((char, index) => char !== b[index]);
  if (place < 0) return a.length - b.length;
  return a[place]!.codePointAt(0)! - (b[place]?.codePointAt(0) ?? -1);
}

/** Names in alphabetical order, or "none". */
export function listNames(names: Iterable<string>): string {
  return [...names].sort(compareTexts).join(', ') || 'none';
}

/** "1 template", "2 templates". */
export function count(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
}
