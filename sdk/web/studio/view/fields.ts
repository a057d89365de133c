/** Fields for numbers within bounds, which may be empty. */

import { element, setAttributes } from './dom.js';

export function numberField(least: number, most: number): HTMLInputElement {
  const attributes = { type: 'number', min: least, max: most, step: 0.01, inputmode: 'decimal' };
  return element('input', attributes);
}

/** The number in a field, null if it is empty; undefined if it is none or beyond the bounds. */
export function readNumber(field: HTMLInputElement): number | null | undefined {
  const value = field.valueAsNumber;
  const isWhole = field.validity.badInput || field.validity.rangeUnderflow;
  const isWrong = isWhole || field.validity.rangeOverflow;
  setAttributes(field, { 'aria-invalid': isWrong && 'true' });
  if (isWrong) return undefined;
  return Number.isNaN(value) ? null : value;
}

/** Shows a number, unless the author is typing one that is not finished. */
export function showNumber(field: HTMLInputElement, value: number | null): void {
  const isTyping = document.activeElement === field;
  if (isTyping && (field.validity.badInput || field.valueAsNumber === value)) return;
  const text = value === null ? '' : String(value);
  if (field.value !== text) field.value = text;
}
