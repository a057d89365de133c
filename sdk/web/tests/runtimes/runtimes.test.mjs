// The package in Node, and in Deno and Bun where they are installed.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { botFile, WEB } from '../support/files.mjs';

const PROGRAM = path.join(WEB, 'tests', 'runtimes', 'program.mjs');
const RUNTIMES = {
  node: [process.execPath],
  deno: ['deno', 'run', '--allow-all'],
  bun: ['bun'],
};

for (const [name, [command, ...flags]] of Object.entries(RUNTIMES)) {
  const isThere = spawnSync(command, ['--version']).status === 0;
  const skip = isThere ? false : `no ${name}: npm i --global ${name}`;
  test(`${name} runs every entry`, { skip, timeout: 60_000 }, () => {
    const call = [...flags, PROGRAM, botFile()];
    const run = spawnSync(command, call, { cwd: WEB, encoding: 'utf8', timeout: 50_000 });
    const intents = Array(4).fill('lights_off').join(' ');
    assert.equal(run.stdout, `${intents} play_jazz as expected TemplateError\n`, run.stderr);
    assert.equal(run.status, 0);
  });
}
