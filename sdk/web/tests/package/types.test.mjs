// The types, as programs of all sorts see them: strict, with the libraries of a page, of Node, or both.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { WEB } from '../support/files.mjs';

function compile(...flags) {
  const tsc = path.join(WEB, 'node_modules', '.bin', 'tsc');
  const call = ['--project', path.join('tests', 'types'), ...flags];
  const run = spawnSync(tsc, call, {
    cwd: WEB,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  return run.stdout + run.stderr;
}

test('the types suit a page, and refuse what is wrong', () => assert.equal(compile(), ''));

test('the types suit a bundler', () =>
  assert.equal(compile('--module', 'preserve', '--moduleResolution', 'bundler'), ''));

test('the types suit a program in Node', () => assert.equal(compile('--types', 'node'), ''));

test('an error of a program is found', () =>
  assert.match(compile('--exactOptionalPropertyTypes', 'false', '--lib', 'es2022'), /error TS/));
