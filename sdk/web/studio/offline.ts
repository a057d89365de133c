/** Keeps the files of the page in the browser, so that it opens without a network. */

import type { Config } from './config.js';

const FILES = [
  ...['./', 'studio.css', 'icon.svg', 'studio.json'],
  ...['studio.js', 'chunk.js', 'later.js', 'worker-thread.js', 'pocketintent.wasm'],
];

/**
 * Starts the service worker, which asks the network first, and stores what the page is made of. What
 * fails is left to the next visit: the page itself needs none of it.
 */
export async function keepOffline({ templates, models }: Config): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  try {
    await navigator.serviceWorker.register('offline-worker.js');
    const cache = await caches.open('pocketintent-studio');
    const first = models.slice(0, 1).map(({ file }) => file);
    await cache.addAll([...FILES, ...(templates === null ? [] : [templates]), ...first]);
    document.documentElement.dataset['offline'] = 'ready';
  } catch {
    // Private windows and pages without a secure address have no such storage.
  }
}
