/** The text box and what the bot makes of its text, as one types. */

import type { WordShare } from '../../src/types.js';
import { findIntent, type Bot, withAddedTexts } from '../bot/bot.js';
import type { Engine, Reading } from '../engine.js';
import type { Store } from '../store.js';
import { decideAgain, thresholdOf } from '../trial/decide.js';
import { reasonInWords, summary } from '../trial/words.js';
import { button, byId, element, fill, listen, setText } from './dom.js';
import { Meter } from './meter.js';

/** How long the author pauses before a screen reader says the match, in milliseconds. */
const SAYING_PAUSE = 700;

export class TrialView {
  readonly #box = byId<HTMLTextAreaElement>('text');
  readonly #result = byId('result');
  readonly #said = byId('said');
  readonly #intent = element('p', { class: 'verdict' });
  readonly #reason = element('p', { class: 'reason' });
  readonly #meter = new Meter('Probability of the nearest intent');
  readonly #details = element('dl', { class: 'details' });
  readonly #words = element('ul', { class: 'words', 'aria-labelledby': 'words-title' });
  readonly #wordsTitle = element('p', { id: 'words-title', class: 'words-title hint' });
  readonly #adder: HTMLElement;
  readonly #choice = element('select');
  #engine: Engine | null = null;
  #isReading = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly store: Store,
    private readonly showTemplate: (intent: string, template: string) => void,
    onInput: () => void,
  ) {
    listen(this.#box, { input: () => (this.#ask(), onInput()) });
    this.#adder = element(
      'div',
      { class: 'teach' },
      element('label', {}, 'Add to', this.#choice),
      button('As a template', () => this.#teach('templates')),
      button('As a counter-example', () => this.#teach('except')),
    );
    fill(
      this.#result,
      this.#intent,
      this.#meter.element,
      this.#reason,
      this.#wordsTitle,
      this.#words,
      this.#details,
      this.#adder,
    );
  }

  get text(): string {
    return this.#box.value;
  }

  set text(text: string) {
    this.#box.value = text;
    this.#ask();
  }

  focus(): void {
    this.#box.focus();
    this.#box.scrollIntoView({ block: 'center' });
  }

  /** Asks the bot again, after it was fitted or replaced by another. */
  update(engine: Engine | null): void {
    this.#engine = engine;
    this.#ask();
  }

  /** Asks what the bot makes of the text; of texts that are typed meanwhile, the last is next. */
  #ask(): void {
    if (!this.text.trim()) this.#clear();
    else if (!this.#isReading) void this.#read();
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    let [engine, text, version] = [this.#engine, '', -1];
    while (this.#engine && this.text.trim()) {
      if (engine === this.#engine && text === this.text && version === engine.version) break;
      [engine, text, version] = [this.#engine, this.text, this.#engine.version];
      try {
        const reading = await engine.read(text);
        if (this.text.trim()) this.#show(reading, this.store.bot);
      } catch {
        break; // the engine was closed, or has told the page what is wrong
      }
    }
    this.#isReading = false;
  }

  #clear(): void {
    this.#result.hidden = true;
    setText(this.#said, '');
    clearTimeout(this.#timer);
  }

  #show({ text, read, explanation: found }: Reading, bot: Bot): void {
    const explanation = { ...found, match: decideAgain(found.match, bot) };
    const { match, words } = explanation;
    this.#result.hidden = false;
    this.#result.classList.toggle('refused', match.intent === null);
    setText(this.#intent, match.intent ?? 'No intent');
    setText(this.#reason, reasonInWords(bot, explanation));
    this.#meter.element.hidden = match.nearest === null;
    this.#meter.show(match.score, match.nearest === null ? null : thresholdOf(bot, match.nearest));
    this.#showWords(words, match.nearest);
    this.#showDetails({ text, read, explanation });
    this.#showChoice(bot, match.nearest);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => setText(this.#said, summary(match)), SAYING_PAUSE);
  }

  /** The words of the text, each shaded by what it contributes. */
  #showWords(words: readonly WordShare[], intent: string | null): void {
    const most = Math.max(0.05, ...words.map(({ share }) => Math.abs(share)));
    const items = words.map(({ word, share }) => {
      const strength = (Math.abs(share) / most).toFixed(2);
      const kind = share < -0.005 ? 'against' : 'for';
      const number = (100 * Math.abs(share)).toFixed(0);
      const points = number === '0' ? '0' : `${share < 0 ? '−' : '+'}${number}`;
      return element(
        'li',
        { class: kind, style: `--strength: ${strength}` },
        word,
        ' ',
        element('span', { class: 'share' }, points),
      );
    });
    this.#words.hidden = this.#wordsTitle.hidden = !items.length;
    setText(this.#wordsTitle, `What each word adds to the score of ${intent}, in points`);
    fill(this.#words, ...items);
  }

  #showDetails({ text, read, explanation: { match } }: Reading): void {
    const { nearest, template, runnerUp } = match;
    const rows: [string, Node | string][] = [];
    if (nearest !== null && template !== null) {
      if (match.intent === null) rows.push(['Nearest intent', nearest]);
      rows.push(['Nearest template', this.#link(nearest, template)]);
    }
    if (runnerUp) {
      const score = ` ${(100 * runnerUp.score).toFixed(1)}\u00a0%, by `;
      const link = this.#link(runnerUp.intent, runnerUp.template);
      rows.push(['Runner-up', element('span', {}, element('b', {}, runnerUp.intent), score, link)]);
    }
    if (read !== text) rows.push(['Read as', element('q', {}, read)]);
    fill(
      this.#details,
      ...rows.map(([term, value]) =>
        element('div', {}, element('dt', {}, term), element('dd', {}, value)),
      ),
    );
  }

  #link(intent: string, template: string): HTMLButtonElement {
    const label = `${template}: show this template of ${intent}`;
    const action = () => this.showTemplate(intent, template);
    return button(`“${template}”`, action, { class: 'link', 'aria-label': label });
  }

  /** The intents that the text may be added to; the nearest one is chosen at first. */
  #showChoice(bot: Bot, nearest: string | null): void {
    this.#adder.hidden = !bot.intents.length;
    const options = bot.intents.map(({ name }) => element('option', {}, name));
    fill(this.#choice, ...options);
    if (nearest !== null) this.#choice.value = nearest;
  }

  #teach(list: 'templates' | 'except'): void {
    const { bot } = this.store;
    const intent = findIntent(bot, this.#choice.value);
    if (intent >= 0) this.store.editBot(withAddedTexts(bot, { intent, list }, [this.text.trim()]));
  }
}
