/** Types of recognise.mjs, which recognises intents with an exported ONNX folder. */

/** What it needs of onnxruntime-web or onnxruntime-node: hand over the module. */
export interface OnnxRuntime {
  readonly InferenceSession: { create(content: Uint8Array): Promise<Session> };
  readonly Tensor: new (
    type: string,
    data: Float32Array | Int32Array,
    dims: number[],
  ) => unknown;
}

export interface Session {
  run(
    inputs: Record<string, unknown>,
  ): Promise<Record<string, { readonly data: ArrayLike<number> }>>;
}

/** Reads a file of the folder. */
export type ReadFile = (name: string) => Uint8Array | Promise<Uint8Array>;

export interface Candidate {
  intent: string;
  score: number;
  template: string;
}

/** The answer for one text: docs/recognition.md has the fields. */
export interface Match {
  intent: string | null;
  score: number;
  template: string | null;
  nearest: string | null;
  runner_up: Candidate | null;
  margin: number | null;
  reason:
    | "counter_example"
    | "below_threshold"
    | "ambiguous"
    | "unknown_words"
    | "no_templates"
    | null;
}

/** labels.json. */
export interface Labels {
  intents: {
    name: string;
    templates: string[];
    except: string[];
    threshold?: number | null;
  }[];
  none: string[];
  threshold: number;
  margin: number;
}

/** manifest.json: docs/export.md has the keys. */
export type Manifest = Record<string, any>;

/** An exported folder, ready to run. */
export class Recogniser {
  static load(ort: OnnxRuntime, read: ReadFile): Promise<Recogniser>;
  readonly labels: Labels;
  readonly inputs: Inputs;
  /** Returns the intent of a text, or null and the reason; calls may overlap. */
  recognise(text: string): Promise<Match>;
  /** Whether a text has the words of a counter-example of an intent, by its place. */
  isCounterExample(text: string, place: number): boolean;
}

/** Features of a text, under the names of conformance.jsonl. */
export interface Features {
  tokens?: string[];
  ids?: number[];
  weights?: number[];
  token_numbers?: number[];
  characters?: number[] | number[][];
  ngram_counts?: Float32Array;
  negation?: Float32Array;
}

/** Turns texts into features. */
export class Inputs {
  constructor(
    manifest: Manifest,
    vocabulary: string,
    labels: Labels,
    lostWords?: Uint8Array,
  );
  prepare(text: string): Features;
  /** Returns the tokens with their typing errors corrected. */
  correct(tokens: string[]): string[];
}

export function tokenize(text: string, maxChars?: number): string[];
export function wordPieces(
  words: string[],
  vocabulary: ReadonlyMap<string, unknown> | ReadonlySet<string>,
): string[];
export function readCharacters(
  text: string,
  characters: { max_chars: number; known: readonly string[] },
): number[];
export function ngramBuckets(
  word: string,
  ngrams: { min_n: number; max_n: number; num_buckets: number },
): number[];
export function oneEdit(word: string): Set<string>;
export function splitFilters(
  content: Uint8Array,
  sizes: readonly number[],
): Uint8Array[];
export function isLost(word: string, filters: readonly Uint8Array[]): boolean;
export function ownWords(labels: Labels): Map<string, number>;
export function countNgrams(
  tokens: readonly string[],
  ngrams: { min_n: number; max_n: number; num_buckets: number },
): Float32Array;
export function findNegation(
  tokens: readonly string[],
  negation: { words: readonly string[] },
): Float32Array;
export function checkManifest(manifest: Manifest): void;
export function decide(
  labels: Labels,
  scores: ArrayLike<number> & {
    every(is: (score: number) => boolean): boolean;
  },
  templates: ArrayLike<number>,
  isCounterExample: (place: number) => boolean,
): Match;
