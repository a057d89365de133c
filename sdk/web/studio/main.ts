/** The studio: a page in which a bot is written and tried. */

import { type History, startHistory } from './bot/history.js';
import { readConfig, readText } from './config.js';
import { botOf } from './files.js';
import { keepOffline } from './offline.js';
import { type Kept, Storage } from './storage.js';
import { type Document, Store } from './store.js';
import { Studio } from './studio.js';
import { showError } from './view/notices.js';

async function start(): Promise<void> {
  const config = await readConfig();
  const base = config.templates === null ? '' : await readText(config.templates);
  const storage = new Storage(config.name);
  const kept = storage.read();
  const isCurrent = kept !== null && kept.base === base;
  const bot = botOf(base || null, config.templates ?? '');
  const store = new Store(historyOf({ bot, file: null }, kept, isCurrent));
  const studio = new Studio(config, base, store, storage);
  await studio.start(kept, isCurrent);
  if (config.offline) await keepOffline(config);
}

/** The work of the last visit; of edits of an older template file, undo brings them back. */
function historyOf(given: Document, kept: Kept | null, isCurrent: boolean): History<Document> {
  if (kept === null) return startHistory(given);
  const { past, document, future } = kept;
  if (isCurrent) return { past, present: document, future, subject: null };
  return { past: [document], present: given, future: [], subject: null };
}

start().catch((error: unknown) => showError((error as Error).message));
