/** The worker's side: a recogniser that answers the calls of a page, one after the other. */

import type { Source, Templates } from '../types.js';
import type { RecognizerOptions } from '../wasm/module.js';
import { Recognizer } from '../wasm/recognizer.js';
import { type Reply, type Request, sendError } from './protocol.js';

/** Answers requests. The page asks nothing before the first one, which opens the bot, is answered. */
export function server(
  reply: (message: Reply, transfer: Transferable[]) => void,
): (request: Request) => Promise<void> {
  let recognizer: Recognizer | null = null;
  return async ({ id, call, args }) => {
    try {
      let value: unknown;
      if (call === 'load') {
        recognizer = await Recognizer.load(...(args as [Source, RecognizerOptions]));
      } else if (call === 'fromTemplates') {
        const given = args as [Source, Templates | string, RecognizerOptions];
        recognizer = await Recognizer.fromTemplates(...given);
      } else {
        const member: unknown = recognizer?.[call];
        value = typeof member === 'function' ? member.apply(recognizer, args) : member;
      }
      reply({ id, value }, ArrayBuffer.isView(value) ? [value.buffer as ArrayBuffer] : []);
    } catch (error) {
      reply({ id, error: sendError(error) }, []);
    }
  };
}
