// The examples of docs/web.md, as they are in the page.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { launch, NEEDS_CHROMIUM } from '../support/browser.mjs';
import { botFile, modelFile } from '../support/files.mjs';
import { copy, example, installPackage, makeApp, needsBundlers } from '../support/packed.mjs';
import { serve } from '../support/server.mjs';

/** Runs an example in Node, in a folder with these files; returns what it prints. */
function run(title, files) {
  const folder = makeApp(`example-${title}`, { [title]: example(title) });
  for (const [name, file] of Object.entries(files)) {
    copy(file, path.join(folder, name));
  }
  return execFileSync(process.execPath, [title], { cwd: folder, encoding: 'utf8' });
}

/** Opens an address, types into its text box, and returns what the page then answers. */
async function typed(browser, address, text) {
  const page = await browser.newPage();
  try {
    await page.goto(address);
    await page.waitForFunction(() =>
      ['ready', 'unknown_words'].includes(document.querySelector('output')?.textContent),
    );
    await page.type('input', text);
    return await page.$eval('output', (output) => output.textContent);
  } finally {
    await page.close();
  }
}

describe('examples', needsBundlers({ timeout: 120_000 }), () => {
  let installed;
  before(() => (installed = installPackage()));

  test('from npm i to an answer', () =>
    assert.match(run('answer.mjs', { 'my_bot.safetensors': botFile() }), /^lights_on 0\.\d+\n$/));

  test('in a worker', () => {
    const printed = run('worker.mjs', { 'my_bot.safetensors': botFile() });
    assert.match(printed, /^\[ 'lights_on', null \] \[\s+'lights_on',/);
  });

  test('without wasm', () =>
    assert.equal(run('plain.mjs', { 'my_bot.safetensors': botFile() }), 'lights_on\n'));

  test('a bot from its templates', () => {
    const printed = run('make.mjs', { 'tiny.safetensors': modelFile() });
    assert.match(printed, /^play_jazz \{/);
  });

  describe('in a page', NEEDS_CHROMIUM, () => {
    let chromium;
    before(async () => (chromium = await launch()));
    after(() => chromium?.close());

    test('a page without any tool', async () => {
      const folder = makeApp('example-page', { 'page.html': example('page.html') });
      copy(path.join(installed, 'dist'), path.join(folder, 'pocketintent'));
      copy(botFile(), path.join(folder, 'my_bot.safetensors'));
      const server = await serve({ '/': folder });
      try {
        const page = `${server.origin}/page.html`;
        assert.equal(await typed(chromium.browser, page, 'switch the lamp off'), 'lights_off');
      } finally {
        await server.close();
      }
    });

    /** Builds an app of React by Vite, and returns what it answers to a text. */
    async function answered(name, files) {
      const root = makeApp(name, {
        ...files,
        'index.html': '<!doctype html><main></main><script type="module" src="main.jsx"></script>',
        'main.jsx': `
          import { createRoot } from 'react-dom/client';
          import { App } from './App.jsx';
          createRoot(document.querySelector('main')).render(<App />);
        `,
      });
      const [{ build }, { default: react }] = await Promise.all([
        import('vite'),
        import('@vitejs/plugin-react'),
      ]);
      await build({ root, configFile: false, logLevel: 'error', plugins: [react()] });
      copy(botFile(), path.join(root, 'dist', 'my_bot.safetensors'));
      const server = await serve({ '/': path.join(root, 'dist') });
      try {
        return await typed(chromium.browser, `${server.origin}/index.html`, 'switch the lamp off');
      } finally {
        await server.close();
      }
    }

    test('React', async () =>
      assert.equal(
        await answered('example-react', { 'App.jsx': example('App.jsx') }),
        'lights_off',
      ));

    // The hook is the same in React Native, but for the elements, which a page has not.
    test('the hook of React Native', async () => {
      const files = {
        'useRecognizer.js': example('useRecognizer.js'),
        'App.jsx': `
          import { useState } from 'react';
          import { useRecognizer } from './useRecognizer.js';
          export function App() {
            const { recognizer } = useRecognizer('/my_bot.safetensors');
            const [text, setText] = useState('');
            const match = recognizer?.match(text);
            return <>
              <input onChange={(event) => setText(event.target.value)} />
              <output>{match && (match.intent ?? match.reason)}</output>
            </>;
          }
        `,
      };
      assert.equal(await answered('example-react-native', files), 'lights_off');
    });
  });
});
