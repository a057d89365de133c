/** Files of text. */

import { FileProblem } from './forms.js';

/** Decodes a file of UTF-8; an error names the line. */
export function decodeText(bytes: Uint8Array, source: string): string {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    return decoder.decode(bytes);
  } catch {
    let line = 1;
    for (let start = 0; start < bytes.length; line++) {
      const end = bytes.indexOf(10, start) < 0 ? bytes.length : bytes.indexOf(10, start);
      try {
        decoder.decode(bytes.subarray(start, end));
      } catch {
        break;
      }
      start = end + 1;
    }
    throw new FileProblem(`${source}, line ${line}: not UTF-8; convert the file to UTF-8`);
  }
}
