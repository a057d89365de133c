/** Sentences of users with the intent that each should get: docs/testing.md has the format. */

import type { Bot } from '../bot/bot.js';
import { closeMatch } from '../bot/close_match.js';
import { decodeText } from '../bot/decode.js';
import { FileProblem } from '../bot/forms.js';
import { compareTexts, listNames, shorten } from '../bot/messages.js';
import { wordsOf } from '../bot/tokens.js';
import { readTable } from './table.js';

export const LEAST_IN_SCOPE = 20;
export const LEAST_OUT_OF_SCOPE = 10;
export const SUBJECTS = ['own', 'other'] as const;

export interface Utterance {
  readonly text: string;
  /** Null if the bot should refuse it. */
  readonly intent: string | null;
  /** What a sentence without an intent is about, the bot's subject or another; null if unknown. */
  readonly subject: (typeof SUBJECTS)[number] | null;
  /** The line of the file, from 1. */
  readonly line: number;
}

/** A file of utterances that the author gave. */
export interface UtteranceFile {
  readonly name: string;
  readonly utterances: readonly Utterance[];
}

interface Fields {
  readonly line: number;
  readonly text: string;
  readonly intent: string | null;
  readonly subject: unknown;
}

/** Reads CSV, TSV or JSON lines; an error names file and line. */
export function readUtterances(bytes: Uint8Array, name: string): UtteranceFile {
  const text = decodeText(bytes, name);
  const suffix = /\.[^.]*$/.exec(name.toLowerCase())?.[0] ?? '';
  const isJson = { '.jsonl': true, '.json': true, '.csv': false, '.tsv': false }[suffix];
  const rows = (isJson ?? text.trimStart().startsWith('{')) ? readLines : readColumns;
  const utterances: Utterance[] = [];
  for (const { line, text: sentence, intent, subject } of rows(text, name)) {
    if (subject !== null && !isSubject(subject)) {
      const shown = typeof subject === 'string' ? shorten(subject) : JSON.stringify(subject);
      throw new FileProblem(
        `${name}, line ${line}: the subject ${shown} is neither own nor other, ` +
          "for an utterance on the bot's own subject or not; leave it empty if nobody knows",
      );
    }
    utterances.push({ line, text: sentence, intent, subject });
  }
  if (!utterances.length) {
    throw new FileProblem(
      `${name}: no utterances; write lines of {"text", "intent"}, or a table with the ` +
        'columns text and intent',
    );
  }
  return { name, utterances };
}

function isSubject(value: unknown): value is (typeof SUBJECTS)[number] {
  return (SUBJECTS as readonly unknown[]).includes(value);
}

function* readLines(text: string, name: string): Generator<Fields> {
  for (const [index, content] of text.split('\n').entries()) {
    if (!content.trim()) continue;
    const line = index + 1;
    const place = `${name}, line ${line}`;
    const { text: sentence, intent, subject } = parseObject(content, place);
    if (intent === undefined || !(intent === null || (typeof intent === 'string' && intent))) {
      const problem =
        intent === undefined ? 'but it is missing' : `found ${JSON.stringify(intent)}`;
      throw new FileProblem(
        `${place}: "intent" must be the name of an intent, or null for an utterance that ` +
          `belongs to none, ${problem}`,
      );
    }
    if (typeof sentence !== 'string') {
      const found = sentence === undefined ? 'nothing' : JSON.stringify(sentence);
      throw new FileProblem(`${place}: "text" must be a string, found ${found}`);
    }
    yield { line, text: sentence, intent: intent as string | null, subject: subject ?? null };
  }
}

