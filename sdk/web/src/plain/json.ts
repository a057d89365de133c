/* JSON as the other readers of bot files read it: whole numbers are told from others, objects keep
 * the order of their keys, and repeated keys are seen. `JSON.parse` does none of these. */

import { ModelFileError } from '../errors.js';
import { comparePoints, isWellFormed } from './utf8.js';

/** A number, with its digits as they stand in the text. */
export class JsonNumber {
  readonly value: number;
  readonly isWhole: boolean;

  constructor(readonly text: string) {
    this.value = Number(text);
    this.isWhole = !/[.eE]/.test(text);
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

/** Reads a value; a {@link ModelFileError} says what is wrong, and where. */
export function readJson(text: string, { maxDepth, isTemplates }: JsonRules): Json {
  let place = 0;

  const fail = (what: string): never => {
    throw new ModelFileError(`${what} at character ${place}`);
  };

  const skipSpace = (): void => {
    while (' \t\n\r'.includes(text[place] ?? '.')) place++;
  };

  /** Steps over a sign if it is next. */
  const takes = (sign: string): boolean => {
    const isNext = text.startsWith(sign, place);
    if (isNext) place += sign.length;
    return isNext;
  };

  /** What a pattern finds at the place. */
  const takePattern = (pattern: RegExp): string => {
    pattern.lastIndex = place;
    const found = pattern.exec(text)?.[0] ?? '';
    place += found.length;
    return found;
  };

  const readEscape = (): string => {
    const sign = text.charAt(place++);
    const digits = text.slice(place, place + 4);
    if (sign === 'u' && HEX.test(digits)) {
      place += 4;
      return String.fromCharCode(parseInt(digits, 16));
    }
    return MEANINGS[sign] ?? fail('an unknown escape');
  };

  /** A string, whose quote is behind the place. */
  const readString = (): string => {
    let string = takePattern(PLAIN);
    while (!takes('"')) {
      if (!takes('\\')) fail('a string without an end, or with a control character');
      string += readEscape() + takePattern(PLAIN);
    }
    if (isTemplates && !isWellFormed(string)) fail('half of a surrogate pair');
    return string;
  };

  const readNumber = (): JsonNumber => {
    const number = new JsonNumber(takePattern(NUMBER));
    if (number.text === '') fail('a value that is none');
    if (number.isWhole && number.text.length > MOST_DIGITS) {
      fail('a whole number with too many digits');
    }
    if (isTemplates && !Number.isFinite(number.value)) fail('a number beyond the range');
    return number;
  };

  const readKey = (object: JsonObject): string => {
    skipSpace();
    if (!takes('"')) fail('a key that is no string');
    const key = readString();
    skipSpace();
    if (!takes(':')) fail('a key without a colon');
    if (!isTemplates && object.has(key)) fail('a key that appears twice');
    return key;
  };

  /** The members of an object or a list, up to its end. */
  const readMembers = (end: string, readMember: () => void): void => {
    skipSpace();
    if (takes(end)) return;
    do readMember();
    while (takes(','));
    if (!takes(end)) fail('neither a comma nor the end of a list or object');
  };

  const readBare = (depth: number): Json => {
    if (depth > maxDepth && '{['.includes(text[place] ?? '.')) fail('nested too deeply');
    if (takes('{')) {
      const object: JsonObject = new Map();
      readMembers('}', () => object.set(readKey(object), readValue(depth + 1)));
      return object;
    }
    if (takes('[')) {
      const list: Json[] = [];
      readMembers(']', () => list.push(readValue(depth + 1)));
      return list;
    }
    if (takes('"')) return readString();
    if (takes('null')) return null;
    if (takes('true')) return true;
    return takes('false') ? false : readNumber();
  };

  /** The value at the place, and the white space around it. */
  const readValue = (depth: number): Json => {
    skipSpace();
    const value = readBare(depth);
    skipSpace();
    return value;
  };

  const value = readValue(1);
  if (place < text.length) fail('more than one value');
  return value;
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
export function countOf(value: Json | undefined, most: number): number {
  const isCount = value instanceof JsonNumber && value.isWhole && value.value >= 0;
  return isCount && value.value <= most ? value.value : NaN;
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
