// Builds the studio into build/web/studio of the repository: node tools/studio.mjs
//
// Prints one JSON line for each file, as tools/build.mjs does. The script of the worker and the
// modules of WebAssembly are those of the package in dist/, which is built before.
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const WEB = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const SOURCE = path.join(WEB, 'studio');
const DIST = path.join(WEB, 'dist');
export const STUDIO = path.join(WEB, '..', '..', 'build', 'web', 'studio');

/** Writes the page and all that it loads, but a model and `studio.json`, into the folder. */
export async function buildStudio(folder = STUDIO) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });

  await build({
    entryPoints: [
      { in: path.join(SOURCE, 'main.ts'), out: 'studio' },
      { in: path.join(SOURCE, 'offline-worker.ts'), out: 'offline-worker' },
      { in: path.join(SOURCE, 'studio.css'), out: 'studio' },
    ],
    outdir: folder,
    bundle: true,
    splitting: true,
    chunkNames: '[name]',
    minify: true,
    format: 'esm',
    target: 'es2022',
    legalComments: 'none',
    logLevel: 'warning',
  });
  const page = readFileSync(path.join(SOURCE, 'index.html'), 'utf8');
  writeFileSync(path.join(folder, 'index.html'), page.replace(/\n +/g, '\n'));
  copyFileSync(path.join(SOURCE, 'icon.svg'), path.join(folder, 'icon.svg'));
  const modules = readdirSync(DIST).filter((file) => file.endsWith('.wasm'));
  for (const file of ['worker-thread.js', ...modules]) {
    copyFileSync(path.join(DIST, file), path.join(folder, file));
  }
  printSizes(folder);
}

function printSizes(folder) {
  for (const file of readdirSync(folder)) {
    const content = readFileSync(path.join(folder, file));
    const gzip = gzipSync(content, { level: 9 }).length;
    const brotli = brotliCompressSync(content).length;
    console.log(JSON.stringify({ file: `studio/${file}`, bytes: content.length, gzip, brotli }));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildStudio();
