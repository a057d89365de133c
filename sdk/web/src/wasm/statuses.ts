/** From a status of the core to the error of the package. */

import {
  LoadError,
  ModelFileError,
  OutOfMemoryError,
  PocketIntentError,
  TemplateError,
  UnsupportedError,
} from '../errors.js';
import type { Core } from './core.js';

/** `pintent_status`. */
export const OK = 0;
/** `PINTENT_ERROR_SIZE`: the buffer of the caller is too small. */
export const SIZE = 7;

const ERRORS = [
  PocketIntentError,
  PocketIntentError,
  OutOfMemoryError,
  LoadError,
  ModelFileError,
  TemplateError,
  UnsupportedError,
  PocketIntentError,
];

/**
 * Throws the error of a status.
 *
 * @param message - Where the core wrote what is wrong; 0 for the general words of the status.
 * @param name - The file that it is about.
 */
export function check(core: Core, status: number, message = 0, name: string | null = null): void {
  if (status === OK) {
    return;
  }
  const said = message === 0 ? '' : core.cText(message);
  const what = said || core.cText(core.call.pintent_status_text(status));
  const ErrorClass = ERRORS[status] ?? PocketIntentError;
  throw new ErrorClass(about(what, name));
}

/** The message with the name of its file: for the core the file is a buffer. */
function about(what: string, name: string | null): string {
  const subject = 'the buffer ';
  if (what.startsWith(subject)) {
    return `${name ?? 'the file'} ${what.slice(subject.length)}`;
  }
  return name === null ? what : `${name}: ${what}`;
}
