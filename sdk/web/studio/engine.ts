/** The recogniser behind the page: in a worker, so that typing never waits for it. */

import { type Explanation, type LoadOptions, type Match, WorkerRecognizer } from '../src/worker.js';

/** How many texts of a table are matched before a text that was typed may have its turn. */
const AT_ONCE = 16;

/** What the recogniser makes of the text in the box. */
export interface Reading {
  readonly text: string;
  /** The text as it was matched, with its typing errors corrected. */
  readonly read: string;
  readonly explanation: Explanation;
}

export class Engine {
  /** Counts the fits, so that answers of an older bot can be told from those of this one. */
  version = 0;
  #next: string | null = null;
  #fitting: Promise<void> | null = null;
  /** What the worker was sent last, though it may not be fitted yet. */
  #sent: string;

  private constructor(
    readonly model: string,
    private readonly recognizer: WorkerRecognizer,
    public templates: string,
  ) {
    this.#sent = templates;
  }

  /** Opens a model, or the model of a bot file, with the templates of the page. */
  static async open(
    model: string,
    source: URL | Blob,
    templates: string,
    options: LoadOptions,
  ): Promise<Engine> {
    const recognizer = await WorkerRecognizer.fromTemplates(source, templates, options);
    return new Engine(model, recognizer, templates);
  }

  /**
   * Fits the bot to other templates, which are given without their limits: those are applied to the
   * matches, and so cost no fit. While one fit runs, only the last of the templates that are
   * given waits, so that the fits never fall behind the author.
   */
  async fit(templates: string): Promise<void> {
    this.#next = templates;
    this.#fitting ??= this.#fitAll().finally(() => (this.#fitting = null));
    await this.#fitting;
  }

  async #fitAll(): Promise<void> {
    while (this.#next !== null) {
      const templates = this.#next;
      this.#next = null;
      if (templates === this.templates) continue;
      await this.#send(templates);
      this.templates = templates;
      this.version++;
    }
  }

  async #send(templates: string): Promise<void> {
    const before = this.#sent;
    this.#sent = templates;
    try {
      await this.recognizer.setTemplates(templates);
    } catch (error) {
      if (this.#sent === templates) this.#sent = before;
      throw error;
    }
  }

  async read(text: string): Promise<Reading> {
    const [read, explanation] = await Promise.all([
      this.recognizer.read(text),
      this.recognizer.explain(text),
    ]);
    return { text, read, explanation };
  }

  /** Matches texts; null if the bot or the caller's wish changed before the last one. */
  async matchAll(texts: readonly string[], isWanted: () => boolean): Promise<Match[] | null> {
    const { version } = this;
    const matches: Match[] = [];
    for (let start = 0; start < texts.length; start += AT_ONCE) {
      const block = texts.slice(start, start + AT_ONCE);
      matches.push(...(await Promise.all(block.map((text) => this.recognizer.match(text)))));
      if (version !== this.version || !isWanted()) return null;
    }
    return matches;
  }

  /**
   * The bytes of a bot file with these templates and their limits. The worker answers in the order in
   * which it is asked: all is asked at once, so that no fit comes between, nor is undone by this.
   */
  async save(templates: string): Promise<Uint8Array<ArrayBuffer>> {
    const [, bytes] = await Promise.all([
      this.recognizer.setTemplates(templates),
      this.recognizer.save(),
      this.recognizer.setTemplates(this.#sent),
    ]);
    return bytes;
  }

  close(): void {
    this.recognizer.close();
  }
}