function parseObject(content: string, place: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch (error) {
    const reason = (error as Error).message;
    throw new FileProblem(`${place}: not valid JSON (${reason}); write one object on each line`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new FileProblem(`${place}: this is not a JSON object; write one object on each line`);
  }
  return value as Record<string, unknown>;
}

function* readColumns(text: string, name: string): Generator<Fields> {
  let columns: { text: number; intent: number; subject: number; width: number } | undefined;
  for (const { line, fields } of readTable(text, name)) {
    const place = `${name}, line ${line}`;
    if (!columns) {
      const header = readHeader(fields, place);
      columns = header ?? { text: 0, intent: 1, subject: -1, width: 2 };
      if (header) continue;
    }
    if (fields.length !== columns.width) {
      const found = fields.length === 1 ? '1 field' : `${fields.length} fields`;
      throw new FileProblem(
        `${place}: ${found} instead of ${columns.width}; separate text and intent by a tab, a ` +
          'comma or a semicolon, quote a text that contains the separator, and leave the intent ' +
          'empty for an utterance that belongs to none',
      );
    }
    const intent = fields[columns.intent]!.trim() || null;
    const subject = fields[columns.subject]?.trim() || null;
    yield { line, text: fields[columns.text]!, intent, subject };
  }
}

function readHeader(fields: readonly string[], place: string) {
  const names = fields.map((field) => field.trim().toLowerCase());
  if (!names.includes('text') || !names.includes('intent')) return undefined;
  for (const name of ['text', 'intent', 'subject']) {
    if (names.indexOf(name) !== names.lastIndexOf(name)) {
      throw new FileProblem(`${place}: two columns are named ${name}; keep one`);
    }
  }
  const [text, intent, subject] = ['text', 'intent', 'subject'].map((name) => names.indexOf(name));
  return { text: text!, intent: intent!, subject: subject!, width: names.length };
}

/** A sentence for the first utterance whose intent the bot does not have; null if it has all. */
export function unknownIntent(file: UtteranceFile, bot: Bot, owner: string): string | null {
  const names = bot.intents.map((intent) => intent.name);
  const row = file.utterances.find(({ intent }) => intent !== null && !names.includes(intent));
  if (!row) return null;
  const near = closeMatch(row.intent!, names);
  const nearest = near === undefined ? '' : `the nearest name is ${shorten(near)}; `;
  const hint = names.length ? nearest : 'the file has no intents; ';
  const header = '; if this is a header, its columns must be named text and intent';
  return (
    `${file.name}, line ${row.line}: ${owner} has no intent ${shorten(row.intent!)}; ${hint}` +
    'correct the name, or leave the intent empty (null in JSON lines) if the utterance belongs to ' +
    `none${row.line === 1 ? header : ''}`
  );
}

/** What to know about utterances before their figures are believed, as Python says it. */
export function findWarnings(utterances: readonly Utterance[], bot: Bot): string[] {
  return [
    ...tooFew(utterances),
    ...untested(utterances, bot),
    ...withoutWords(utterances),
    ...contradictions(utterances),
    ...templatesAmong(utterances, bot),
  ];
}

function* tooFew(utterances: readonly Utterance[]): Generator<string> {
  const inside = utterances.filter(({ intent }) => intent !== null).length;
  const outside = utterances.length - inside;
  const are = (number: number) => (number === 1 ? 'is 1' : `are ${number}`);
  if (inside < LEAST_IN_SCOPE) {
    yield (
      `the choice of a threshold and a margin needs ${LEAST_IN_SCOPE} utterances with an ` +
      `intent, and there ${are(inside)}; add sentences of your users`
    );
  }
  if (outside < LEAST_OUT_OF_SCOPE) {
    yield (
      `the choice of a threshold and a margin needs ${LEAST_OUT_OF_SCOPE} utterances ` +
      `without an intent, and there ${are(outside)}; add sentences that the bot ` +
      'should refuse, with an empty intent (null in JSON lines)'
    );
  }
}

function* untested(utterances: readonly Utterance[], bot: Bot): Generator<string> {
  const tested = new Set(utterances.map(({ intent }) => intent));
  const names = bot.intents.map(({ name }) => name).filter((name) => !tested.has(name));
  if (names.length) yield `intents without an utterance: ${listNames(names)}`;
}

function* withoutWords(utterances: readonly Utterance[]): Generator<string> {
  const found = utterances.filter(({ text, intent }) => intent !== null && !wordsOf(text));
  if (found.length) {
    yield (
      `utterances with an intent but without a word: ${found.length}, such as ` +
      `${shorten(found[0]!.text)}; no bot can answer them, so remove them`
    );
  }
}

function* contradictions(utterances: readonly Utterance[]): Generator<string> {
  const intents = new Map<string, Set<string | null>>();
  for (const { text, intent } of utterances) {
    const words = wordsOf(text);
    if (words) intents.set(words, (intents.get(words) ?? new Set()).add(intent));
  }
  const several = [...intents].filter(([, names]) => names.size > 1);
  if (several.length) {
    const [words, given] = several[0]!;
    const names = [...given].map((name) => name ?? 'none').sort(compareTexts);
    yield (
      `utterances with more than one intent: ${several.length}, such as ` +
      `${shorten(words)} (${listNames(names)}); keep the right one`
    );
  }
}

function* templatesAmong(utterances: readonly Utterance[], bot: Bot): Generator<string> {
  const key = (words: string, intent: string | null) => JSON.stringify([words, intent]);
  const known = new Set(
    bot.intents.flatMap(({ name, templates }) => templates.map((text) => key(wordsOf(text), name))),
  );
  const found = utterances.filter(({ text, intent }) => known.has(key(wordsOf(text), intent)));
  if (found.length) {
    yield (
      `utterances that are templates of their intent: ${found.length}, such as ` +
      `${shorten(found[0]!.text)}; they test nothing, so remove them`
    );
  }
}
