/** A match in words. */

import type { Explanation, Match } from '../../src/types.js';
import type { Bot } from '../bot/bot.js';
import { thresholdOf } from './decide.js';

/** A number of at most two decimals. */
export function round(value: number): string {
  return String(Math.round(100 * value) / 100);
}

/** Why a text got its intent, or none. */
export function reasonInWords(bot: Bot, { match, counterExample }: Explanation): string {
  const { nearest, runnerUp, margin } = match;
  switch (match.reason) {
    case null:
      return runnerUp === null || bot.margin === 0
        ? `It reaches the threshold of ${round(thresholdOf(bot, match.intent!))}.`
        : `It reaches the threshold of ${round(thresholdOf(bot, match.intent!))} and leads by ` +
            `more than the margin of ${round(bot.margin)}.`;
    case 'counter_example':
      return `It has the words of “${counterExample ?? 'a counter-example'}”, a counter-example or a text without an intent.`;
    case 'below_threshold':
      return `${nearest} is nearest, and stays below its threshold of ${round(thresholdOf(bot, nearest!))}.`;
    case 'ambiguous':
      return (
        `${nearest} leads ${runnerUp!.intent} by ${round(margin!)} only; ` +
        `the margin asks for ${round(bot.margin)}.`
      );
    case 'unknown_words':
      return 'The model knows nothing in this text.';
    case 'no_templates':
      return 'The bot has no templates yet: add an intent and what people say for it.';
  }
}

/** A match as a sentence, which a screen reader says when the author pauses. */
export function summary(match: Match): string {
  const score = `${(100 * match.score).toFixed(0)} percent`;
  if (match.intent !== null) return `${match.intent}, ${score}`;
  return match.nearest === null ? 'no intent' : `no intent; nearest is ${match.nearest}, ${score}`;
}
