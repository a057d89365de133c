/** The intents: each a section that opens to its name, threshold, templates and counter-examples. */

import {
  findIntent,
  type Intent,
  isBlank,
  nameProblem,
  withIntent,
  withNewIntent,
} from '../bot/bot.js';
import { withoutIntent } from '../bot/bot.js';
import type { Finding } from '../bot/checks.js';
import { count } from '../bot/messages.js';
import type { Store } from '../store.js';
import { button, element, fill, listen, setAttributes, setText } from './dom.js';
import { numberField, readNumber, showNumber } from './fields.js';
import { TextRows } from './rows.js';

const TEMPLATES = { one: 'Template', add: 'Add a template' };
const EXCEPTIONS = { one: 'Counter-example', add: 'Add a counter-example' };

/** The sections of all intents, and the field that adds one. */
export class IntentsView {
  readonly #sections: IntentSection[] = [];
  readonly #open = new Set<string>();
  #filter = '';

  constructor(
    private readonly store: Store,
    private readonly list: HTMLElement,
    form: HTMLFormElement,
    filter: HTMLInputElement,
  ) {
    const field = form.querySelector('input')!;
    const problem = form.querySelector('[role=alert]')!;
    listen(field, { input: () => setText(problem, '') });
    listen(form, {
      submit: (event) => {
        event.preventDefault();
        const name = field.value.trim();
        const wrong = nameProblem(store.bot, name);
        setText(problem, wrong ?? '');
        if (wrong !== null) return;
        field.value = '';
        this.#open.add(name);
        store.editBot(withNewIntent(store.bot, name));
        this.#sections.at(-1)?.focusTemplates();
      },
    });
    listen(filter, {
      input: () => {
        this.#filter = filter.value.trim().toLowerCase();
        this.#sections.forEach((section) => section.filter(this.#filter));
      },
    });
    this.#clearFilter = () => {
      filter.value = this.#filter = '';
    };
  }

  readonly #clearFilter: () => void;

  update(findings: readonly Finding[]): void {
    const { intents } = this.store.bot;
    while (this.#sections.length > intents.length) this.#sections.pop()!.element.remove();
    while (this.#sections.length < intents.length) {
      const section = new IntentSection(this.store, this.#sections.length, this.#open);
      this.#sections.push(section);
      this.list.append(section.element);
    }
    this.#sections.forEach((section, at) => {
      section.update(
        intents[at]!,
        findings.filter(({ place }) => place.intent === at),
      );
      section.filter(this.#filter);
    });
  }

  /** Opens an intent at a text and puts the focus there. */
  show(name: string, text: string): void {
    const at = findIntent(this.store.bot, name);
    const intent = this.store.bot.intents[at];
    if (!intent) return;
    this.#clearFilter();
    this.#open.add(name);
    this.#sections.forEach((section) => section.filter(''));
    this.#sections[at]!.open(intent.templates.indexOf(text));
  }
}

class IntentSection {
  readonly element: HTMLElement;
  readonly #toggle: HTMLButtonElement;
  readonly #name = element('span', { class: 'name' });
  readonly #summary = element('span', { class: 'summary' });
  readonly #badge = element('span', { class: 'badge', hidden: true });
  readonly #body: HTMLElement;
  #content: IntentContent | null = null;
  #intent: Intent | null = null;
  #findings: readonly Finding[] = [];

