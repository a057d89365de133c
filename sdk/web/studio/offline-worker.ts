/** The service worker: the network first, and what was kept of a file where there is none. */

import { hasRelaxedSimd, hasSimd } from '../src/wasm/simd.js';

interface FetchEvent extends Event {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
  waitUntil(done: Promise<void>): void;
}

interface InstallEvent extends Event {
  waitUntil(done: Promise<void>): void;
}

const scope = self as unknown as {
  addEventListener(type: 'fetch', listener: (event: FetchEvent) => void): void;
  addEventListener(type: 'install', listener: (event: InstallEvent) => void): void;
  addEventListener(type: 'activate', listener: () => void): void;
  skipWaiting(): Promise<void>;
  readonly clients: { claim(): Promise<void> };
};

scope.addEventListener('install', (event) => {
  void scope.skipWaiting();
  event.waitUntil(keepModule());
});
scope.addEventListener('activate', () => void scope.clients.claim());
scope.addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method === 'GET' && new URL(request.url).origin === location.origin) {
    event.respondWith(answer(event));
  }
});

const openCache = () => caches.open('pocketintent-studio');

/** Stores the module that the page has just loaded. */
async function keepModule(): Promise<void> {
  const module = hasRelaxedSimd()
    ? 'pocketintent-relaxed.wasm'
    : hasSimd()
      ? 'pocketintent.wasm'
      : 'pocketintent-plain.wasm';
  await (await openCache()).add(new Request(module, { cache: 'force-cache' }));
}

/** Answers at once; a file is stored while the page reads it. */
async function answer(event: FetchEvent): Promise<Response> {
  const { request } = event;
  try {
    const response = await fetch(request);
    if (response.ok) event.waitUntil(keep(request, response.clone()));
    return response;
  } catch (error) {
    const kept = await (await openCache()).match(request, { ignoreSearch: true });
    if (kept) return kept;
    throw error;
  }
}

/** Stores an answer, unless there is no room or it is a part of a file: the page has it all the same. */
async function keep(request: Request, response: Response): Promise<void> {
  try {
    await (await openCache()).put(request, response);
  } catch {
    // Of the file, the one that was stored before stays.
  }
}
