/* The templates of a bot file, in the long form of docs/templates.md, with all its checks. */

import { TemplateError } from '../errors.js';
import type { IntentTemplates, TemplateSet } from '../types.js';
import { check, within } from './checks.js';
import { getJson, isObject, numberOf, readJson, type Json, type JsonObject } from './json.js';
import { needTensor, type Tensors } from './tensors.js';
import { decodeUtf8 } from './utf8.js';

const DEPTH = 1024;
const KEYS = [
  '$schema',
  'language',
  'threshold',
  'margin',
  'learn_names',
  'intents',
  'none',
  'background',
];
const INTENT_KEYS = ['templates', 'except', 'threshold'];

/** White space, control characters, and what Unicode calls default ignorable. */
const BLANK =
  /^[\0-\x20\x7F-\xA0\xAD\u034F\u061C\u115F\u1160\u1680\u17B4\u17B5\u180B-\u180F\u2000-\u200F\u2028-\u202F\u205F-\u206F\u2800\u3000\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFFB\u{1BCA0}-\u{1BCA3}\u{1D173}-\u{1D17A}\u{E0000}-\u{E0FFF}]*$/u;

/** An intent with its settings. */
export interface Intent {
  readonly name: string;
  readonly templates: readonly string[];
  readonly except: readonly string[];
  /** Its own; undefined if that of the set counts. */
  readonly threshold: number | undefined;
}

/** A template set, with its intents in their order. */
export interface Templates {
  readonly intents: readonly Intent[];
  readonly none: readonly string[];
  readonly threshold: number;
  readonly margin: number;
  /** As users see it. */
  readonly set: TemplateSet;
}

function checkKeys(object: JsonObject, known: readonly string[], place: string): void {
  for (const key of object.keys()) {
    if (!known.includes(key)) throw new TemplateError(`${place}unknown key '${key}'`);
  }
}

/** A number within bounds; undefined if there is none under the key. */
function readLimit(
  object: JsonObject,
  key: string,
  least: number,
  most: number,
  place = '',
): number | undefined {
  const value = object.get(key);
  const limit = numberOf(value);
  if (value !== undefined && !(limit >= least && limit <= most)) {
    throw new TemplateError(`${place}'${key}' is not a number from ${least} to ${most}`);
  }
  return value === undefined ? undefined : limit;
}

function readTexts(list: Json | undefined, place: string): readonly string[] {
  if (!Array.isArray(list)) {
    throw new TemplateError(`${place}there is no list of texts`);
  }
  list.forEach((text: Json, n: number) => {
    if (typeof text !== 'string' || BLANK.test(text)) {
      throw new TemplateError(`${place}text ${n + 1} is no text, or empty, or invisible`);
    }
  });
  return list as string[];
}

/** A list that may be missing. */
function readList(object: JsonObject, key: string, place: string): readonly string[] {
  return object.has(key) ? readTexts(object.get(key), place) : [];
}

/** A text of the set itself that may be missing. */
function readText(form: JsonObject, key: string): string | undefined {
  const value = form.get(key) ?? undefined;
  if (value !== undefined && (typeof value !== 'string' || value === '')) {
    throw new TemplateError(`'${key}' is empty or no text`);
  }
  return value;
}

function readIntent(name: string, intent: Json): Intent {
  const place = `intent '${name}': `;
  if (BLANK.test(name)) {
    throw new TemplateError(`${place}the name is empty or invisible`);
  }
  if (!isObject(intent)) {
    throw new TemplateError(`${place}it is no object`);
  }
  checkKeys(intent, INTENT_KEYS, place);
  const templates = readTexts(intent.get('templates'), place);
  if (templates.length === 0) {
    throw new TemplateError(`${place}there are no templates`);
  }
  const except = readList(intent, 'except', place);
  return { name, templates, except, threshold: readLimit(intent, 'threshold', -1, 1, place) };
}

/** An object without the keys whose values are undefined or empty lists. */
function withoutEmpty<Value extends object>(object: Value): Value {
  return Object.fromEntries(
    Object.entries(object).filter(
      ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
    ),
  ) as Value;
}

function readForm(form: JsonObject, intents: JsonObject): Templates {
  checkKeys(form, KEYS, '');
  const learnNames = form.get('learn_names') ?? true;
  if (typeof learnNames !== 'boolean' || form.get('learn_names') === null) {
    throw new TemplateError("'learn_names' is not true or false");
  }
  const read = [...intents].map(([name, intent]) => readIntent(name, intent));
  const threshold = readLimit(form, 'threshold', -1, 1) ?? 0.5;
  const margin = readLimit(form, 'margin', 0, 2) ?? 0;
  const none = readList(form, 'none', "'none': ");
  const members = read.map(({ name, ...intent }): [string, IntentTemplates] => [
    name,
    withoutEmpty(intent as IntentTemplates),
  ]);
  const set = withoutEmpty({
    $schema: readText(form, '$schema'),
    language: readText(form, 'language'),
    threshold,
    margin,
    learn_names: learnNames ? undefined : false,
    intents: Object.fromEntries(members),
    none,
    background: readList(form, 'background', "'background': "),
  }) as TemplateSet;
  return { intents: read, none, threshold, margin, set };
}

/** Reads the tensor bot.templates. */
export function readTemplates(tensors: Tensors): Templates {
  const { bytes } = needTensor(tensors, 'bot.templates', 'U8', [-1]);

  const form = within('bot.templates is not JSON: ', () => {
    const text = decodeUtf8(bytes);
    check(text !== null, 'it is not UTF-8');
    return readJson(text, { maxDepth: DEPTH, isTemplates: true });
  });
  const intents = getJson(form, 'intents');
  check(isObject(form) && isObject(intents), 'bot.templates is not in the long form');
  return readForm(form, intents);
}
