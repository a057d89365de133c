/** The threshold and the margin that utterances would choose: the rule of docs/testing.md. */

import type { Bot } from '../bot/bot.js';
import { type Answer, type Figures, countAnswers } from './answers.js';
import { decideAgain } from './decide.js';

export interface Limits {
  readonly threshold: number;
  readonly margin: number;
}

/** The limits chosen, with the figures of the answers as they are and as they would be. */
export interface Choice extends Limits {
  readonly before: Figures;
  readonly after: Figures;
}

/** Chooses limits; the current ones stay where the choice is measured to be worse. */
export function choose(answers: readonly Answer[], bot: Bot): Choice {
  const before = countAnswers(answers);
  const limits = chooseLimits(answers, bot);
  const decided = answers.map(({ utterance, match }) => ({
    utterance,
    match: decideAgain(match, { ...bot, ...limits }),
  }));
  const after = countAnswers(decided);
  if (answers.length && after.answeredRightly! < before.answeredRightly!) {
    return { threshold: bot.threshold, margin: bot.margin, before, after: before };
  }
  return { ...limits, before, after };
}

/**
 * The limits with which most utterances get the right answer, of all hundredths and the current
 * ones. Of equally good pairs the nearest to the current one wins: the sum of the two differences
 * is smallest, then the threshold, then the margin.
 */
export function chooseLimits(answers: readonly Answer[], bot: Bot): Limits {
  const thresholds = candidates(-100, 100, bot.threshold);
  const margins = candidates(0, 200, bot.margin);
  const gains = countGains(answers, bot, thresholds, margins);
  const most = gains.reduce((one, other) => Math.max(one, other));
  let best: Limits = bot;
  let leastDistance = Infinity;
  thresholds.forEach((threshold, row) =>
    margins.forEach((margin, column) => {
      const distance = Math.abs(threshold - bot.threshold) + Math.abs(margin - bot.margin);
      if (gains[row * margins.length + column] === most && distance < leastDistance) {
        [best, leastDistance] = [{ threshold, margin }, distance];
      }
    }),
  );
  return { threshold: best.threshold, margin: best.margin };
}

/** All hundredths from one to another, and the current value, ascending. */
function candidates(first: number, last: number, current: number): number[] {
  const hundredths = Array.from({ length: last - first + 1 }, (_, at) => (first + at) / 100);
  return [...new Set([...hundredths, current])].sort((one, other) => one - other);
}

/**
 * Utterances answered rightly by each pair of limits, less those without an intent that get one:
 * a table of thresholds by margins.
 */
function countGains(
  answers: readonly Answer[],
  bot: Bot,
  thresholds: readonly number[],
  margins: readonly number[],
): Int32Array {
  // passed[i, j]: what the answers gain that pass the first i thresholds and j margins alone.
  const width = margins.length + 1;
  const passed = new Int32Array((thresholds.length + 1) * width);
  const own = new Map(bot.intents.map((intent) => [intent.name, intent.threshold]));
  for (const answer of answers) {
    const { nearest, score, margin } = answer.match;
    const gain = gainIfAccepted(answer);
    if (nearest === null || !gain) continue;
    const limit = own.get(nearest) ?? null;
    const isAbove = limit !== null && score >= limit;
    const row = limit === null ? countUpTo(thresholds, score) : isAbove ? thresholds.length : 0;
    passed[row * width + countUpTo(margins, margin ?? Infinity)]! += gain;
  }
  for (let row = thresholds.length; row >= 0; row--) {
    for (let column = margins.length; column >= 0; column--) {
      const at = row * width + column;
      const below = row < thresholds.length ? passed[at + width]! : 0;
      const right = column < margins.length ? passed[at + 1]! : 0;
      const both = row < thresholds.length && column < margins.length ? passed[at + width + 1]! : 0;
      passed[at]! += below + right - both;
    }
  }
  const gains = new Int32Array(thresholds.length * margins.length);
  for (let row = 0; row < thresholds.length; row++) {
    const start = (row + 1) * width + 1;
    gains.set(passed.subarray(start, start + margins.length), row * margins.length);
  }
  return gains;
}

/** How many of ascending numbers are at most a number. */
function countUpTo(numbers: readonly number[], most: number): number {
  const at = numbers.findIndex((number) => number > most);
  return at < 0 ? numbers.length : at;
}

/** Right answers that accepting the nearest intent gains over refusing it, as limits can. */
function gainIfAccepted({ utterance, match }: Answer): number {
  if (match.reason === 'counter_example') return 0;
  if (utterance.intent === null) return -1;
  return match.nearest === utterance.intent ? 1 : 0;
}
