// In Node a worker is a thread; tests/browser/ has the same in a page.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import * as index from 'pocketintent';
import * as inline from 'pocketintent/inline';
import {
  ClosedError,
  LoadError,
  ModelFileError,
  PocketIntentError,
  TemplateError,
  WorkerRecognizer,
} from 'pocketintent/worker';
import { botFile, DIST, WEB } from '../support/files.mjs';

const { Recognizer } = index;
const bytes = readFileSync(botFile());

async function errorOf(promise) {
  const error = await promise.then(
    () => null,
    (reason) => reason,
  );
  assert.ok(error !== null, 'nothing was thrown');
  return error;
}

test('a worker answers every call as a recogniser does', async () => {
  const here = await Recognizer.load(botFile());
  const there = await WorkerRecognizer.load(botFile());
  const text = 'swich the lamp off';
  for (const name of ['match', 'rank', 'read', 'encode', 'explain']) {
    assert.deepEqual(await there[name](text), here[name](text), name);
  }
  assert.deepEqual(await there.rank(text, 2), here.rank(text, 2));
  assert.deepEqual(await there.explain(text, 'lights_on'), here.explain(text, 'lights_on'));
  for (const name of ['intents', 'kind', 'instructions']) {
    assert.deepEqual(await there[name], here[name], name);
  }
  for (const recognizer of [here, there]) {
    await recognizer.addIntent('play_jazz', ['play some jazz']);
    await recognizer.removeIntent('lights_off');
  }
  assert.deepEqual(await there.intents, here.intents);
  assert.deepEqual(await there.save(), here.save());
  there.close();
});

test('500 overlapping calls are answered in their order', async () => {
  const worker = await WorkerRecognizer.load(botFile());
  const recognizer = await Recognizer.load(botFile());
  const texts = Array.from(
    { length: 500 },
    (_, number) => `lamp ${number % 7 ? 'off' : 'on'} ${number}`,
  );
  const order = [];
  const answers = await Promise.all(
    texts.map(async (text, number) => {
      const match = await worker.match(text);
      order.push(number);
      return match;
    }),
  );
  assert.deepEqual(order, [...texts.keys()]);
  assert.deepEqual(
    answers,
    texts.map((text) => recognizer.match(text)),
  );
  worker.close();
});

test('an edit comes between the calls before and after it', async () => {
  const worker = await WorkerRecognizer.load(botFile());
  const [before, , after] = await Promise.all([
    worker.match('put on miles davis'),
    worker.addIntent('play_jazz', ['play some jazz', 'put on miles davis']),
    worker.match('put on miles davis'),
  ]);
  assert.notEqual(before.nearest, 'play_jazz');
  assert.equal(after.intent, 'play_jazz');
  worker.close();
});

test('errors keep their classes and messages', async () => {
  const damaged = Uint8Array.from(bytes, (byte, place) => (place === 5000 ? byte ^ 1 : byte));
  assert.ok((await errorOf(WorkerRecognizer.load(damaged))) instanceof ModelFileError);
  const missing = await errorOf(WorkerRecognizer.load('/missing/bot'));
  assert.ok(missing instanceof LoadError);
  assert.equal(missing.message, '/missing/bot cannot be read: there is no such file');
  const worker = await WorkerRecognizer.load(botFile());
  const unknown = await errorOf(worker.removeIntent('nope'));
  assert.ok(unknown instanceof TemplateError && unknown instanceof PocketIntentError);
  assert.match(unknown.message, /^no intent 'nope'; known: /);
  assert.ok((await errorOf(worker.match(5))) instanceof TypeError);
  assert.ok((await errorOf(worker.rank('lamp', 0))) instanceof RangeError);
  assert.equal((await worker.match('lamp off')).intent, 'lights_off');
  worker.close();
});

test('an error of one entry is an instance of the classes of every other', async () => {
  const missing = await errorOf(WorkerRecognizer.load('/missing/bot'));
  for (const entry of [index, inline]) {
    assert.ok(missing instanceof entry.LoadError && missing instanceof entry.PocketIntentError);
    assert.ok(!(missing instanceof entry.ModelFileError));
    assert.ok(!(new Error('x') instanceof entry.PocketIntentError));
    assert.ok(
      !(null instanceof entry.LoadError || { name: 'LoadError' } instanceof entry.LoadError),
    );
  }
});

