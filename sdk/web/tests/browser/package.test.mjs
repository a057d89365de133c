// The package in a page, as its files are.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Recognizer } from 'pocketintent';
import { launch, NEEDS_CHROMIUM } from '../support/browser.mjs';
import { assertMatch } from '../support/compare.mjs';
import { botFile, DIST, readAnswers } from '../support/files.mjs';
import { failures, serve } from '../support/server.mjs';

const BOT = '/bots/smart_home-tiny.safetensors';
const POLICIES = {
  none: null,
  strict: "default-src 'self'",
  wasm: "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'",
};
const TYPES = { '.js': 'text/javascript', '.wasm': 'application/wasm' };

/** The files of the package and an empty page under a policy, whose headers a worker has, too. */
function withPolicy(policy) {
  const header = POLICIES[policy] === null ? {} : { 'content-security-policy': POLICIES[policy] };
  const script = [
    'index.js',
    'inline.js',
    'plain.js',
    'worker.js',
    'worker-thread.js',
    'pocketintent-relaxed.wasm',
    'pocketintent.wasm',
  ];
  const answers = script.map((name) => [
    `/${policy}/${name}`,
    (_, response) => {
      response.writeHead(200, { ...header, 'content-type': TYPES[path.extname(name)] });
      response.end(readFileSync(path.join(DIST, name)));
    },
  ]);
  const page = (_, response) =>
    response.writeHead(200, { ...header, 'content-type': 'text/html' }).end('<!doctype html>');
  return Object.fromEntries([[`/${policy}/`, page], ...answers]);
}

