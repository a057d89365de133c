// Every way to the module in a page: no tool, Vite, webpack and esbuild, with each entry.
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { answerOf, launch, NEEDS_CHROMIUM } from '../support/browser.mjs';
import { botFile } from '../support/files.mjs';
import { copy, installPackage, makeApp, needsBundlers } from '../support/packed.mjs';
import { serve } from '../support/server.mjs';

const TEXT = 'could you switch the lamp off please';
const ENTRIES = {
  index: ['pocketintent', 'Recognizer'],
  inline: ['pocketintent/inline', 'Recognizer'],
  plain: ['pocketintent/plain', 'PlainRecognizer'],
  worker: ['pocketintent/worker', 'WorkerRecognizer'],
};
/** What computes in Chromium, which has relaxed SIMD; the script of `inline` has one module. */
const COMPUTES = { inline: 'simd128', plain: 'without wasm' };
const EXPECTED = (entry) => `lights_off ${COMPUTES[entry] ?? 'relaxed-simd'}`;
const page = (script) =>
  `<!doctype html><link rel="icon" href="data:,"><p id="answer"></p><script type="module" src="${script}"></script>`;

/** The files of an app that writes the intent of a text, or an error, into its page. */
const app = (entry) => {
  const [module, name] = ENTRIES[entry];
  return {
    'package.json': '{"type": "module"}',
    'index.html': page('./main.js'),
    'main.js': `
      import { ${name} } from '${module}';
      async function answer() {
        const recognizer = await ${name}.load('/bots/smart_home-tiny.safetensors');
        const { intent } = await recognizer.match('${TEXT}');
        return [intent, (await recognizer.instructions) ?? 'without wasm'].join(' ');
      }
      answer().catch(String).then((text) => (document.querySelector('#answer').textContent = text));
    `,
  };
};

describe('bundlers', needsBundlers(NEEDS_CHROMIUM), () => {
  let chromium, installed;
  before(async () => {
    installed = installPackage();
    chromium = await launch();
  });
  after(() => chromium?.close());

  /** What the page of a folder says. */
  async function served(folder, file = 'index.html') {
    const server = await serve({ '/bots/': path.dirname(botFile()), '/': folder });
    try {
      return await answerOf(chromium.browser, `${server.origin}/${file}`);
    } finally {
      await server.close();
    }
  }

  for (const entry of Object.keys(ENTRIES)) {
    test(`${entry} without any tool`, async () => {
      const files = app(entry);
      const [module] = ENTRIES[entry];
      files['main.js'] = files['main.js'].replace(`'${module}'`, `'./package/${entry}.js'`);
      const folder = makeApp(`none-${entry}`, files);
      copy(path.join(installed, 'dist'), path.join(folder, 'package'));
      assert.equal(await served(folder), EXPECTED(entry));
    });

    test(`${entry} by Vite`, async () => {
      const { build } = await import('vite');
      const root = makeApp(`vite-${entry}`, app(entry));
      await build({ root, configFile: false, logLevel: 'error' });
      assert.equal(await served(path.join(root, 'dist')), EXPECTED(entry));
    });

    test(`${entry} by webpack`, async () => {
      const { default: webpack } = await import('webpack');
      const context = makeApp(`webpack-${entry}`, app(entry));
      const output = { path: path.join(context, 'dist') };
      const compiler = webpack({ context, entry: './main.js', mode: 'production', output });
      const stats = await new Promise((resolve, reject) =>
        compiler.run((error, result) => (error ? reject(error) : resolve(result))),
      );
      assert.deepEqual(stats.toJson({ all: false, errors: true }).errors, []);
      copy(path.join(context, 'index.html'), path.join(context, 'dist', 'index.html'));
      assert.equal(await served(output.path), EXPECTED(entry));
    });

    test(`${entry} by esbuild`, async () => {
      const { build } = await import('esbuild');
      const folder = makeApp(`esbuild-${entry}`, app(entry));
      const outdir = path.join(folder, 'dist');
      const entryPoints = [path.join(folder, 'main.js')];
      await build({ entryPoints, outdir, bundle: true, minify: true, format: 'esm' });
      const modules = ['pocketintent-relaxed.wasm', 'pocketintent.wasm'];
      const files = { index: modules, inline: [], plain: [] };
      for (const name of files[entry] ?? ['worker-thread.js', ...modules]) {
        copy(path.join(installed, 'dist', name), path.join(outdir, name));
      }
      copy(path.join(folder, 'index.html'), path.join(outdir, 'index.html'));
      assert.equal(await served(outdir), EXPECTED(entry));
    });

    test(`${entry} by Vite's server for development`, async () => {
      const { createServer } = await import('vite');
      const root = makeApp(`vite-dev-${entry}`, app(entry));
      copy(path.dirname(botFile()), path.join(root, 'public', 'bots'));
      const server = await createServer({
        root,
        configFile: false,
        logLevel: 'error',
        cacheDir: path.join(root, 'cache'),
        // Of an app with its own node_modules this folder is a part.
        server: { port: 0, host: '127.0.0.1', fs: { allow: [root, installed] } },
      });
      await server.listen();
      try {
        const { port } = server.httpServer.address();
        const answer = await answerOf(chromium.browser, `http://127.0.0.1:${port}/`);
        assert.equal(answer, EXPECTED(entry));
      } finally {
        await server.close();
      }
    });
  }
});
