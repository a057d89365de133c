/** A list of texts that can be edited: each a line with what the checks say of it. */

import { isBlank, type TextList, textsOf, withAddedTexts, withTexts } from '../bot/bot.js';
import type { Finding } from '../bot/checks.js';
import type { Store } from '../store.js';
import { button, element, listen, setAttributes } from './dom.js';

interface Row {
  readonly item: HTMLLIElement;
  readonly input: HTMLInputElement;
  readonly remove: HTMLButtonElement;
  readonly note: HTMLParagraphElement;
}

/** How a list names its texts. */
export interface Nouns {
  /** "Template", which a number and the intent follow. */
  readonly one: string;
  /** "Add a template". */
  readonly add: string;
}

let lastId = 0;

/** The rows stay when texts change, so that the one that is typed in keeps the focus. */
export class TextRows {
  readonly element: HTMLElement;
  readonly #list = element('ol', { class: 'rows' });
  readonly #rows: Row[] = [];
  readonly #adder: HTMLInputElement;

  constructor(
    private readonly store: Store,
    private place: TextList,
    private readonly nouns: Nouns,
  ) {
    this.#adder = element('input', {
      type: 'text',
      class: 'adder',
      placeholder: `${nouns.add}…`,
      autocomplete: 'off',
      enterkeyhint: 'enter',
    });
    listen(this.#adder, {
      keydown: (event) => this.#onAdderKey(event as KeyboardEvent),
      change: () => this.#add([this.#adder.value]),
      paste: (event) => this.#onPaste(event as ClipboardEvent),
    });
    this.element = element('div', {}, this.#list, this.#adder);
  }

  /** Shows the texts of the list; `owner` is what the labels say they belong to. */
  update(place: TextList, owner: string, findings: readonly Finding[]): void {
    this.place = place;
    const texts = textsOf(this.store.bot, place);
    while (this.#rows.length > texts.length) this.#rows.pop()!.item.remove();
    while (this.#rows.length < texts.length) this.#rows.push(this.#makeRow(this.#rows.length));
    texts.forEach((text, index) => {
      const own = isBlank(text) ? [] : findings.filter((each) => each.place.text === index);
      showRow(this.#rows[index]!, text, `${this.nouns.one} ${index + 1} of ${owner}`, own);
    });
    setAttributes(this.#adder, { 'aria-label': `${this.nouns.add} to ${owner}` });
  }

  /** Puts the focus into a text. */
  focus(index: number): void {
    const row = this.#rows[index];
    row?.input.focus();
    row?.item.scrollIntoView({ block: 'nearest' });
  }

  #makeRow(index: number): Row {
    const id = `note-${++lastId}`;
    const input = element('input', { type: 'text', autocomplete: 'off', 'aria-describedby': id });
    const remove = button('×', () => this.#remove(index), { class: 'quiet icon' });
    const note = element('p', { id, class: 'note', hidden: true });
    const item = element('li', {}, element('div', { class: 'row' }, input, remove), note);
    listen(input, {
      input: () => this.#change(index, input.value),
      keydown: (event) => this.#onRowKey(event as KeyboardEvent, index),
      blur: () => this.#leave(index),
    });
    this.#list.append(item);
    return { item, input, remove, note };
  }

  #change(index: number, text: string): void {
    const texts = textsOf(this.store.bot, this.place).with(index, text);
    const { intent, list } = this.place;
    this.store.editBot(withTexts(this.store.bot, this.place, texts), `${intent} ${list} ${index}`);
  }

  #leave(index: number): void {
    this.store.endStep();
    const text = textsOf(this.store.bot, this.place)[index];
    if (text !== undefined && isBlank(text)) this.#remove(index, false);
  }

  #remove(index: number, keepsFocus = true): void {
    const texts = textsOf(this.store.bot, this.place).filter((_, at) => at !== index);
    this.store.editBot(withTexts(this.store.bot, this.place, texts));
    if (keepsFocus) (this.#rows[index]?.remove ?? this.#adder).focus();
  }

  #add(texts: readonly string[]): void {
    this.#adder.value = '';
    this.store.editBot(
      withAddedTexts(
        this.store.bot,
        this.place,
        texts.map((text) => text.trim()),
      ),
    );
  }

  #onRowKey(event: KeyboardEvent, index: number): void {
    const steps: Readonly<Record<string, number>> = { ArrowUp: -1, ArrowDown: 1, Enter: 1 };
    const step = event.isComposing ? undefined : steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    (this.#rows[index + step]?.input ?? (step > 0 ? this.#adder : null))?.focus();
  }

  #onAdderKey(event: KeyboardEvent): void {
    if (event.isComposing) return;
    if (event.key === 'Enter') {
      event.preventDefault();
      this.#add([this.#adder.value]);
    } else if (event.key === 'ArrowUp') {
      event.preventDefault();
      this.#rows.at(-1)?.input.focus();
    }
  }

  /** Several lines become several texts. */
  #onPaste(event: ClipboardEvent): void {
    const lines = (event.clipboardData?.getData('text') ?? '').split(/\r?\n/);
    if (lines.filter((line) => line.trim()).length < 2) return;
    event.preventDefault();
    this.#add(lines);
  }
}

function showRow(row: Row, text: string, label: string, findings: readonly Finding[]): void {
  if (row.input.value !== text) row.input.value = text;
  const sentence = findings.map((finding) => finding.note).join('. ');
  setAttributes(row.input, { 'aria-label': label });
  setAttributes(row.remove, { 'aria-label': `Remove ${label}`, title: 'Remove' });
  row.note.hidden = !sentence;
  if (row.note.textContent !== sentence) row.note.textContent = sentence;
}
