/** Why a text got its score: how the score changes when each word is left out. */

import { PocketIntentError } from '../errors.js';
import type { Candidate, Explanation, Matcher, TemplateSet } from '../types.js';
import { tokenize, wordsOf } from './words.js';

/** Words of a text that are left out in turn; the others stay in the text. */
const MAX_WORDS = 64;

/** Matches a text, and scores it again without each of its words. */
export function explainText(bot: Matcher, text: string, intent: string | null): Explanation {
  const match = bot.match(text);
  const candidate = candidateOf(bot, text, intent);
  const read = bot.read(text);
  const counterExample =
    match.reason === 'counter_example' ? textWithWordsOf(bot.templates, read) : null;
  const words = candidate === null ? [] : wordsOf(read);
  const scoreOf = (given: readonly string[]) =>
    bot.rank(given.join(' '), Infinity).find((other) => other.intent === candidate?.intent)
      ?.score ?? 0;
  const score = scoreOf(words);
  const shares = words.slice(0, MAX_WORDS).map((word, place) => ({
    word,
    share: score - scoreOf(words.filter((_, other) => other !== place)),
  }));
  return { match, candidate, words: shares, counterExample };
}

/** The intent that is explained: the nearest if none is named. */
function candidateOf(bot: Matcher, text: string, intent: string | null): Candidate | null {
  const ranking = bot.rank(text, Infinity);
  const found = ranking.find((candidate) => intent === null || candidate.intent === intent);
  if (found === undefined && intent !== null) {
    if (ranking.length > 0 || !bot.intents.includes(intent)) {
      const known = [...bot.intents].sort().join(', ') || 'none';
      throw new PocketIntentError(`no intent '${intent}' can be explained; known: ${known}`);
    }
  }
  return found ?? null;
}

/** The first text of `none`, or counter-example, that has the tokens of a text. */
function textWithWordsOf(templates: TemplateSet, text: string): string | null {
  const key = tokenize(text).join(' ');
  const counterExamples = Object.values(templates.intents).flatMap((intent) => intent.except ?? []);
  const texts = [...(templates.none ?? []), ...counterExamples];
  return texts.find((other) => tokenize(other).join(' ') === key) ?? null;
}
