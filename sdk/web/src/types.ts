/** What recognisers take and return, in every entry of the package. */

/** Why a match has no intent. */
export type Reason =
  /** The text has the words of a counter-example of the nearest intent, or of a text in `none`. */
  | 'counter_example'
  /** The score is below the intent's threshold. */
  | 'below_threshold'
  /** The runner-up is closer than the margin. */
  | 'ambiguous'
  /** The model knows nothing in the text, for example because it is empty. */
  | 'unknown_words'
  /** The bot has no template that the model knows. */
  | 'no_templates';

/** An intent that a text could have. */
export interface Candidate {
  readonly intent: string;
  /** The probability that the text has the intent, 0..1; with the decisions `nearest` and
   * `nearest+centroid` its similarity to the intent, -1..1. */
  readonly score: number;
  /** The intent's template that is nearest to the text. */
  readonly template: string;
}

/** The answer for one text. */
export interface Match {
  /** The recognised intent; null if the match is refused, and `reason` then says why. */
  readonly intent: string | null;
  /** The score of the nearest intent; 0 if there is none. */
  readonly score: number;
  /** The nearest intent's template that is nearest to the text. */
  readonly template: string | null;
  /** The intent with the highest score, even if it was refused. */
  readonly nearest: string | null;
  /** The next intent; null if there is no other. */
  readonly runnerUp: Candidate | null;
  /** Score less the score of the runner-up, 0..2; null without a runner-up. */
  readonly margin: number | null;
  /** Why there is no intent; null if there is one. */
  readonly reason: Reason | null;
}

/** An intent of a template set: docs/templates.md. */
export interface IntentTemplates {
  readonly templates: readonly string[];
  /** Counter-examples: texts that resemble the intent and do not express it. */
  readonly except?: readonly string[];
  /** From which score on this intent is accepted, -1..1. */
  readonly threshold?: number;
}

/** A template set in its long form: docs/templates.md. */
export interface TemplateSet {
  readonly $schema?: string;
  readonly language?: string;
  readonly threshold?: number;
  readonly margin?: number;
  readonly learn_names?: boolean;
  readonly intents: Readonly<Record<string, IntentTemplates>>;
  readonly none?: readonly string[];
  readonly background?: readonly string[];
}

/** A template set in any of the forms of a template file. */
export type Templates =
  | TemplateSet
  | Readonly<Record<string, readonly string[]>>
  | Readonly<Record<string, readonly { readonly text: string }[]>>;

/** What an intent gets in an edit. */
export interface Addition {
  readonly templates?: readonly string[];
  readonly except?: readonly string[];
  /** Not given, or null, the intent keeps its own. */
  readonly threshold?: number | null;
}

/** Where a file is: an address, a path in Node, or its bytes. */
export type Source = string | URL | Request | Response | Blob | ArrayBuffer | ArrayBufferView;

/** How much of a file has arrived. */
export interface Progress {
  /** Bytes so far. */
  readonly loaded: number;
  /** Bytes in all; null if the server does not say, or compresses the file. */
  readonly total: number | null;
}

export interface LoadOptions {
  /** Called as the file arrives. */
  readonly onProgress?: (progress: Progress) => void;
  /** Ends the loading with its reason. */
  readonly signal?: AbortSignal;
}

/** What every recogniser does: of `pocketintent`, `pocketintent/inline` and `pocketintent/plain`. */
export interface Matcher {
  /** The intent of a text. */
  match(text: string): Match;
  /** The intents of a text from the best on, whatever the thresholds; `limit` is 5 if it is not given. */
  rank(text: string, limit?: number): Candidate[];
  /** The text as it is matched: itself, or its tokens with their typing errors corrected. */
  read(text: string): string;
  /** Names of the intents in the order of the template set. */
  readonly intents: readonly string[];
  /** The template set in its long form. */
  readonly templates: TemplateSet;
  /** The kind of the model, such as `transformer`. */
  readonly kind: string;
  /** Gives the memory back. Every later call throws. */
  close(): void;
}

/** A word of a text and its share in the score of an intent. */
export interface WordShare {
  /** The word in lower case, with its typing error corrected; what follows an apostrophe belongs to
   * the word before it: `don't`. */
  readonly word: string;
  /** How much lower the score of the intent is without the word; below 0, higher. */
  readonly share: number;
}

/** The match of a text, and what each word contributes to the score of an intent. */
export interface Explanation {
  readonly match: Match;
  /** The intent that is explained; null if no intent has a score. */
  readonly candidate: Candidate | null;
  /** The first 64 words in the order of the text; empty without a candidate. The shares do not add
   * up to the score: two words that say the same have a small share each. */
  readonly words: readonly WordShare[];
  /** The counter-example or text of `none` whose words the text has; null if there is none. */
  readonly counterExample: string | null;
}