describe('in a page', NEEDS_CHROMIUM, () => {
  let server, chromium;
  before(async () => {
    const special = Object.assign(failures(botFile()), ...Object.keys(POLICIES).map(withPolicy));
    const folders = { '/bots/': path.dirname(botFile()), '/dist/': DIST };
    server = await serve(folders, special);
    chromium = await launch('--js-flags=--expose-gc');
  });
  after(async () => {
    await chromium?.close();
    await server?.close();
  });

  /** Calls a function in a page with this policy. */
  async function inPage(policy, call, ...args) {
    const page = await chromium.browser.newPage();
    try {
      await page.goto(`${server.origin}/${policy}/`);
      return await page.evaluate(call, ...args);
    } finally {
      await page.close();
    }
  }

  /** The name and message of the error of a load, or the intent of a text. */
  const load = async (script, source) => {
    const entry = await import(script);
    const Loaded = entry.Recognizer ?? entry.WorkerRecognizer ?? entry.PlainRecognizer;
    try {
      const recognizer = await Loaded.load(source);
      const { intent } = await recognizer.match('switch the lamp off');
      recognizer.close();
      return [intent];
    } catch (error) {
      return [error.name, error.message, error instanceof entry.PocketIntentError];
    }
  };

  test('it answers as in Python', async () => {
    const lines = readAnswers('smart_home-tiny');
    const found = await inPage(
      'none',
      async (bot, given) => {
        const { Recognizer: Loaded } = await import('/none/index.js');
        const recognizer = await Loaded.load(bot);
        return given.map((text) => [recognizer.match(text), recognizer.read(text)]);
      },
      BOT,
      lines.map((line) => line.text),
    );
    for (const [place, { text, match, read, is_close_call }] of lines.entries()) {
      assertMatch(found[place][0], match, is_close_call, text);
      assert.equal(found[place][1], read, text);
    }
  });

  for (const entry of ['index', 'inline', 'worker']) {
    test(`${entry}: a policy without 'wasm-unsafe-eval' is an error that names it`, async () => {
      const [name, message, isOwn] = await inPage('strict', load, `/strict/${entry}.js`, BOT);
      assert.equal(name, 'UnsupportedError');
      assert.match(message, /Content-Security-Policy.*'wasm-unsafe-eval'.*`pocketintent\/plain`/);
      assert.ok(isOwn);
    });

    test(`${entry}: a policy with 'wasm-unsafe-eval' is enough`, async () => {
      assert.deepEqual(await inPage('wasm', load, `/wasm/${entry}.js`, BOT), ['lights_off']);
    });

    test(`${entry}: a connection that is lost, and files that are none, say so`, async () => {
      const expected = {
        '/nothing': ['LoadError', /\/nothing could not be fetched: the server has no such file/],
        '/lost': ['LoadError', /\/lost: the connection was lost after \d+ of 1039279 bytes/],
        '/page': ['LoadError', /\/page is a web page and no bot file/],
        '/cut': ['ModelFileError', /^\/cut /],
      };
      for (const [source, [name, message]] of Object.entries(expected)) {
        const found = await inPage('none', load, `/none/${entry}.js`, source);
        assert.equal(found[0], name, source);
        assert.match(found[1], message);
        assert.ok(found[2]);
      }
      const away = await inPage('none', load, `/none/${entry}.js`, 'http://127.0.0.1:1/bot');
      assert.equal(away[0], 'LoadError');
      assert.match(away[1], /^http:\/\/127.0.0.1:1\/bot could not be fetched: there is no connect/);
    });
  }

  test('plain: the strictest policy is enough', async () => {
    assert.deepEqual(await inPage('strict', load, '/strict/plain.js', BOT), ['lights_off']);
  });

  test('a damaged bot file is a ModelFileError', async () => {
    const error = await inPage(
      'none',
      async (bot) => {
        const { ModelFileError, Recognizer: Loaded } = await import('/none/index.js');
        const bytes = new Uint8Array(await (await fetch(bot)).arrayBuffer());
        bytes[bytes.length >> 1] ^= 1;
        const reason = await Loaded.load(bytes).catch((error) => error);
        return [reason instanceof ModelFileError, reason.message];
      },
      BOT,
    );
    assert.deepEqual(error, [true, error[1]]);
    assert.match(error[1], /checksum|damaged|altered/);
  });

  test('500 overlapping calls in a worker are answered in their order', async () => {
    const texts = Array.from({ length: 500 }, (_, number) => `lamp ${number % 7 ? 'off' : 'on'}`);
    const [order, found] = await inPage(
      'none',
      async (bot, given) => {
        const { WorkerRecognizer } = await import('/none/worker.js');
        const recognizer = await WorkerRecognizer.load(bot);
        const order = [];
        const ask = async (text, number) => {
          const match = await recognizer.match(text);
          order.push(number);
          return match;
        };
        return [order, await Promise.all(given.map(ask))];
      },
      BOT,
      texts,
    );
    assert.deepEqual(order, [...texts.keys()]);
    const recognizer = await Recognizer.load(botFile());
    for (const [place, text] of texts.entries()) {
      const { runnerUp, ...expected } = recognizer.match(text);
      assertMatch(found[place], { ...expected, runner_up: runnerUp }, false, text);
    }
  });

  test('progress comes in steps, and a signal ends the loading', async () => {
    const [steps, reason] = await inPage('none', async () => {
      const { Recognizer: Loaded } = await import('/none/index.js');
      const steps = [];
      const next = (step) => steps.push(step) === 1 && fetch('/rest');
      await Loaded.load('/parts', { onProgress: next });
      const controller = new AbortController();
      const { signal } = controller;
      const onProgress = () => controller.abort(new Error('enough'));
      const error = await Loaded.load('/slow', { signal, onProgress }).catch((reason) => reason);
      return [steps, error.message];
    });
    const size = readFileSync(botFile()).length;
    assert.ok(steps.length > 1);
    assert.deepEqual(steps.at(-1), { loaded: size, total: size });
    assert.equal(reason, 'enough');
  });

  for (const [entry, name] of [
    ['index', 'Recognizer'],
    ['worker', 'WorkerRecognizer'],
  ]) {
    const noProc = process.platform === 'linux' ? false : 'memory is read from /proc';
    test(
      `200 times ${name} is opened and closed without growing memory`,
      { skip: noProc },
      async () => {
        const page = await chromium.browser.newPage();
        await page.goto(`${server.origin}/none/`);
        const open = (times, script, className, bot) =>
          page.evaluate(
            async (times, script, className, bot) => {
              const { [className]: Loaded } = await import(script);
              const bytes = await (await fetch(bot)).arrayBuffer();
              for (let time = 0; time < times; time++) {
                const recognizer = await Loaded.load(bytes);
                await recognizer.match('switch the lamp off');
                recognizer.close();
              }
              globalThis.gc();
            },
            times,
            script,
            className,
            bot,
          );
        await open(20, `/none/${entry}.js`, name, BOT);
        const before = await rendererMemory(chromium.browser);
        await open(200, `/none/${entry}.js`, name, BOT);
        const grown = (await rendererMemory(chromium.browser)) - before;
        await page.close();
        // Each recogniser has some 7 MB, so that 200 which stayed would have 1,400.
        assert.ok(grown < 64, `it grew by ${grown} MB`);
      },
    );
  }
});

/** Megabytes of the processes of pages, less than which they had at no time of the last second. */
async function rendererMemory(browser) {
  const session = await browser.target().createCDPSession();
  const resident = async () => {
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    const sizes = processInfo
      .filter(({ type }) => type === 'renderer')
      .map(({ id }) => {
        const status = readFileSync(`/proc/${id}/status`, 'utf8');
        return Number(/VmRSS:\s+(\d+)/.exec(status)[1]) / 1024;
      });
    return Math.round(sizes.reduce((sum, size) => sum + size, 0));
  };
  let least = Infinity;
  for (let time = 0; time < 10; time++) {
    least = Math.min(least, await resident());
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return least;
}
