/** What the page and its worker send each other. */

import {
  ClosedError,
  LoadError,
  ModelFileError,
  OutOfMemoryError,
  PocketIntentError,
  TemplateError,
  UnsupportedError,
} from '../errors.js';

/** The calls of a recogniser that a worker answers; the properties count as calls. */
export type Call =
  | 'match'
  | 'rank'
  | 'read'
  | 'encode'
  | 'explain'
  | 'intents'
  | 'templates'
  | 'kind'
  | 'instructions'
  | 'addIntent'
  | 'removeIntent'
  | 'setTemplates'
  | 'save';

/** A call; the answer has the same number. The first one opens the bot. */
export interface Request {
  readonly id: number;
  readonly call: Call | 'load' | 'fromTemplates';
  readonly args: readonly unknown[];
}

export type Reply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: SentError };

/** An error on its way: the class of one that is cloned is lost. */
export interface SentError {
  readonly name: string;
  readonly message: string;
}

const CLASSES = [
  PocketIntentError,
  LoadError,
  ModelFileError,
  TemplateError,
  UnsupportedError,
  OutOfMemoryError,
  ClosedError,
  TypeError,
  RangeError,
];

export function sendError(error: unknown): SentError {
  return error instanceof Error
    ? { name: error.name, message: error.message }
    : { name: 'Error', message: String(error) };
}

export function receiveError({ name, message }: SentError): Error {
  // Built-in classes have their names on the prototype, those of the package on each error.
  const found = CLASSES.map((ErrorClass) => new ErrorClass(message)).find(
    (error) => error.name === name,
  );
  return found ?? Object.assign(new Error(message), { name });
}
