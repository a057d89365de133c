/** Template files: the three JSON forms of docs/templates.md, read with the errors of Python. */

import { type Bot, EMPTY_BOT, type Intent, isBlank } from './bot.js';
import { closeMatch } from './close_match.js';
import { quote, shorten } from './messages.js';

export const TEXT_LISTS = ['none', 'background'] as const;
export const SET_KEYS: readonly string[] = [
  ...['$schema', 'language', 'threshold', 'margin', 'learn_names', 'intents'],
  ...TEXT_LISTS,
];
export const INTENT_KEYS: readonly string[] = ['templates', 'except', 'threshold'];
export const MAX_PROBLEMS = 100;

const MAX_TYPO = 40;
const SURROGATE = /\p{Cs}/u;

type Json = Readonly<Record<string, unknown>>;

/** What is wrong with a file that the author opened; the message is for people. */
export class FileProblem extends Error {}

/** Reads the text of a template file; `source` names it in the message of a {@link FileProblem}. */
export function parseTemplates(text: string, source: string): Bot {
  const { bot, problems } = readForm(parseJson(text, source));
  if (!problems.length) return bot;
  const least = problems.length === MAX_PROBLEMS ? 'at least ' : '';
  const more = problems.length > 1 ? ` (problems in all: ${least}${problems.length})` : '';
  throw new FileProblem(`${source}: ${problems[0]}${more}`);
}

function parseJson(text: string, source: string): unknown {
  if (!text.trim()) {
    throw new FileProblem(`${source} is empty; write {"lights_on": ["turn on the lights"]}`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new FileProblem(
      `${source}: not JSON (${(error as Error).message}); names and texts stand in double quotes, ` +
        'with a comma between two of them and none after the last',
    );
  }
  const twice = repeatedKey(text);
  if (twice === undefined) return value;
  throw new FileProblem(`${source}: ${shorten(twice)} appears twice in one object; merge the two`);
}

/** A key that an object of valid JSON has twice: of two, `JSON.parse` would keep the last. */
function repeatedKey(json: string): string | undefined {
  const open: Set<string>[] = [];
  for (const [token, colon] of json.matchAll(/[{}]|"(?:[^"\\]|\\.)*"(?=\s*(:)?)/g)) {
    if (token === '{') open.push(new Set());
    else if (token === '}') open.pop();
    else if (colon) {
      const key = JSON.parse(token) as string;
      if (open.at(-1)!.has(key)) return key;
      open.at(-1)!.add(key);
    }
  }
  return undefined;
}

/** The bot of a decoded JSON value, which is whole if there are no problems. */
export function readForm(value: unknown): { bot: Bot; problems: string[] } {
  const reader = new Reader();
  let bot = EMPTY_BOT;
  if (!isObject(value)) {
    reader.report(`the top level is ${kindOf(value)}; write an object with intents`);
  } else {
    bot = isObject(value['intents']) ? reader.readLong(value) : reader.readShort(value);
  }
  return { bot, problems: reader.problems.slice(0, MAX_PROBLEMS) };
}

/** Reads the forms and lists their problems; a value with a problem is left out. */
class Reader {
  readonly problems: string[] = [];

  report(problem: string): void {
    this.problems.push(problem);
  }

