/* An open bot file: how a text is read and scored. */

import type { Candidate, Match, Reason } from '../types.js';
import { check } from './checks.js';
import { Corrector, findOwnWords } from './correction.js';
import { readDecision, type Decision, type Hit } from './decision.js';
import { readEncoder } from './encoders.js';
import { getJson } from './json.js';
import { checkVersion, readModelFile } from './model_file.js';
import { needObject, type Encoder } from './table.js';
import { TemplateRows } from './template_rows.js';
import { readTemplates, type Templates } from './templates.js';
import { tokenize, Tokens } from './tokenizer.js';
import { fnv } from './words.js';

const FEED = Uint8Array.of(10);

/** The tokens of a counter-example, and the intents that it refuses. */
interface Refusal {
  readonly tokens: string;
  readonly intents: Set<number>;
}

/** The hash of tokens with a line feed, which no token contains, behind each. */
function hashTokens({ bytes, starts, count }: Tokens): number {
  let hash = fnv(FEED, 0, 0);
  for (let n = 0; n < count; n++) {
    hash = fnv(FEED, 0, 1, fnv(bytes, starts[n]!, starts[n + 1]!, hash));
  }
  return hash | 0;
}

export class Bot {
  readonly kind: string;
  readonly templates: Templates;
  private readonly encoder: Encoder;
  private readonly index: TemplateRows;
  private readonly decision: Decision;
  private readonly corrector: Corrector | null;
  private readonly tokens = new Tokens();
  /** Texts that have no intent, or not all of them, by their hash. */
  private readonly refusals = new Map<number, Refusal[]>();

  /** Opens the bytes of a bot file, which stay in use. */
  constructor(bytes: Uint8Array) {
    const file = readModelFile(bytes);
    const { manifest, tensors } = file;
    const entry = manifest.get('bot');
    check(
      entry !== undefined,
      'it is a model without templates; make a bot file of it by `pocketintent build`',
    );
    checkVersion(entry, 'version', 'the bot');
    this.kind = String(manifest.get('kind'));
    this.templates = readTemplates(tensors);
    this.encoder = readEncoder(file);
    const { table } = this.encoder;
    const corrects = getJson(entry, 'correct');
    check(
      corrects === undefined || typeof corrects === 'boolean',
      "the bot's correct must be true or false",
    );
    this.index = new TemplateRows(tensors, needObject(entry, 'index'), this.templates, table.dim);
    this.decision = readDecision(tensors, needObject(entry, 'decision'), this.index, table);
    this.addRefusals();
    this.corrector =
      corrects !== false && table.canCorrect
        ? new Corrector(table.vocabulary, this.findOwnWords(), new Tokens())
        : null;
  }

  private addRefusals(): void {
    const { intents, none } = this.templates;
    for (const text of none) intents.forEach((_, intent) => this.addRefusal(text, intent));
    intents.forEach(({ except }, intent) => {
      for (const text of except) this.addRefusal(text, intent);
    });
  }

  private addRefusal(text: string, intent: number): void {
    tokenize(text, this.tokens);
    const tokens = this.tokens.toStrings().join('\n');
    if (tokens === '') return;
    const hash = hashTokens(this.tokens);
    const others = this.refusals.get(hash) ?? [];
    this.refusals.set(hash, others);
    const same = others.find((refusal) => refusal.tokens === tokens);
    if (same === undefined) others.push({ tokens, intents: new Set([intent]) });
    else same.intents.add(intent);
  }

  private findOwnWords() {
    const { intents, none } = this.templates;
    const texts = this.index.known.flatMap(({ intent, templates }) => [
      ...templates,
      ...intents[intent]!.except,
    ]);
    return findOwnWords([...texts, ...none], this.tokens);
  }

  /** Tokenises a text; the text itself, or that of its corrected tokens. */
  read(text: string): string {
    tokenize(text, this.tokens);
    return this.corrector === null ? text : this.corrector.correct(text, this.tokens);
  }

  /** Reads a text, and scores the intents; its vector, or why there are no scores. */
  private score(text: string): Float32Array | Reason {
    this.read(text);
    if (this.index.known.length === 0) return 'no_templates';
    const vector = this.encoder.encode(this.tokens);
    if (vector.every((number) => number === 0)) return 'unknown_words';
    this.decision.read(this.tokens, vector);
    return vector;
  }

  private candidateOf({ known, score, template }: Hit): Candidate {
    const { intent, templates } = this.index.known[known]!;
    return { intent: this.templates.intents[intent]!.name, score, template: templates[template]! };
  }

  match(text: string): Match {
    const vector = this.score(text);
    if (typeof vector === 'string') {
      return {
        intent: null,
        score: 0,
        template: null,
        nearest: null,
        runnerUp: null,
        margin: null,
        reason: vector,
      };
    }
    const best = this.decision.takeBest(vector);
    const { intent: nearest, score, template } = this.candidateOf(best);
    const hasNext = this.index.known.length > 1;
    const runnerUp = hasNext ? this.candidateOf(this.decision.takeBest(vector)) : null;
    const margin = runnerUp === null ? null : score - runnerUp.score;
    const reason = this.reasonOf(this.index.known[best.known]!.intent, score, margin);
    const intent = reason === null ? nearest : null;
    return { intent, score, template, nearest, runnerUp, margin, reason };
  }

  /** Why the nearest intent is refused; null if it is not. */
  private reasonOf(intent: number, score: number, margin: number | null): Reason | null {
    const { intents, threshold, margin: least } = this.templates;
    if (this.isCounterExample(intent)) return 'counter_example';
    if (score < (intents[intent]!.threshold ?? threshold)) return 'below_threshold';
    return margin !== null && margin < least ? 'ambiguous' : null;
  }

  /** Whether the tokens of the text are those of a counter-example of an intent. */
  private isCounterExample(intent: number): boolean {
    if (this.tokens.count === 0 || this.refusals.size === 0) return false;
    const refusals = this.refusals.get(hashTokens(this.tokens));
    const tokens = refusals && this.tokens.toStrings().join('\n');
    return refusals?.some((each) => each.tokens === tokens && each.intents.has(intent)) ?? false;
  }

  rank(text: string, limit: number): Candidate[] {
    const vector = this.score(text);
    if (typeof vector === 'string') return [];
    const count = Math.min(limit, this.index.known.length);
    return Array.from({ length: count }, () => this.candidateOf(this.decision.takeBest(vector)));
  }
}
