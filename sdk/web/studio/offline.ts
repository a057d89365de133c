/** Keeps the files of the page in the browser, so that it opens without a network. */

import type { Config } from './config.js';

const FILES = [
  ...['./', 'studio.css', 'icon.svg', 'studio.json'],
  ...['studio.js', 'chunk.js', 'later.js', 'worker-thread.js'],
];

/**
 * Starts the service worker, which asks the network first and stores what it gets. On the first visit
 * it starts after the page, so what the page is made of is stored here, but for the module of
 * WebAssembly, which the worker chooses. What fails is left to another
 * visit: the page itself needs none of it.
 */
export async function keepOffline({ templates, models }: Config): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  const isFirstVisit = navigator.serviceWorker.controller === null;
  try {
    await navigator.serviceWorker.register('offline-worker.js');
    if (isFirstVisit) {
      const first = models.slice(0, 1).map(({ file }) => file);
      const files = [...FILES, ...(templates === null ? [] : [templates]), ...first];
      // They have just been loaded: nothing of them is fetched again.
      const requests = files.map((file) => new Request(file, { cache: 'force-cache' }));
      await (await caches.open('pocketintent-studio')).addAll(requests);
      await navigator.serviceWorker.ready;
    }
    document.documentElement.dataset['offline'] = 'ready';
  } catch {
    // Private windows and pages without a secure address have no such storage.
  }
}
