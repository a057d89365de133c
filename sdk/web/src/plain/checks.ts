/* How readers say what is wrong with a file. */

import { ModelFileError } from '../errors.js';
import { getJson, JsonNumber, type Json } from './json.js';

/** Throws a {@link ModelFileError} if a condition is not met. */
export function check(condition: boolean, message: string): asserts condition {
  if (!condition) throw new ModelFileError(message);
}

/** Runs a step; what is wrong in it is told with a beginning. */
export function within<Result>(start: string, step: () => Result): Result {
  try {
    return step();
  } catch (error) {
    if (error instanceof ModelFileError) error.message = start + error.message;
    throw error;
  }
}

/** A whole number of an object of the manifest, within bounds. */
export function needCount(
  object: Json | undefined,
  key: string,
  least: number,
  most = Number.MAX_SAFE_INTEGER,
): number {
  const value = getJson(object, key);
  check(
    value instanceof JsonNumber && value.isWhole && value.value >= least && value.value <= most,
    `'${key}' must be a whole number from ${least} to ${most}`,
  );
  return value.value;
}

/** A number of an object of the manifest, within bounds. */
export function needNumber(
  object: Json | undefined,
  key: string,
  least: number,
  most: number,
): number {
  const value = getJson(object, key);
  check(
    value instanceof JsonNumber && value.value >= least && value.value <= most,
    `'${key}' must be a number from ${least} to ${most}`,
  );
  return value.value;
}