  constructor(
    private readonly store: Store,
    private readonly at: number,
    private readonly opened: Set<string>,
  ) {
    const id = `intent-${at}`;
    this.#body = element('div', { id, class: 'body', hidden: true });
    this.#toggle = button('', () => this.#flip(), { class: 'toggle', 'aria-controls': id });
    fill(this.#toggle, this.#name, this.#summary, this.#badge);
    this.element = element('li', { class: 'intent' }, element('h3', {}, this.#toggle), this.#body);
  }

  update(intent: Intent, findings: readonly Finding[]): void {
    this.#intent = intent;
    this.#findings = isNew(intent) ? [] : findings;
    setText(this.#name, intent.name);
    const parts = [count(intent.templates.length, 'template')];
    if (intent.except.length) parts.push(count(intent.except.length, 'counter-example'));
    if (intent.threshold !== null) parts.push(`threshold ${intent.threshold}`);
    setText(this.#summary, parts.join(', '));
    const number = this.#findings.length;
    this.#badge.hidden = !number;
    setText(this.#badge, count(number, 'note'));
    this.#draw();
  }

  /** Hides the section unless its name or one of its texts has the words that are looked for. */
  filter(words: string): void {
    const { name, templates, except } = this.#intent!;
    const texts = words ? [name, ...templates, ...except] : [''];
    this.element.hidden = !texts.some((text) => text.toLowerCase().includes(words));
  }

  open(template: number): void {
    this.#draw();
    if (template >= 0) this.#content!.templates.focus(template);
    else this.#toggle.focus();
  }

  focusTemplates(): void {
    this.#content?.focusAdder();
  }

  #flip(): void {
    const { name } = this.#intent!;
    if (!this.opened.delete(name)) this.opened.add(name);
    this.#draw();
  }

  /** An intent that is closed has no rows, so that a bot of hundreds is quick to draw. */
  #draw(): void {
    const intent = this.#intent!;
    const isOpen = this.opened.has(intent.name);
    setAttributes(this.#toggle, { 'aria-expanded': String(isOpen) });
    this.#body.hidden = !isOpen;
    if (!isOpen) return;
    this.#content ??= new IntentContent(this.store, this.at, this.#body, (from, to) => {
      if (this.opened.delete(from)) this.opened.add(to);
    });
    this.#content.update(intent, this.#findings);
  }
}

/** An intent whose first template is still to be written; the checks can wait for it. */
function isNew({ templates }: Intent): boolean {
  return templates.every(isBlank);
}

class IntentContent {
  readonly templates: TextRows;
  readonly #except: TextRows;
  readonly #name = element('input', { type: 'text', autocomplete: 'off', spellcheck: 'false' });
  readonly #problem = element('p', { class: 'problem', role: 'alert' });
  readonly #threshold = numberField(-1, 1);
  readonly #notes = element('ul', { class: 'notes' });
  readonly #adderHost: HTMLElement;

  constructor(
    private readonly store: Store,
    private readonly at: number,
    body: HTMLElement,
    private readonly onRename: (from: string, to: string) => void,
  ) {
    this.templates = new TextRows(store, { intent: at, list: 'templates' }, TEMPLATES);
    this.#except = new TextRows(store, { intent: at, list: 'except' }, EXCEPTIONS);
    listen(this.#name, { change: () => this.#rename() });
    listen(this.#name, { keydown: (event) => this.#onNameKey(event as KeyboardEvent) });
    listen(this.#threshold, { input: () => this.#setThreshold() });
    listen(this.#threshold, { blur: () => store.endStep() });
    this.#adderHost = this.templates.element;
    body.append(
      this.#notes,
      element('h4', {}, 'Templates'),
      this.templates.element,
      element('h4', {}, 'Counter-examples'),
      element('p', { class: 'hint' }, 'Texts that resemble the intent and do not express it.'),
      this.#except.element,
      element(
        'div',
        { class: 'fields' },
        element('label', {}, 'Name', this.#name),
        element('label', {}, 'Threshold', this.#threshold),
        button('Remove intent', () => this.#remove(), { class: 'danger' }),
      ),
      this.#problem,
    );
  }

  update(intent: Intent, findings: readonly Finding[]): void {
    const { name } = intent;
    const general = findings.filter(({ place }) => place.list === null);
    fill(this.#notes, ...general.map(({ note }) => element('li', { class: 'note' }, note)));
    const of = (list: string) => findings.filter(({ place }) => place.list === list);
    this.templates.update({ intent: this.at, list: 'templates' }, name, of('templates'));
    this.#except.update({ intent: this.at, list: 'except' }, name, of('except'));
    if (document.activeElement !== this.#name) this.#name.value = name;
    showNumber(this.#threshold, intent.threshold);
    this.#threshold.placeholder = `${this.store.bot.threshold} (the bot's)`;
  }

  focusAdder(): void {
    this.#adderHost.querySelector<HTMLInputElement>('.adder')?.focus();
  }

  #onNameKey(event: KeyboardEvent): void {
    if (event.key === 'Enter') this.#name.blur();
  }

  #rename(): void {
    const { bot, document: current } = this.store;
    const before = bot.intents[this.at]!.name;
    const name = this.#name.value.trim();
    const wrong = name === before ? null : nameProblem(bot, name, this.at);
    setText(this.#problem, wrong ?? '');
    setAttributes(this.#name, { 'aria-invalid': wrong !== null && 'true' });
    if (wrong !== null || name === before) return;
    this.onRename(before, name);
    // The utterances of the intent stay with it.
    const file = current.file && {
      ...current.file,
      utterances: current.file.utterances.map((utterance) =>
        utterance.intent === before ? { ...utterance, intent: name } : utterance,
      ),
    };
    this.store.edit({ bot: withIntent(bot, this.at, { name }), file });
  }

  #setThreshold(): void {
    const threshold = readNumber(this.#threshold);
    if (threshold === undefined) return;
    this.store.editBot(withIntent(this.store.bot, this.at, { threshold }), `${this.at} threshold`);
  }

  #remove(): void {
    this.store.editBot(withoutIntent(this.store.bot, this.at));
    document.querySelectorAll<HTMLElement>('.intent .toggle')[this.at]?.focus();
  }
}
