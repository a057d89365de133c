// The types of docs/examples/recognise.mjs are those of the script.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { ROOT, WEB } from '../support/files.mjs';

const EXAMPLES = path.join(ROOT, 'docs', 'examples');
const FOLDER = path.join(WEB, 'build', 'tests', 'recognise');

// A program that uses the types; each value of the script, whose types tsc infers, has those declared.
const PROGRAM = `
  import * as declared from './recognise.mjs';
  import * as inferred from './script.mjs';
  const script: typeof declared = inferred as any;
  type Names = keyof typeof declared;
  const same: [keyof typeof inferred] extends [Names]
    ? [Names] extends [keyof typeof inferred] ? true : never : never = true;
  type Functions = Exclude<Names, 'Recogniser' | 'Inputs' | 'decide'>;
  const functions: Pick<typeof declared, Functions> = inferred;
  // A reason is any string for tsc.
  type Decide = (...args: Parameters<typeof declared.decide>) => Omit<declared.Match, 'reason'>;
  const decide: Decide = inferred.decide;
  const recogniser = await script.Recogniser.load({} as declared.OnnxRuntime, async () => new Uint8Array());
  const { intent, score, runner_up } = await recogniser.recognise('lamp off');
  const name: string | null = intent;
  // @ts-expect-error: a score is a number
  const wrong: string = score;
  // @ts-expect-error: a text is a string
  recogniser.recognise(5);
  console.log(same, functions, decide, name, runner_up?.template);
`;

function compile(program) {
  mkdirSync(FOLDER, { recursive: true });
  copyFileSync(path.join(EXAMPLES, 'recognise.d.mts'), path.join(FOLDER, 'recognise.d.mts'));
  copyFileSync(path.join(EXAMPLES, 'recognise.mjs'), path.join(FOLDER, 'script.mjs'));
  writeFileSync(path.join(FOLDER, 'program.mts'), program);
  const flags =
    '--noEmit --strict --noImplicitAny false --allowJs --target es2022 --module nodenext';
  const tsc = path.join(WEB, 'node_modules', '.bin', 'tsc');
  const call = [...flags.split(' '), '--types', '', '--ignoreConfig', 'program.mts'];
  const run = spawnSync(tsc, call, {
    cwd: FOLDER,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  return run.stdout + run.stderr;
}

test('the types are those that tsc infers of the script', () => assert.equal(compile(PROGRAM), ''));

test('the methods that are declared are there', async () => {
  const { Inputs, Recogniser } = await import(pathToFileURL(path.join(EXAMPLES, 'recognise.mjs')));
  assert.equal(typeof Recogniser.load, 'function');
  for (const [owner, names] of [
    [Recogniser, ['recognise', 'isCounterExample']],
    [Inputs, ['prepare', 'correct']],
  ]) {
    for (const name of names) {
      assert.equal(typeof owner.prototype[name], 'function', name);
    }
  }
});

test('a type that is not that of the script is found', () => {
  const wrong = PROGRAM.replace(
    'Pick<typeof declared, Functions>',
    '{ oneEdit(word: number): string }',
  );
  assert.match(compile(wrong), /error TS2322/);
});