test('a module that is missing is a LoadError of the worker, too', async () => {
  const error = await errorOf(WorkerRecognizer.load(botFile(), { wasm: '/missing.wasm' }));
  assert.ok(error instanceof LoadError);
  assert.match(error.message, /^\/missing.wasm cannot be read: .*`pocketintent\/inline`/);
});

test('a module is named, given as bytes or compiled', async () => {
  const file = path.join(DIST, 'pocketintent-plain.wasm');
  for (const wasm of [file, readFileSync(file), new WebAssembly.Module(readFileSync(file))]) {
    const worker = await WorkerRecognizer.load(botFile(), { wasm });
    assert.equal(await worker.instructions, 'plain');
    worker.close();
  }
});

test('a worker script that is missing is an error, not a silence', async () => {
  const load = WorkerRecognizer.load(botFile(), { worker: '/missing/worker-thread.js' });
  assert.match((await errorOf(load)).message, /^the worker of the recogniser failed: /);
});

test('bytes are copied, or moved where that is asked for', async () => {
  const copied = new Uint8Array(bytes);
  (await WorkerRecognizer.load(copied)).close();
  assert.equal(copied.length, bytes.length);
  const moved = new Uint8Array(bytes);
  (await WorkerRecognizer.load(moved, { transfer: true })).close();
  assert.equal(moved.length, 0);
});

test('progress passes through, and a signal ends the loading', async () => {
  const steps = [];
  const worker = await WorkerRecognizer.load(botFile(), { onProgress: (step) => steps.push(step) });
  assert.deepEqual(steps.at(-1), { loaded: bytes.length, total: bytes.length });
  worker.close();
  const reason = new Error('enough');
  const controller = new AbortController();
  const loading = WorkerRecognizer.load(botFile(), { signal: controller.signal });
  controller.abort(reason);
  assert.equal(await errorOf(loading), reason);
  assert.equal(await errorOf(WorkerRecognizer.load(bytes, { signal: controller.signal })), reason);
});

test('the end rejects calls that wait and later ones', async () => {
  const worker = await WorkerRecognizer.load(botFile());
  const waiting = worker.match('lamp off');
  worker.close();
  worker.close();
  for (const call of [waiting, worker.match('lamp'), worker.intents, worker.save()]) {
    const error = await errorOf(call);
    assert.ok(error instanceof ClosedError);
    assert.equal(error.message, 'the recogniser was closed');
  }
});

/** Runs a program that has a recogniser in a worker, and returns what it prints. */
function run(name, script, ...flags) {
  const file = path.join(WEB, 'build', 'tests', `${name}.mjs`);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(
    file,
    `import { WorkerRecognizer } from 'pocketintent/worker';
     let worker = await WorkerRecognizer.load(process.argv[2]);
     ${script}`,
  );
  const call = [...flags, file, botFile()];
  return execFileSync(process.execPath, call, { encoding: 'utf8', timeout: 60_000 });
}

test('a program does not wait for a worker that is idle, but for its answer', () => {
  assert.equal(
    run('idle', "worker.match('lamp off').then(({ intent }) => console.log(intent));"),
    'lights_off\n',
  );
});

test('a worker ends when nobody has its recogniser any more, but not before it answered', () => {
  const script = `
    const { setTimeout: sleep } = await import('node:timers/promises');
    const { Worker } = await import('node:worker_threads');
    const { terminate } = Worker.prototype;
    let ended = 0;
    Worker.prototype.terminate = function () {
      ended++;
      return terminate.call(this);
    };
    const promise = worker.match('lamp off');
    worker = null;
    gc();
    console.log((await promise).intent);
    for (let tries = 0; tries < 100 && ended === 0; tries++) {
      gc();
      await sleep(20);
    }
    console.log(ended);
  `;
  const [intent, ended] = run('abandoned', script, '--expose-gc').split('\n');
  assert.equal(intent, 'lights_off');
  assert.equal(ended, '1');
});