  readLong(value: Json): Bot {
    this.#checkKeys(value, SET_KEYS, '');
    const schema = this.#string(value['$schema'], "'$schema'");
    const language = this.#string(value['language'], "'language'");
    const limit = (key: 'threshold' | 'margin', low: number, high: number): number =>
      (key in value ? this.#number(value[key], low, high, quote(key)) : null) ?? EMPTY_BOT[key];
    const threshold = limit('threshold', -1, 1);
    const margin = limit('margin', 0, 2);
    const learnNames = 'learn_names' in value ? value['learn_names'] : true;
    if (typeof learnNames !== 'boolean') {
      this.report(`'learn_names' is ${kindOf(learnNames)}; write true or false`);
    }
    const intents = Object.entries(value['intents'] as Json).map(([name, entry]) =>
      this.#intent(name, entry),
    );
    const [none, background] = TEXT_LISTS.map((key) =>
      key in value
        ? this.#texts(value[key], `'${key}' is ${kindOf(value[key])}`, `'${key}', text`)
        : [],
    );
    const limits = { threshold, margin, learnNames: learnNames === true };
    return { schema, language, ...limits, intents, none: none!, background: background! };
  }

  readShort(value: Json): Bot {
    const schema = this.#string(value['$schema'], "'$schema'");
    const intents: Intent[] = [];
    for (const [name, texts] of Object.entries(value)) {
      if (name === '$schema') continue;
      if (SET_KEYS.includes(name) && !Array.isArray(texts)) {
        this.report(
          `'${name}' is ${kindOf(texts)}; a set with settings has its intents in an ` +
            'object: {"intents": {"lights_on": {"templates": ["..."]}}}',
        );
        continue;
      }
      const templates = this.#templates(texts, this.#intentPlace(name), true);
      intents.push({ name, templates, except: [], threshold: null });
    }
    return { ...EMPTY_BOT, schema, intents };
  }

  #intent(name: string, entry: unknown): Intent {
    const place = this.#intentPlace(name);
    const none = { name, templates: [], except: [], threshold: null };
    if (!isObject(entry)) {
      this.report(`${place} is ${kindOf(entry)}; write {"templates": ["...", "..."]}`);
      return none;
    }
    this.#checkKeys(entry, INTENT_KEYS, `${place}: `);
    const templates = this.#templates(entry['templates'], place, false);
    const found = `${place}: 'except' is ${kindOf(entry['except'])}`;
    const negatives = `${place}, counter-example`;
    const except = 'except' in entry ? this.#texts(entry['except'], found, negatives) : [];
    const own = `${place}: 'threshold'`;
    const threshold = 'threshold' in entry ? this.#number(entry['threshold'], -1, 1, own) : null;
    return { name, templates, except, threshold };
  }

  #templates(value: unknown, place: string, objects: boolean): string[] {
    const isMissing = value === undefined || value === null;
    const found = isMissing ? 'no list of templates' : `${kindOf(value)} as templates`;
    if (Array.isArray(value) && !value.length) {
      this.report(`${place} has no templates; write at least one`);
    }
    return this.#texts(value, `${place} has ${found}`, `${place}, template`, objects);
  }

  #texts(value: unknown, found: string, place: string, objects = false): string[] {
    if (!Array.isArray(value)) {
      this.report(`${found}; write a list of texts: ["...", "..."]`);
      return [];
    }
    const texts: string[] = [];
    value.forEach((given: unknown, index) => {
      const at = `${place} ${index + 1}`;
      if (objects && isObject(given)) this.#checkKeys(given, ['text'], `${at}: `);
      const item = objects && isObject(given) ? given['text'] : given;
      if (typeof item !== 'string') this.report(`${at} is ${kindOf(item)}; write a text in quotes`);
      else if (isBlank(item)) {
        this.report(`${at} is empty or invisible; write a text, or remove it`);
      } else if (SURROGATE.test(item)) {
        this.report(`${at} contains half a surrogate pair; write the whole character`);
      } else texts.push(item);
    });
    return texts;
  }

  #intentPlace(name: string): string {
    const place = `intent ${shorten(name)}`;
    if (isBlank(name) || SURROGATE.test(name)) {
      this.report(`${place}: the name is empty, invisible or not valid text; give it a name`);
    }
    return place;
  }

  #number(value: unknown, low: number, high: number, place: string): number | null {
    if (typeof value === 'number' && low <= value && value <= high) return value;
    const shown = typeof value === 'number' ? shorten(value) : kindOf(value);
    this.report(`${place} is ${shown}; write a number from ${low} to ${high}`);
    return null;
  }

  #string(value: unknown, place: string): string | null {
    if (value === undefined || value === null) return null;
    if (typeof value === 'string' && value && !SURROGATE.test(value)) return value;
    const shown = typeof value === 'string' ? 'empty or not valid text' : kindOf(value);
    this.report(`${place} is ${shown}; write a text, or remove it`);
    return null;
  }

  #checkKeys(value: Json, known: readonly string[], place: string): void {
    for (const key of Object.keys(value).filter((each) => !known.includes(each))) {
      const near = closeMatch([...key].length <= MAX_TYPO ? key : '', known);
      const hint = near ? `did you mean '${near}'?` : `known keys: ${known.join(', ')}`;
      this.report(`${place}unknown key ${shorten(key)}; ${hint}`);
    }
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  const kinds = { string: 'a text', boolean: 'true or false', number: 'a number' };
  return kinds[typeof value as keyof typeof kinds] ?? 'an object';
}
