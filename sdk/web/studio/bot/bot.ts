/** The templates of a bot as the studio keeps them: never changed, each edit makes a new value. */

import type { IntentTemplates, TemplateSet } from '../../src/types.js';

export interface Intent {
  readonly name: string;
  readonly templates: readonly string[];
  readonly except: readonly string[];
  /** Null for the threshold of the bot. */
  readonly threshold: number | null;
}

export interface Bot {
  readonly schema: string | null;
  readonly language: string | null;
  readonly threshold: number;
  readonly margin: number;
  readonly learnNames: boolean;
  readonly intents: readonly Intent[];
  readonly none: readonly string[];
  readonly background: readonly string[];
}

/** A list of texts: of the intent at a position, or of the whole bot. */
export type TextList =
  | { readonly intent: number; readonly list: 'templates' | 'except' }
  | { readonly intent: null; readonly list: 'none' | 'background' };

export const EMPTY_BOT: Bot = {
  schema: null,
  language: null,
  threshold: 0.5,
  margin: 0,
  learnNames: true,
  intents: [],
  none: [],
  background: [],
};

// White space, control characters, and what Unicode calls default ignorable; as in the Python
// package, which refuses texts and names of these alone.
const VISIBLE = /[^\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]/u;

/** Whether a text has no visible character. */
export function isBlank(text: string): boolean {
  return !VISIBLE.test(text);
}

export function textsOf(bot: Bot, place: TextList): readonly string[] {
  return place.intent === null ? bot[place.list] : (bot.intents[place.intent]?.[place.list] ?? []);
}

export function withTexts(bot: Bot, place: TextList, texts: readonly string[]): Bot {
  if (place.intent === null) return { ...bot, [place.list]: texts };
  return withIntent(bot, place.intent, { [place.list]: texts });
}

/** Changes fields of the intent at a position. */
export function withIntent(bot: Bot, at: number, change: Partial<Intent>): Bot {
  const intents = bot.intents.map((intent, index) =>
    index === at ? { ...intent, ...change } : intent,
  );
  return { ...bot, intents };
}

export function withoutIntent(bot: Bot, at: number): Bot {
  return { ...bot, intents: bot.intents.filter((_, index) => index !== at) };
}

export function withNewIntent(bot: Bot, name: string, templates: readonly string[] = []): Bot {
  return { ...bot, intents: [...bot.intents, { name, templates, except: [], threshold: null }] };
}

/** Adds texts to a list, each unless the list has it already. */
export function withAddedTexts(bot: Bot, place: TextList, texts: readonly string[]): Bot {
  const known = textsOf(bot, place);
  const added = [...new Set(texts)].filter((text) => !isBlank(text) && !known.includes(text));
  return added.length ? withTexts(bot, place, [...known, ...added]) : bot;
}

export function findIntent(bot: Bot, name: string): number {
  return bot.intents.findIndex((intent) => intent.name === name);
}

/** What is wrong with a name for an intent; null if it can be used. */
export function nameProblem(bot: Bot, name: string, own: number | null = null): string | null {
  if (isBlank(name)) return 'Give the intent a name.';
  const at = findIntent(bot, name);
  return at >= 0 && at !== own ? `There is an intent ${name} already.` : null;
}

/**
 * The long form of a template file. What is being written is left out: blank texts, and intents
 * that have no template yet.
 */
export function toTemplateSet(bot: Bot): TemplateSet {
  const none = written(bot.none);
  const background = written(bot.background);
  const intents = bot.intents
    .map((intent) => [intent.name, toEntry(intent)] as const)
    .filter(([, entry]) => entry.templates.length);
  return {
    ...(bot.schema === null ? {} : { $schema: bot.schema }),
    ...(bot.language === null ? {} : { language: bot.language }),
    threshold: bot.threshold,
    margin: bot.margin,
    ...(bot.learnNames ? {} : { learn_names: false }),
    intents: Object.fromEntries(intents),
    ...(none.length ? { none } : {}),
    ...(background.length ? { background } : {}),
  };
}

function toEntry(intent: Intent): IntentTemplates {
  const except = written(intent.except);
  return {
    templates: written(intent.templates),
    ...(except.length ? { except } : {}),
    ...(intent.threshold === null ? {} : { threshold: intent.threshold }),
  };
}

function written(texts: readonly string[]): string[] {
  return texts.filter((text) => !isBlank(text));
}

/** The bot with default limits: bots that differ in their limits alone are equal then. */
export function withoutLimits(bot: Bot): Bot {
  const intents = bot.intents.map((intent) => ({ ...intent, threshold: null }));
  return { ...bot, threshold: EMPTY_BOT.threshold, margin: EMPTY_BOT.margin, intents };
}

/** The text of a template file. */
export function toJson(bot: Bot): string {
  return `${JSON.stringify(toTemplateSet(bot), null, 2)}\n`;
}
