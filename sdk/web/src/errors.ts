/** The errors of the package. The message says what is wrong, and what to do. */

const BRAND = Symbol.for('pocketintent.error');

export class PocketIntentError extends Error {
  /** @internal */
  declare readonly [BRAND]: true;

  /** Each entry of the package is one file with its own copy of the classes: an error of one entry
   * is an instance of the classes of all, so that it does not matter where these are imported from. */
  static override [Symbol.hasInstance](error: unknown): boolean {
    const isOurs = typeof error === 'object' && error !== null && BRAND in error;
    const { name } = this.prototype;
    return isOurs && (this === PocketIntentError || (error as unknown as Error).name === name);
  }
}

/** A file could not be fetched or read: there is no connection, no such file, or no such address. */
export class LoadError extends PocketIntentError {}

/** Not a model or bot file, or a damaged or a too new one. */
export class ModelFileError extends PocketIntentError {}

/** Templates that break the format: docs/templates.md. */
export class TemplateError extends PocketIntentError {}

/** A valid file, or a call, that this entry of the package cannot run. */
export class UnsupportedError extends PocketIntentError {}

/** There is not enough memory. */
export class OutOfMemoryError extends PocketIntentError {}

/** The recogniser was closed. */
export class ClosedError extends PocketIntentError {}

const CLASSES = {
  PocketIntentError,
  LoadError,
  ModelFileError,
  TemplateError,
  UnsupportedError,
  OutOfMemoryError,
  ClosedError,
};

Object.assign(PocketIntentError.prototype, { [BRAND]: true });

// A minified class has another name, which Node prints where an error is caught by nobody.
for (const [value, ErrorClass] of Object.entries(CLASSES)) {
  for (const named of [ErrorClass, ErrorClass.prototype]) {
    Object.defineProperty(named, 'name', { value, configurable: true, writable: true });
  }
}
