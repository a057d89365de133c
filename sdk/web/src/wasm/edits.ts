/** What an edit hands to the core: `pintent_addition`. */

import type { Addition } from '../types.js';
import type { Core } from './core.js';
import { encodeExactly } from './utf8.js';

const ADDITION_SIZE = 40;
const TEXT_SIZE = 8;

/** Calls a function with an addition in the memory of the core, which is freed after it. */
export function withAddition(
  core: Core,
  name: string,
  addition: Addition,
  use: (place: number) => number,
): number {
  const { templates = [], except = [] } = addition;
  const threshold = thresholdOf(addition);
  const texts = [name, ...listOf(templates), ...listOf(except)].map(encodeExactly);
  const start = ADDITION_SIZE + TEXT_SIZE * texts.length;
  const block = core.allocate(texts.reduce((size, text) => size + text.length, start));
  try {
    const { numbers, bytes } = core;
    let end = block + start;
    texts.forEach((text, place) => {
      // The name is in the addition itself, and the others in a list behind it.
      const entry = place === 0 ? block : block + ADDITION_SIZE + TEXT_SIZE * (place - 1);
      numbers.setUint32(entry, end, true);
      numbers.setUint32(entry + 4, text.length, true);
      bytes.set(text, end);
      end += text.length;
    });
    const list = block + ADDITION_SIZE;
    numbers.setUint32(block + 8, list, true);
    numbers.setUint32(block + 12, templates.length, true);
    numbers.setUint32(block + 16, list + TEXT_SIZE * templates.length, true);
    numbers.setUint32(block + 20, except.length, true);
    numbers.setFloat64(block + 24, threshold ?? 0, true);
    numbers.setInt32(block + 32, threshold === null ? 0 : 1, true);
    return use(block);
  } finally {
    core.call.free(block);
  }
}

/** What an intent gets, of what an edit was given. */
export function asAddition(given: readonly string[] | Addition): Addition {
  if (typeof given !== 'object' || given === null) {
    throw new TypeError('an intent gets an array of templates, or an object with its texts');
  }
  return 'length' in given ? { templates: given } : given;
}

/** The threshold of an addition; null keeps the one that the intent has. */
function thresholdOf({ threshold = null }: Addition): number | null {
  if (threshold !== null && typeof threshold !== 'number') {
    throw new TypeError(`a threshold must be a number, not ${typeof threshold}`);
  }
  return threshold;
}

function listOf(texts: readonly string[]): readonly string[] {
  if (!Array.isArray(texts) || !texts.every((text) => typeof text === 'string')) {
    throw new TypeError('the texts of an intent must be an array of strings');
  }
  return texts;
}
