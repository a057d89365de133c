/** The service worker of the studio, with a network and a store that go wrong. */

import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { load } from './load.mjs';

const KEPT = ['self', 'caches', 'location', 'fetch', 'Request'];
const { validate } = WebAssembly;
const before = KEPT.map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)]);
let listeners, store, network;

beforeEach(async () => {
  listeners = {};
  store = { put: async () => {}, add: async () => {}, match: async () => new Response('stored') };
  network = async () => new Response('new');
  const self = { addEventListener: (type, listener) => (listeners[type] = listener) };
  const worker = {
    self: Object.assign(self, { skipWaiting: async () => {}, clients: { claim: async () => {} } }),
    caches: { open: async () => store },
    location: { origin: 'http://studio' },
    fetch: (request) => network(request),
    Request: class {
      constructor(url) {
        this.url = url;
      }
    },
  };
  for (const [name, value] of Object.entries(worker)) {
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  }
  // The address makes it another module for each test.
  await load('offline-worker.ts', `#${Math.random()}`);
});
afterEach(() => {
  for (const [name, descriptor] of before) {
    delete globalThis[name];
    if (descriptor) Object.defineProperty(globalThis, name, descriptor);
  }
  WebAssembly.validate = validate;
});

/** What the page gets, and what the worker waits for. */
async function ask() {
  const waits = [];
  let answer;
  listeners.fetch({
    request: { method: 'GET', url: 'http://studio/tiny.safetensors' },
    respondWith: (response) => (answer = response),
    waitUntil: (done) => waits.push(done),
  });
  return { text: await (await answer).text(), waits };
}

test('an answer that cannot be stored reaches the page all the same', async () => {
  store.put = async () => {
    throw new DOMException('no room', 'QuotaExceededError');
  };
  const { text, waits } = await ask();
  assert.equal(text, 'new');
  assert.equal(waits.length, 1);
  await Promise.all(waits);
});

test('an answer does not wait until it is stored', async () => {
  let end;
  store.put = () => new Promise((resolve) => (end = resolve));
  const { text, waits } = await ask();
  assert.equal(text, 'new');
  assert.equal(waits.length, 1);
  end();
  await Promise.all(waits);
});

test('what was stored is the answer without a network', async () => {
  network = async () => {
    throw new TypeError('no network');
  };
  assert.equal((await ask()).text, 'stored');
  store.match = async () => undefined;
  await assert.rejects(ask(), /no network/);
});

test('the module that this engine takes is stored', async () => {
  const added = [];
  store.add = async ({ url }) => void added.push(url);
  const features = { none: [], simd: ['fd0c'], relaxed: ['fd0c', 'fd8502'] };
  for (const codes of Object.values(features)) {
    WebAssembly.validate = (bytes) => codes.some((code) => hex(bytes).includes(code));
    let done;
    listeners.install({ waitUntil: (promise) => (done = promise) });
    await done;
  }
  assert.deepEqual(added, [
    'pocketintent-plain.wasm',
    'pocketintent.wasm',
    'pocketintent-relaxed.wasm',
  ]);
});

const hex = (bytes) => Buffer.from(bytes).toString('hex');
