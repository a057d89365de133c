/// <reference lib="esnext.disposable" preserve="true" />
/** The recogniser: text in, match out, by the core as WebAssembly. */

import { needLimit, needString } from '../arguments.js';
import { ClosedError } from '../errors.js';
import { readSource } from '../sources.js';
import type {
  Addition,
  Candidate,
  Explanation,
  Match,
  Matcher,
  Source,
  Templates,
  TemplateSet,
} from '../types.js';
import { OpenBot } from './bot.js';
import { Core } from './core.js';
import { asAddition, withAddition } from './edits.js';
import { explainText } from './explain.js';
import { loadModule, type RecognizerOptions } from './module.js';

const DEFAULT_LIMIT = 5;
const NAME = 'the name of an intent';

/**
 * Recognises the intents of texts by a bot file.
 *
 * ```js
 * const recognizer = await Recognizer.load('my_bot.safetensors');
 * recognizer.match('could you put the lights on').intent;
 * ```
 *
 * Half of a surrogate pair in a text separates words; in a name or a template it is an error.
 */
export class Recognizer implements Matcher {
  #bot: OpenBot | null;
  #intents: readonly string[] | null = null;

  private constructor(bot: OpenBot) {
    this.#bot = bot;
  }

  /**
   * Opens a bot file.
   *
   * @param bot - Its address, in Node its path, or its bytes; `pocketintent build` makes one.
   * @throws {LoadError} The file, or the WebAssembly module, cannot be had.
   * @throws {ModelFileError} It is no bot file, or a damaged or too new one.
   */
  static async load(bot: Source, options: RecognizerOptions = {}): Promise<Recognizer> {
    const [core, { bytes, name }] = await prepare(bot, options);
    return new Recognizer(new OpenBot(core, 'pintent_open_buffer', bytes, name));
  }

  /**
   * Makes a bot of a model and templates, as `pocketintent build` does.
   *
   * @param model - A model, or a bot file, whose model is taken.
   * @param templates - A template set, or its JSON.
   * @throws {TemplateError} The templates break the format.
   */
  static async fromTemplates(
    model: Source,
    templates: Templates | string,
    options: RecognizerOptions = {},
  ): Promise<Recognizer> {
    const [core, { bytes, name }] = await prepare(model, options);
    const bot = new OpenBot(core, 'pintent_open_model_buffer', bytes, name);
    const recognizer = new Recognizer(bot);
    try {
      recognizer.setTemplates(templates);
    } catch (error) {
      recognizer.close();
      throw error;
    }
    return recognizer;
  }

  match(text: string): Match {
    return this.#open.match(text);
  }

  rank(text: string, limit: number = DEFAULT_LIMIT): Candidate[] {
    const bot = this.#open;
    needLimit(limit);
    return bot.rank(text, limit);
  }

  read(text: string): string {
    return this.#open.read(text);
  }

  /** The sentence vector of a text, not corrected: unit length, or zeros if the model knows nothing
   * in it. */
  encode(text: string): Float32Array {
    return this.#open.encode(text);
  }

  /**
   * Matches a text and shows how much each of its words contributes to a score.
   *
   * @param intent - The intent whose score is explained, to see why it was not chosen; the nearest
   * if it is not given.
   */
  explain(text: string, intent?: string): Explanation {
    return explainText(this, text, intent ?? null);
  }

  get intents(): readonly string[] {
    const bot = this.#open;
    this.#intents ??= Object.freeze(bot.names());
    return this.#intents;
  }

  /** A copy of the template set, in its long form. Names that are whole numbers come first in it, as in every
   * object of JavaScript; {@link intents} has the order of the set. */
  get templates(): TemplateSet {
    return this.#open.templates();
  }

  get kind(): string {
    return this.#open.kind;
  }

  /** What computes the bot: `relaxed-simd`, `simd128`, or `plain`. */
  get instructions(): string {
    return this.#open.instructions;
  }

  /**
   * Adds an intent, or gives an intent templates, counter-examples or a threshold.
   *
   * @param name - The intent.
   * @param addition - Its templates, or an object; a new intent needs at least one template.
   * @throws {TemplateError} A name, text or threshold breaks the format. The bot is unchanged.
   */
  addIntent(name: string, addition: readonly string[] | Addition): void {
    const given = asAddition(addition);
    needString(name, NAME);
    this.#edit((core, bot, edited, message) =>
      withAddition(core, name, given, (place) =>
        core.call.pintent_add_intent(bot, place, edited, message),
      ),
    );
  }

  /**
   * Removes an intent with its texts.
   *
   * @throws {TemplateError} There is none of this name.
   */
  removeIntent(name: string): void {
    needString(name, NAME);
    this.#edit((core, bot, edited, message) =>
      core.withText(name, (place, size) =>
        core.call.pintent_remove_intent(bot, place, size, edited, message),
      ),
    );
  }

  /**
   * Replaces the template set. What was computed of texts that stay is kept.
   *
   * @param templates - A template set, or its JSON, in any form of a template file.
   * @throws {TemplateError} It breaks the format. The bot is unchanged.
   */
  setTemplates(templates: Templates | string): void {
    const isObject = typeof templates === 'object' && templates !== null;
    const json: unknown = isObject ? JSON.stringify(templates) : templates;
    needString(json, 'a template set that is no object');
    this.#edit((core, bot, edited, message) =>
      core.withText(json, (place, size) =>
        core.call.pintent_set_templates(bot, place, size, edited, message),
      ),
    );
  }

  /** The bytes of a bot file with this bot, which Python and the core open. */
  save(): Uint8Array<ArrayBuffer> {
    return this.#open.save();
  }

  /** Gives the memory back: to the next recogniser, or to the engine when it collects garbage. Every
   * later call throws. May be called again. */
  close(): void {
    this.#bot?.close();
    this.#bot = null;
    this.#intents = null;
  }

  get #open(): OpenBot {
    if (this.#bot === null) {
      throw new ClosedError('the recogniser was closed');
    }
    return this.#bot;
  }

  #edit(make: Parameters<OpenBot['edit']>[0]): void {
    this.#open.edit(make);
    this.#intents = null;
  }
}

export interface Recognizer extends Disposable {}

if (typeof Symbol.dispose === 'symbol') {
  Object.defineProperty(Recognizer.prototype, Symbol.dispose, {
    value: Recognizer.prototype.close,
  });
}

/** An instance of the core, and the content of a file, loaded at the same time. */
async function prepare(
  source: Source,
  options: RecognizerOptions,
): Promise<[Core, Awaited<ReturnType<typeof readSource>>]> {
  const [module, content] = await Promise.all([
    loadModule(options.wasm),
    readSource(source, options),
  ]);
  options.signal?.throwIfAborted();
  return [await Core.instantiate(module), content];
}
