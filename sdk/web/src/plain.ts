/**
 * The recogniser in plain JavaScript, for pages and engines without WebAssembly: strict content
 * policies, React Native's Hermes. It opens bot files and matches; it does not edit.
 *
 * @packageDocumentation
 */

import { needLimit, needString } from './arguments.js';
import { ClosedError } from './errors.js';
import { Bot } from './plain/bot.js';
import { within } from './plain/checks.js';
import { bytesOf, loadBytes } from './plain/source.js';
import type { Candidate, LoadOptions, Match, Matcher, Source, TemplateSet } from './types.js';

export * from './errors.js';
export type * from './types.js';

/**
 * A recogniser in plain JavaScript. It runs the kinds `static`, `contextual` and `transformer`.
 *
 * Half of a surrogate pair in a text separates words, as in Python.
 */
export class PlainRecognizer implements Matcher {
  private bot: Bot | null;

  private constructor(bot: Bot) {
    this.bot = bot;
  }

  /**
   * Opens a bot file, which `pocketintent build` makes.
   *
   * @throws LoadError if it cannot be fetched or read.
   * @throws ModelFileError if it is no bot file, or a damaged or a too new one.
   * @throws TemplateError if its templates break the format.
   * @throws UnsupportedError if its model is of another kind.
   */
  static async load(bot: Source, options: LoadOptions = {}): Promise<PlainRecognizer> {
    const { bytes, name } = await loadBytes(bot, options);
    return within(`${name} cannot be used as a bot: `, () => new PlainRecognizer(new Bot(bytes)));
  }

  /** Opens the bytes of a bot file, of which it makes a copy; errors as of {@link load}. */
  static fromBytes(bytes: ArrayBuffer | ArrayBufferView): PlainRecognizer {
    const copy = bytesOf(bytes).slice();
    return within('the bytes cannot be used as a bot: ', () => new PlainRecognizer(new Bot(copy)));
  }

  private get open(): Bot {
    if (this.bot === null) throw new ClosedError('the recogniser was closed');
    return this.bot;
  }

  private openFor(text: string): Bot {
    const { open } = this;
    needString(text, 'a text');
    return open;
  }

  match(text: string): Match {
    return this.openFor(text).match(text);
  }

  rank(text: string, limit = 5): Candidate[] {
    const bot = this.openFor(text);
    needLimit(limit);
    return bot.rank(text, limit);
  }

  read(text: string): string {
    return this.openFor(text).read(text);
  }

  get intents(): readonly string[] {
    return this.open.templates.intents.map(({ name }) => name);
  }

  /** A copy of the template set, in its long form. */
  get templates(): TemplateSet {
    return JSON.parse(JSON.stringify(this.open.templates.set)) as TemplateSet;
  }

  get kind(): string {
    return this.open.kind;
  }

  close(): void {
    this.bot = null;
  }
}
