/** A probability as a bar, with a mark at the threshold. */

import { element, fill, setAttributes } from './dom.js';

export class Meter {
  readonly element = element('div', { class: 'meter' });
  readonly #bar = element('div', {
    class: 'bar',
    role: 'meter',
    'aria-valuemin': 0,
    'aria-valuemax': 1,
  });
  readonly #level = element('div', { class: 'level' });
  readonly #mark = element('div', { class: 'mark', hidden: true });
  readonly #number = element('span', { class: 'number' });

  constructor(label: string) {
    setAttributes(this.#bar, { 'aria-label': label });
    fill(this.#bar, this.#level, this.#mark);
    fill(this.element, this.#bar, this.#number);
  }

  show(score: number, threshold: number | null): void {
    const part = Math.min(Math.max(score, 0), 1);
    this.#level.style.inlineSize = `${100 * part}%`;
    this.#mark.hidden = threshold === null;
    this.#mark.style.insetInlineStart = `${100 * Math.min(Math.max(threshold ?? 0, 0), 1)}%`;
    this.element.classList.toggle('below', threshold !== null && score < threshold);
    this.#number.textContent = `${(100 * score).toFixed(1)}\u00a0%`;
    const limit = threshold === null ? '' : `, threshold ${(100 * threshold).toFixed(0)} percent`;
    setAttributes(this.#bar, {
      'aria-valuenow': part.toFixed(3),
      'aria-valuetext': `${(100 * score).toFixed(1)} percent${limit}`,
    });
  }
}
