/** What a bot makes of labelled utterances, in the figures of `pocketintent templates test`. */

import type { Match, Reason } from '../../src/types.js';
import { type Utterance, SUBJECTS } from './utterances.js';

export interface Answer {
  readonly utterance: Utterance;
  readonly match: Match;
}

/** Whether the utterance got its intent or, if it belongs to none, was refused. */
export function isRight({ utterance, match }: Answer): boolean {
  return match.intent === utterance.intent;
}

/** Shares of nothing are null. */
export interface Figures {
  readonly numInScope: number;
  readonly numOutOfScope: number;
  readonly accuracy: number | null;
  readonly accuracyWithoutThreshold: number | null;
  readonly wrong: number | null;
  readonly refused: number | null;
  readonly refusedByReason: Readonly<Partial<Record<Reason, number>>>;
  readonly outOfScopeAccepted: number | null;
  /** Null if no utterance says what it is about. */
  readonly outOfScopeBySubject: Readonly<
    Record<(typeof SUBJECTS)[number], { count: number; accepted: number | null }>
  > | null;
  readonly answeredRightly: number | null;
}

export function countAnswers(answers: readonly Answer[]): Figures {
  const inside = answers.filter(({ utterance }) => utterance.intent !== null);
  const outside = answers.filter(({ utterance }) => utterance.intent === null);
  const reasons = new Map<Reason, number>();
  for (const { match } of inside) {
    if (match.reason) reasons.set(match.reason, (reasons.get(match.reason) ?? 0) + 1);
  }
  const right = inside.filter(isRight).length;
  const nearestRight = inside.filter((a) => a.match.nearest === a.utterance.intent).length;
  const refused = [...reasons.values()].reduce((sum, number) => sum + number, 0);
  return {
    numInScope: inside.length,
    numOutOfScope: outside.length,
    accuracy: share(right, inside.length),
    accuracyWithoutThreshold: share(nearestRight, inside.length),
    wrong: share(inside.length - right - refused, inside.length),
    refused: share(refused, inside.length),
    refusedByReason: Object.fromEntries(
      [...reasons]
        .sort(([, one], [, other]) => other - one)
        .map(([reason, number]) => [reason, number / inside.length]),
    ),
    outOfScopeAccepted: accepted(outside),
    outOfScopeBySubject: bySubject(outside),
    answeredRightly: share(answers.filter(isRight).length, answers.length),
  };
}

function bySubject(outside: readonly Answer[]): Figures['outOfScopeBySubject'] {
  if (outside.every(({ utterance }) => utterance.subject === null)) return null;
  const [own, other] = SUBJECTS.map((subject) => {
    const answers = outside.filter(({ utterance }) => utterance.subject === subject);
    return { count: answers.length, accepted: accepted(answers) };
  });
  return { own: own!, other: other! };
}

function accepted(outside: readonly Answer[]): number | null {
  return share(outside.filter((answer) => !isRight(answer)).length, outside.length);
}

function share(part: number, whole: number): number | null {
  return whole ? part / whole : null;
}

/** An intent that was given in place of another; null stands for no intent. */
export interface Confusion {
  readonly expected: string | null;
  readonly given: string | null;
  readonly count: number;
}

/** The wrong answers by expected and given intent, the most frequent first. */
export function countConfusions(answers: readonly Answer[]): Confusion[] {
  const counts = new Map<string, Confusion>();
  for (const answer of answers) {
    if (isRight(answer)) continue;
    const { utterance, match } = answer;
    const key = JSON.stringify([utterance.intent, match.intent]);
    const before = counts.get(key)?.count ?? 0;
    counts.set(key, { expected: utterance.intent, given: match.intent, count: before + 1 });
  }
  return [...counts.values()].sort((one, other) => other.count - one.count);
}
