// Bundles the other systems for the page: each of systems/ into one module.
import path from 'node:path';
import { build } from 'esbuild';

const FOLDER = path.join(import.meta.dirname, 'systems');

// What @nlpjs/basic imports and a page lacks: it reads no file, fetches and asks nothing here.
const MISSING = {
  fs: 'exports.existsSync = () => false;',
  path: 'exports.isAbsolute = () => true; exports.normalize = (name) => name;',
  readline: '',
  '@nlpjs/request': '',
};

const withoutNode = {
  name: 'without-node',
  setup(bundler) {
    const filter = new RegExp(`^(${Object.keys(MISSING).join('|')})$`);
    bundler.onResolve({ filter }, (found) => ({ path: found.path, namespace: 'missing' }));
    bundler.onLoad({ filter, namespace: 'missing' }, (found) => ({
      contents: MISSING[found.path],
      loader: 'js',
    }));
  },
};

/** Writes `NAME.mjs` of each system to a folder. */
export async function bundle(names, outdir) {
  await build({
    entryPoints: names.map((name) => path.join(FOLDER, `${name}.mjs`)),
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    platform: 'browser',
    conditions: ['onnxruntime-web-use-extern-wasm'],
    define: { 'process.env': '{}' },
    legalComments: 'none',
    logLevel: 'warning',
    plugins: [withoutNode],
  });
}
