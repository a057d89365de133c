/** Tables of fields separated by tabs, commas or semicolons, read as the Python package reads them. */

import { FileProblem } from '../bot/forms.js';

const MOST_CHARS = 131072;

export interface Row {
  /** The line that the row begins in, from 1. */
  readonly line: number;
  readonly fields: readonly string[];
}

/**
 * The rows of a table; a header is a row like any other, and empty lines are left out. Tabs separate
 * the fields if the first line has one, otherwise commas, otherwise semicolons.
 */
export function* readTable(text: string, source: string): Generator<Row> {
  const firstLine = text.trimStart().split('\n', 1)[0]!;
  const separator = ['\t', ',', ';'].find((mark) => firstLine.includes(mark)) ?? ',';
  const reader = new TableReader(text, separator);
  while (!reader.isAtEnd) {
    const line = reader.line;
    let fields: string[];
    try {
      fields = reader.readRow();
    } catch (error) {
      throw new FileProblem(
        `${source}, line ${line}: not a valid row (${(error as Error).message}); a field has at ` +
          `most ${MOST_CHARS.toLocaleString('en')} characters, and one that begins with a ` +
          'quotation mark ends with one, and is written with each mark inside it doubled',
      );
    }
    if (fields.length) yield { line, fields };
  }
}

/** Reads a text row by row, quoted as in RFC 4180. */
class TableReader {
  line = 1;
  #at = 0;

  constructor(
    readonly text: string,
    readonly separator: string,
  ) {}

  get isAtEnd(): boolean {
    return this.#at >= this.text.length;
  }

  readRow(): string[] {
    const fields: string[] = [];
    if (this.#skipLineEnd()) return fields;
    for (;;) {
      const field = this.text[this.#at] === '"' ? this.#readQuoted() : this.#readPlain();
      if (field.length > MOST_CHARS)
        throw new Error(`field larger than field limit (${MOST_CHARS})`);
      fields.push(field);
      if (this.isAtEnd || this.#skipLineEnd()) return fields;
      this.#at++; // the separator
    }
  }

  #readPlain(): string {
    const start = this.#at;
    while (!this.isAtEnd && !this.#isAtBoundary()) this.#at++;
    return this.text.slice(start, this.#at);
  }

  #readQuoted(): string {
    let field = '';
    for (this.#at++; ;) {
      const end = this.text.indexOf('"', this.#at);
      const part = this.text.slice(this.#at, end < 0 ? undefined : end);
      this.line += part.match(/\r\n|\r|\n/g)?.length ?? 0;
      if (end < 0) throw new Error('unexpected end of data');
      field += part;
      this.#at = end + 1;
      if (this.text[this.#at] !== '"') break;
      field += '"';
      this.#at++;
    }
    if (!this.isAtEnd && !this.#isAtBoundary()) {
      throw new Error(`'${this.separator}' expected after '"'`);
    }
    return field;
  }

  #isAtBoundary(): boolean {
    const char = this.text[this.#at];
    return char === this.separator || char === '\n' || char === '\r';
  }

  #skipLineEnd(): boolean {
    const char = this.text[this.#at];
    if (char !== '\n' && char !== '\r') return false;
    this.#at += char === '\r' && this.text[this.#at + 1] === '\n' ? 2 : 1;
    this.line++;
    return true;
  }
}
