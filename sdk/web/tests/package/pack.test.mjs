// What npm packs.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { DIST, ROOT, WEB } from '../support/files.mjs';

const call = ['pack', '--dry-run', '--json', '--ignore-scripts'];
const printed = execFileSync('npm', call, { cwd: WEB, shell: process.platform === 'win32' });
const packed = JSON.parse(printed);
// npm 12 prints an object by the names of packages, earlier ones a list.
const files = (packed[0] ?? packed.pocketintent).files.map((file) => file.path);
const { exports, ...about } = JSON.parse(readFileSync(path.join(WEB, 'package.json'), 'utf8'));

test('the package has its README, its licence and dist/, and no sources', () => {
  for (const name of ['README.md', 'LICENSE', 'package.json']) {
    assert.ok(files.includes(name), name);
  }
  const others = files.filter(
    (name) => !/^(README\.md|LICENSE|package\.json|dist\/.+)$/.test(name),
  );
  assert.deepEqual(others, []);
  assert.deepEqual(
    files.filter((name) => !/\.(js|d\.ts|wasm|md|json)$|^LICENSE$/.test(name)),
    [],
  );
});

test('the licence is that of the repository', () => {
  const [own, other] = [WEB, ROOT].map((folder) => readFileSync(path.join(folder, 'LICENSE')));
  assert.deepEqual(own, other);
});

test('every export is in the package', () => {
  const targets = Object.values(exports).flatMap((entry) =>
    typeof entry === 'string' ? [entry] : Object.values(entry),
  );
  assert.ok(targets.length >= 10);
  for (const target of targets) {
    assert.ok(files.includes(target.slice(2)), target);
  }
});

test('there is no dependency', () => {
  assert.equal(about.dependencies, undefined);
  assert.equal(about.peerDependencies, undefined);
});

test('no file names a path of the machine that built it, or evaluates text as code', () => {
  for (const name of files.filter((file) => /\.(js|d\.ts)$/.test(file))) {
    const content = readFileSync(path.join(WEB, name), 'utf8');
    assert.ok(!content.includes(WEB) && !content.includes(ROOT), name);
    assert.doesNotMatch(content, /\/home\/|\/Users\/|sourceMappingURL/, name);
    assert.doesNotMatch(content, /\beval\(|new Function\b/, name);
  }
});

test('the scripts for pages import nothing', () => {
  for (const name of ['index', 'inline', 'worker', 'worker-node', 'worker-thread']) {
    const content = readFileSync(path.join(DIST, `${name}.js`), 'utf8');
    assert.doesNotMatch(content, /\bimport\s*[({"'*]|\bfrom\s*["']|\brequire\(/, name);
  }
});
