/* JSON as the other readers of bot files read it: whole numbers are told from others, objects keep
 * the order of their keys, and repeated keys are seen. `JSON.parse` does none of these. */

import { ModelFileError } from '../errors.js';
import { comparePoints, isWellFormed } from './utf8.js';

/** A number, with its digits as they stand in the text. */
export class JsonNumber {
  readonly value: number;
  constructor(
    readonly text: string,
    readonly isWhole: boolean,
  ) {
    this.value = Number(text);
  }
}

export type JsonObject = Map<string, Json>;
export type Json = null | boolean | string | JsonNumber | readonly Json[] | JsonObject;

/** How much a reader allows. */
export interface JsonRules {
  /** Levels of brackets. */
  readonly maxDepth: number;
  /** Of a bot's templates: of two equal keys the last one counts, where otherwise they are an error;
   * but half of a surrogate pair, or a number beyond the range of a double, is an error. */
  readonly isTemplates?: boolean;
}

const MEANINGS: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};
const NUMBER = /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/y;
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const HEX = /^[0-9a-fA-F]{4}$/;
const MOST_DIGITS = 4300;

class Reader {
  private place = 0;

  constructor(
    private readonly text: string,
    private readonly rules: JsonRules,
  ) {}

  read(): Json {
    const value = this.value(1);
    if (this.place < this.text.length) this.fail('more than one value');
    return value;
  }

  private fail(what: string): never {
    throw new ModelFileError(`${what} at character ${this.place}`);
  }

  private skipSpace(): void {
    while (' \t\n\r'.includes(this.text.charAt(this.place) || '.')) this.place++;
  }

  /** Steps over a sign if it is next. */
  private takes(sign: string): boolean {
    const isNext = this.text.startsWith(sign, this.place);
    if (isNext) this.place += sign.length;
    return isNext;
  }

  /** What a pattern finds at the place. */
  private takePattern(pattern: RegExp): string {
    pattern.lastIndex = this.place;
    const found = pattern.exec(this.text)?.[0] ?? '';
    this.place += found.length;
    return found;
  }

  /** The value at the place, and the white space around it. */
  private value(depth: number): Json {
    this.skipSpace();
    const value = this.bareValue(depth);
    this.skipSpace();
    return value;
  }

  private bareValue(depth: number): Json {
    if ('{['.includes(this.text.charAt(this.place) || '.') && depth > this.rules.maxDepth) {
      this.fail('nested too deeply');
    }
    if (this.takes('{')) return this.object(depth);
    if (this.takes('[')) return this.array(depth);
    if (this.takes('"')) return this.string();
    if (this.takes('null')) return null;
    if (this.takes('true')) return true;
    if (this.takes('false')) return false;
    return this.number();
  }

  private object(depth: number): JsonObject {
    const object: JsonObject = new Map();
    this.skipSpace();
    if (this.takes('}')) return object;
    do {
      this.skipSpace();
      if (!this.takes('"')) this.fail('a key that is no string');
      const key = this.string();
      this.skipSpace();
      if (!this.takes(':')) this.fail('a key without a colon');
      const value = this.value(depth + 1);
      if (!this.rules.isTemplates && object.has(key)) this.fail('a key that appears twice');
      object.set(key, value);
    } while (this.takes(','));
    if (!this.takes('}')) this.fail('neither a comma nor the end of an object');
    return object;
  }

  private array(depth: number): Json[] {
    const array: Json[] = [];
    this.skipSpace();
    if (this.takes(']')) return array;
    do {
      array.push(this.value(depth + 1));
    } while (this.takes(','));
    if (!this.takes(']')) this.fail('neither a comma nor the end of a list');
    return array;
  }

  /** A string, whose quote is behind the place. */
  private string(): string {
    let text = this.takePattern(PLAIN);
    while (!this.takes('"')) {
      if (!this.takes('\\')) this.fail('a string without an end, or with a control character');
      text += this.escape() + this.takePattern(PLAIN);
    }
    if (this.rules.isTemplates && !isWellFormed(text)) this.fail('half of a surrogate pair');
    return text;
  }

  private escape(): string {
    const sign = this.text.charAt(this.place++);
    const digits = this.text.slice(this.place, this.place + 4);
    if (sign === 'u' && HEX.test(digits)) {
      this.place += 4;
      return String.fromCharCode(parseInt(digits, 16));
    }
    return MEANINGS[sign] ?? this.fail('an unknown escape');
  }

  private number(): JsonNumber {
    const text = this.takePattern(NUMBER);
    const isWhole = !/[.eE]/.test(text);
    if (text === '') this.fail('a value that is none');
    if (isWhole && text.replace('-', '').length > MOST_DIGITS) {
      this.fail('a whole number with too many digits');
    }
    const number = new JsonNumber(text, isWhole);
    if (this.rules.isTemplates && !Number.isFinite(number.value)) {
      this.fail('a number beyond the range');
    }
    return number;
  }
}

/** Reads a value; a {@link ModelFileError} says what is wrong, and where. */
export function readJson(text: string, rules: JsonRules): Json {
  return new Reader(text, rules).read();
}

export function isObject(value: Json | undefined): value is JsonObject {
  return value instanceof Map;
}

/** The value of a key; undefined if there is none, or if that is no object. */
export function getJson(object: Json | undefined, key: string): Json | undefined {
  return isObject(object) ? object.get(key) : undefined;
}

/** A number, of whichever form; NaN if it is none. */
export function numberOf(value: Json | undefined): number {
  return value instanceof JsonNumber ? value.value : NaN;
}

/** A whole number within bounds; NaN if it is none. */
export function countOf(value: Json | undefined, least: number, most: number): number {
  if (!(value instanceof JsonNumber) || !value.isWhole) return NaN;
  return value.value >= least && value.value <= most ? value.value : NaN;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\f': '\\f',
  '\r': '\\r',
};

/** A string in the canonical form of docs/model-file.md. */
export function canonicalString(text: string): string {
  if (!isWellFormed(text)) {
    throw new ModelFileError('the manifest or a name cannot be written as JSON');
  }
  const escaped = text.replace(
    /["\\\u0000-\u001f]/g,
    (sign) =>
      ESCAPES[sign] ??
      (sign < ' ' ? `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}` : `\\${sign}`),
  );
  return `"${escaped}"`;
}

function canonicalNumber({ text, isWhole, value }: JsonNumber): string {
  const size = Math.abs(value);
  if (isWhole) {
    const digits = text.replace('-', '');
    const most = text === digits ? '18446744073709551615' : '9223372036854775808';
    if (digits.length > most.length || (digits.length === most.length && digits > most)) {
      throw new ModelFileError('the manifest has a whole number of more than 64 bits');
    }
    return value === 0 ? '0' : text;
  }
  if (!Number.isFinite(value)) return 'null';
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  if (size >= 1e16 || size < 1e-5) return value.toExponential();
  return Number.isInteger(value) ? `${value}.0` : `${value}`;
}

/** A value in the canonical form of docs/model-file.md. */
export function canonicalJson(value: Json): string {
  if (typeof value === 'string') return canonicalString(value);
  if (value instanceof JsonNumber) return canonicalNumber(value);
  if (isObject(value)) {
    const keys = [...value.keys()].sort(comparePoints);
    const members = keys.map((key) => `${canonicalString(key)}:${canonicalJson(value.get(key)!)}`);
    return `{${members.join(',')}}`;
  }
  return Array.isArray(value) ? `[${value.map(canonicalJson).join(',')}]` : String(value);
}
