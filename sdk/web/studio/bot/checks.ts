/**
 * What `pocketintent templates check` says of a template set, at the line that it concerns: the
 * checks of texts, in the same sentences and the same order. The Python package explains them.
 */

import type { Bot, Intent } from './bot.js';
import { INTENT_KEYS, MAX_PROBLEMS, SET_KEYS, TEXT_LISTS } from './forms.js';
import { shorten } from './messages.js';
import { isNegated, negationsOf, wordsOf, wordsOfName } from './tokens.js';

/** Where a finding is shown. */
export interface Place {
  /** The position of an intent; null for the whole bot. */
  readonly intent: number | null;
  readonly list: 'templates' | 'except' | 'none' | 'background' | null;
  /** The position of a text in the list; null for the intent or the bot as a whole. */
  readonly text: number | null;
}

export interface Finding {
  readonly place: Place;
  readonly sentence: string;
  /** The finding without the words that say where it is, for a note at the place itself. */
  readonly note: string;
}

/** From the words of a text to what has these words. */
type Places = Map<string, string>;

function found(place: Place, subject: string, rest: string): Finding {
  const note = rest.charAt(0).toUpperCase() + rest.slice(1);
  return { place, sentence: subject ? `${subject} ${rest}` : rest, note };
}

const FOREIGN = /[{}[\]]|<[\p{L}\p{N}_]+>|\([^()]*\|[^()]*\)/u;
const WHOLE_BOT: Place = { intent: null, list: null, text: null };

/** Everything that makes recognition worse in a valid set, at most 100 findings. */
export function checkTemplates(bot: Bot): Finding[] {
  const findings: Finding[] = [];
  for (const finding of findAll(bot)) {
    findings.push(finding);
    if (findings.length === MAX_PROBLEMS) break;
  }
  return findings;
}

function* findAll(bot: Bot): Generator<Finding> {
  if (!bot.intents.length) yield found(WHOLE_BOT, '', 'the set has no intents');
  const places: Places = new Map();
  const names = namesByWords(bot);
  const negations = negationsOf(bot.language);
  for (const [at, intent] of bot.intents.entries()) {
    yield* checkIntent(intent, at);
    yield* checkName(intent, at, names);
    yield* checkTexts(intent, at, names, places);
    yield* checkNegatives(
      intent.except,
      { intent: at, list: 'except', text: null },
      `intent ${shorten(intent.name)}, counter-example`,
      ownWords(intent, names),
    );
    yield* checkNegations(intent, at, negations);
  }
  yield* checkForeignSyntax(bot);
  const taken: Places = new Map();
  for (const [words, name] of names) taken.set(words, `the name of intent ${shorten(name)}`);
  for (const [words, place] of places) taken.set(words, place);
  yield* checkNegatives(bot.none, { ...WHOLE_BOT, list: 'none' }, "'none', text", taken);
  yield* checkBackground(bot.background, places);
}

/** The first intent whose name has the words; none if the set does not learn names. */
function namesByWords(bot: Bot): Map<string, string> {
  const names = new Map<string, string>();
  for (const { name } of bot.learnNames ? bot.intents : []) {
    const words = wordsOf(wordsOfName(name));
    if (words && !names.has(words)) names.set(words, name);
  }
  return names;
}

function* checkIntent({ name, templates }: Intent, at: number): Generator<Finding> {
  const place = { intent: at, list: null, text: null };
  const subject = `intent ${shorten(name)}`;
  if (templates.length === 1) {
    const rest = 'has one template, for which other texts are easily taken; write 5 or more';
    yield found(place, subject, rest);
  }
  if (!/\p{L}/u.test(templates.join(''))) {
    const rest =
      'has no letter in any template; a text is recognised by its words, so add templates with words';
    yield found(place, subject, rest);
  }
  const likeAnyOther = `intent '${name}' is an intent like any other;`;
  if ((TEXT_LISTS as readonly string[]).includes(name)) {
    const rest = `a list of texts without an intent is the key '${name}' beside the key "intents"`;
    yield found(place, likeAnyOther, rest);
  } else if (SET_KEYS.includes(name) || INTENT_KEYS.includes(name)) {
    const rest =
      'if you mean the key of the format, ' +
      'write {"intents": {"lights_on": {"templates": ["turn on the lights"]}}}';
    yield found(place, likeAnyOther, rest);
  }
}

