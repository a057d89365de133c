/** Files that the author opens or drops. */

import type { Bot } from './bot/bot.js';
import { isModelFile, templatesOf } from './bot/bot_file.js';
import { decodeText } from './bot/decode.js';
import { parseTemplates } from './bot/forms.js';
import { readUtterances, type UtteranceFile } from './trial/utterances.js';

/** A model file or bot file. */
export interface OpenedModel {
  readonly kind: 'model';
  readonly name: string;
  /** The bot in a bot file; null for a model without one. */
  readonly bot: Bot | null;
  readonly bytes: Blob;
}

/** What a file turned out to be. */
export type Opened =
  | OpenedModel
  | { readonly kind: 'templates'; readonly name: string; readonly bot: Bot; readonly text: string }
  | { readonly kind: 'utterances'; readonly file: UtteranceFile };

/** Reads a file by its name and content. */
export async function openFile(file: File): Promise<Opened> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const name = file.name.replace(/\.[^.]+$/, '');
  if (/\.safetensors$/i.test(file.name) || isModelFile(bytes)) {
    const json = templatesOf(bytes, file.name);
    const bot = json === null ? null : parseTemplates(json, file.name);
    return { kind: 'model', name, bot, bytes: file };
  }
  if (/\.(csv|tsv|jsonl|txt)$/i.test(file.name)) {
    return { kind: 'utterances', file: readUtterances(bytes, file.name) };
  }
  const text = decodeText(bytes, file.name);
  return { kind: 'templates', name, bot: parseTemplates(text, file.name), text };
}
