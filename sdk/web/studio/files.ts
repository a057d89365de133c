/** The file that the page begins with, and those that the author saves. */

import { type Bot, EMPTY_BOT } from './bot/bot.js';
import { parseTemplates } from './bot/forms.js';

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