function* checkName({ name }: Intent, at: number, names: Places): Generator<Finding> {
  const other = names.get(wordsOf(wordsOfName(name)));
  if (other === undefined || other === name) return;
  const rest =
    `has the same words as that of intent ${shorten(other)}; ` +
    'names are learned from, so rename one of them';
  const place = { intent: at, list: null, text: null };
  yield found(place, `the name of intent ${shorten(name)}`, rest);
}

function* checkTexts(
  { name, templates }: Intent,
  at: number,
  names: Places,
  places: Places,
): Generator<Finding> {
  for (const [index, text] of templates.entries()) {
    const place: Place = { intent: at, list: 'templates', text: index };
    const where = `intent ${shorten(name)}, template ${index + 1} (${shorten(text)})`;
    const words = wordsOf(text);
    if (!words) yield found(place, where, 'has no word, so it never matches');
    else if (places.has(words)) {
      yield found(place, where, `has the same words as ${places.get(words)}; remove one of them`);
    } else places.set(words, where);
    const other = names.get(words);
    if (other !== undefined && other !== name) {
      yield found(place, where, `has the words of the name of intent ${shorten(other)}`);
    }
  }
}

/** What a counter-example of an intent must not have the words of. */
function ownWords({ name, templates }: Intent, names: Places): Places {
  const own: Places = new Map();
  const nameWords = wordsOf(wordsOfName(name));
  if (names.has(nameWords)) own.set(nameWords, "the intent's name");
  templates.forEach((text, index) =>
    own.set(wordsOf(text), `template ${index + 1} (${shorten(text)})`),
  );
  return own;
}

/** Checks counter-examples against the templates that they are negatives of, by their words. */
function* checkNegatives(
  texts: readonly string[],
  list: Place,
  where: string,
  templates: Places,
): Generator<Finding> {
  const places: Places = new Map();
  for (const [index, text] of texts.entries()) {
    const place = { ...list, text: index };
    const at = `${where} ${index + 1} (${shorten(text)})`;
    const words = wordsOf(text);
    if (!words) yield found(place, at, 'has no word, so it has no effect');
    else if (places.has(words)) {
      yield found(place, at, `has the same words as ${places.get(words)}`);
    } else if (templates.has(words)) {
      const rest =
        `has the same words as ${templates.get(words)}: both are learned from and ` +
        'pull against each other; remove or change one';
      yield found(place, at, rest);
    }
    if (!places.has(words)) places.set(words, at);
  }
}

/** Names the first negated template and counter-example of an intent that has both. */
function* checkNegations(
  { name, templates, except }: Intent,
  at: number,
  negations: ReadonlySet<string>,
): Generator<Finding> {
  const template = templates.find((text) => isNegated(text, negations));
  const negative = except.find((text) => isNegated(text, negations));
  if (template === undefined || negative === undefined) return;
  const rest =
    `has negated templates (${shorten(template)}) and negated ` +
    `counter-examples (${shorten(negative)}), so that its negated texts are told apart by ` +
    'their other words alone; write its templates without a negation if you can';
  yield found({ intent: at, list: null, text: null }, `intent ${shorten(name)}`, rest);
}

/** Names the first template with the slots or short forms of other tools. */
function* checkForeignSyntax(bot: Bot): Generator<Finding> {
  const texts = bot.intents.flatMap(({ name, templates }, intent) =>
    templates.flatMap((text, index) => (FOREIGN.test(text) ? [{ name, intent, text, index }] : [])),
  );
  const first = texts[0];
  if (!first) return;
  const { name, intent, text, index } = first;
  const more = texts.length > 1 ? ` (templates like it: ${texts.length})` : '';
  const rest =
    `has braces, brackets or alternatives${more}: slots and short forms of ` +
    'other tools are read as plain text; write each sentence out, with a word for a slot';
  const where = `intent ${shorten(name)}, template ${index + 1} (${shorten(text)})`;
  yield found({ intent, list: 'templates', text: index }, where, rest);
}

/** Names the first line with the words of a template; log lines may repeat each other. */
function* checkBackground(lines: readonly string[], templates: Places): Generator<Finding> {
  const texts = lines.flatMap((text, index) => (templates.has(wordsOf(text)) ? [index] : []));
  const first = texts[0];
  if (first === undefined) return;
  const text = lines[first]!;
  const more = texts.length > 1 ? `, and ${texts.length - 1} other lines are templates too` : '';
  const rest =
    `has the same words as ${templates.get(wordsOf(text))}${more}; ` +
    'background lines count as texts without an intent, so remove such lines';
  const where = `'background', text ${first + 1} (${shorten(text)})`;
  yield found({ intent: null, list: 'background', text: first }, where, rest);
}
