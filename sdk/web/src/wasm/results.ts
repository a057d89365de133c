/** Matches and rankings, read from the structures of the core. */

import type { Candidate, Match, Reason } from '../types.js';
import type { Core } from './core.js';

/** `sizeof(pintent_match)`, and of `pintent_candidate`, where a pointer has four bytes. */
export const MATCH_SIZE = 72;
export const CANDIDATE_SIZE = 24;

// Where the fields of a candidate, and after three texts and a score those of a match, are.
const TEMPLATE = 8;
const SCORE = 16;
const NEAREST = 8;
const RUNNER_UP = 32;
const MARGIN = 56;
const REASON = 64;
const HAS_RUNNER_UP = 68;

const REASONS: readonly (Reason | null)[] = [
  null,
  'counter_example',
  'below_threshold',
  'ambiguous',
  'unknown_words',
  'no_templates',
];

/** Names and templates of a bot by their addresses: each is decoded once. */
export class BotTexts {
  private readonly texts = new Map<number, string>();

  constructor(private readonly core: Core) {}

  /** The `pintent_text` at an address; null if there is none. */
  read(place: number): string | null {
    const data = this.core.number(place);
    if (data === 0) {
      return null;
    }
    let text = this.texts.get(data);
    if (text === undefined) {
      text = this.core.text(data, this.core.number(place + 4));
      this.texts.set(data, text);
    }
    return text;
  }
}

/** The `pintent_candidate` at an address. */
export function readCandidate(core: Core, texts: BotTexts, place: number): Candidate {
  return {
    intent: texts.read(place) ?? '',
    score: core.double(place + SCORE),
    template: texts.read(place + TEMPLATE) ?? '',
  };
}

/** The `pintent_match` at an address. */
export function readMatch(core: Core, texts: BotTexts, place: number): Match {
  const hasRunnerUp = core.number(place + HAS_RUNNER_UP) !== 0;
  return {
    intent: texts.read(place),
    score: core.double(place + NEAREST + SCORE),
    template: texts.read(place + NEAREST + TEMPLATE),
    nearest: texts.read(place + NEAREST),
    runnerUp: hasRunnerUp ? readCandidate(core, texts, place + RUNNER_UP) : null,
    margin: hasRunnerUp ? core.double(place + MARGIN) : null,
    reason: REASONS[core.number(place + REASON)] ?? null,
  };
}
