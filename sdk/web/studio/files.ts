/** Files that the author opens, drops or saves. */

import { type Bot, EMPTY_BOT } from './bot/bot.js';
import { isModelFile, templatesOf } from './bot/bot_file.js';
import { parseTemplates } from './bot/forms.js';
import { decodeText } from './bot/decode.js';
import type { UtteranceFile } from './trial/utterances.js';

/** What a file turned out to be. */
export type Opened =
  | { readonly kind: 'templates'; readonly name: string; readonly bot: Bot; readonly text: string }
  | {
      readonly kind: 'model';
      readonly name: string;
      /** The bot in a bot file; null for a model without one. */
      readonly bot: Bot | null;
      readonly bytes: File;
    }
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
    const { readUtterances } = await import('./later.js');
    return { kind: 'utterances', file: readUtterances(bytes, file.name) };
  }
  const text = decodeText(bytes, file.name);
  return { kind: 'templates', name, bot: parseTemplates(text, file.name), text };
}

/** The bot of the text of a template file; an empty one without it. */
export function botOf(text: string | null, source: string): Bot {
  return text === null ? EMPTY_BOT : parseTemplates(text, source);
}

/** Hands a file to the author. */
export function saveFile(name: string, content: BlobPart, type: string): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
