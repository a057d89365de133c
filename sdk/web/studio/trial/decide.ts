/** From the score of a match to its intent: what the limits of a bot decide. */

import type { Match, Reason } from '../../src/types.js';
import type { Bot } from '../bot/bot.js';

/** The threshold of an intent, its own or that of the bot. */
export function thresholdOf(bot: Bot, name: string): number {
  return bot.intents.find((intent) => intent.name === name)?.threshold ?? bot.threshold;
}

/**
 * The match of the same text by a bot with the same texts and these limits. Scores do not depend on
 * limits, so that an edit of a limit needs no new fit.
 */
export function decideAgain(match: Match, bot: Bot): Match {
  const { nearest, score, margin } = match;
  if (nearest === null || match.reason === 'counter_example') return match;
  let reason: Reason | null = null;
  if (score < thresholdOf(bot, nearest)) reason = 'below_threshold';
  else if (margin !== null && margin < bot.margin) reason = 'ambiguous';
  return { ...match, reason, intent: reason ? null : nearest };
}
