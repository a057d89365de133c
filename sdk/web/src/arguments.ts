/** What every entry says of arguments that are none. */

/** Throws a TypeError if a value, which messages call `what`, is no string. */
export function needString(value: unknown, what: string): asserts value is string {
  if (typeof value !== 'string') {
    throw new TypeError(`${what} must be a string, not ${value === null ? 'null' : typeof value}`);
  }
}

/** Throws a RangeError if a value is no length of a ranking. */
export function needLimit(limit: number): void {
  if (!(limit >= 1) || (limit !== Infinity && !Number.isInteger(limit))) {
    throw new RangeError(`limit must be a whole number from 1, or Infinity, not ${limit}`);
  }
}
