/** The built page: its size, and what the browser keeps of it. */

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { REPOSITORY } from './load.mjs';

const STUDIO = new URL('build/web/studio/', REPOSITORY);
const NEEDS = existsSync(new URL('studio.js', STUDIO))
  ? {}
  : { skip: 'the studio is not built: run `make web`' };
const FIRST = ['index.html', 'studio.css', 'studio.js', 'chunk.js', 'pocketintent.wasm'];

const read = (name) => readFileSync(new URL(name, STUDIO));

test('the script has at most 40 KB, and what is fetched first at most 120 with gzip', NEEDS, () => {
  const script = ['studio.js', 'chunk.js'].map((name) => statSync(new URL(name, STUDIO)).size);
  assert.ok(script[0] + script[1] <= 40_000, `${script}`);
  const sizes = [...FIRST, 'worker-thread.js'].map((name) => gzipSync(read(name)).length);
  const sum = sizes.reduce((total, size) => total + size);
  assert.ok(sum <= 120_000, `${sum}`);
});

test('all files of the page are kept for a visit without a network', NEEDS, () => {
  const script = `${read('studio.js')}${read('offline-worker.js')}`;
  const others = ['index.html', 'offline-worker.js'];
  const files = readdirSync(STUDIO).filter((name) => !others.includes(name));
  assert.ok(files.length > 6);
  for (const name of files) assert.ok(script.includes(`"${name}"`), name);
});
