/** The document that is edited, with its past, and who is told when it changes. */

import type { Bot } from './bot/bot.js';
import { edit, endStep, type History, redo, startHistory, undo } from './bot/history.js';
import type { UtteranceFile } from './trial/utterances.js';

/** All that an edit can change, and undo can bring back. */
export interface Document {
  readonly bot: Bot;
  /** The author's utterances; null until a file is given. */
  readonly file: UtteranceFile | null;
}

type Listener = () => void;

/** How long a typing author pauses, in milliseconds, before the bot is fitted again. */
const PAUSE = 120;

export class Store {
  #history: History<Document>;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #changed: Listener[] = [];
  readonly #settled: Listener[] = [];

  constructor(history: History<Document>) {
    this.#history = history;
  }

  get history(): History<Document> {
    return this.#history;
  }

  get document(): Document {
    return this.#history.present;
  }

  get bot(): Bot {
    return this.#history.present.bot;
  }

  /** Calls a function after every change, before the page is drawn. */
  onChange(listener: Listener): void {
    this.#changed.push(listener);
  }

  /** Calls a function when the author pauses after changes. */
  onSettled(listener: Listener): void {
    this.#settled.push(listener);
  }

  /** Edits the bot; edits of one `subject` in a row, such as the typing of a text, are one step. */
  editBot(bot: Bot, subject: string | null = null): void {
    this.edit({ ...this.document, bot }, subject);
  }

  edit(document: Document, subject: string | null = null): void {
    const { bot, file } = this.document;
    if (document.bot === bot && document.file === file) return;
    this.#set(edit(this.#history, document, subject), subject === null ? 0 : PAUSE);
  }

  /** The next edit is a step of its own, whatever its subject. */
  endStep(): void {
    this.#history = endStep(this.#history);
  }

  undo(): void {
    this.#set(undo(this.#history), 0);
  }

  redo(): void {
    this.#set(redo(this.#history), 0);
  }

  /** Begins again with another document, without a past. */
  restart(document: Document): void {
    this.#set(startHistory(document), 0);
  }

  #set(history: History<Document>, pause: number): void {
    this.#history = history;
    this.#changed.forEach((listener) => listener());
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#settled.forEach((listener) => listener()), pause);
  }
}
