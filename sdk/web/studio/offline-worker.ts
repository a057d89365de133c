/** The service worker: the network first, and what was kept of a file where there is none. */

import { hasRelaxedSimd } from '../src/wasm/simd.js';

interface FetchEvent extends Event {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
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
    event.respondWith(answer(request));
  }
});

/** Stores the module that the page has just loaded. */
async function keepModule(): Promise<void> {
  const module = hasRelaxedSimd() ? 'pocketintent-relaxed.wasm' : 'pocketintent.wasm';
  const cache = await caches.open('pocketintent-studio');
  await cache.add(new Request(module, { cache: 'force-cache' }));
}

async function answer(request: Request): Promise<Response> {
  const cache = await caches.open('pocketintent-studio');
  try {
    const response = await fetch(request);
    if (response.ok) await cache.put(request, response.clone());
    return response;
  } catch (error) {
    const kept = await cache.match(request, { ignoreSearch: true });
    if (kept) return kept;
    throw error;
  }
}
