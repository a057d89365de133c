// docs/web.md tells what is there.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as index from 'pocketintent';
import { WorkerRecognizer } from 'pocketintent/worker';
import { documented, measure, PAGE } from '../../tools/sizes.mjs';

const page = readFileSync(PAGE, 'utf8');

test('the sizes are those of the build, within a twentieth', () => {
  const sizes = measure();
  assert.ok(sizes.length >= 7);
  for (const { file, ...found } of sizes) {
    const said = documented(page, file);
    assert.ok(said !== null, `docs/web.md has no row of ${file}`);
    for (const [name, size] of Object.entries(found)) {
      const isNear = Math.abs(size / said[name] - 1) < 1 / 20;
      assert.ok(isNear, `${file}: ${size}, not ${said[name]}: \`node tools/sizes.mjs --docs\``);
    }
  }
});

test('every public name is in the page', () => {
  const members = [index.Recognizer, WorkerRecognizer].flatMap((owner) => [
    ...Object.getOwnPropertyNames(owner.prototype),
    ...Object.getOwnPropertyNames(owner),
  ]);
  const names = new Set([...members, ...Object.keys(index)]);
  for (const name of ['constructor', 'prototype', 'length', 'name']) {
    names.delete(name);
  }
  assert.ok(names.size > 20);
  for (const name of names) {
    assert.match(page, new RegExp(`\`${name}\\b`), name);
  }
});
