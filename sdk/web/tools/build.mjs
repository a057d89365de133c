// Builds the package into dist/: node tools/build.mjs [--wasm FOLDER]
//
// Prints one JSON line for each file: its bytes, and those that gzip and brotli make of it. The
// modules of WebAssembly are compiled by zig (`make web` installs it), unless a folder names those
// that were: FOLDER/wasm32-simd/pocketintent.wasm and so on. The variable
// POCKETINTENT_WASM does the same.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { printSizes } from './sizes.mjs';
import { buildStudio } from './studio.mjs';

const WEB = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const ROOT = path.join(WEB, '..', '..');
const DIST = path.join(WEB, 'dist');
const ENTRIES = ['index', 'inline', 'worker', 'worker-node', 'worker-thread', 'plain'];
const MODULES = {
  'wasm32-relaxed': 'pocketintent-relaxed.wasm',
  'wasm32-simd': 'pocketintent.wasm',
  wasm32: 'pocketintent-plain.wasm',
};

/** Compiles the modules, and returns the folder with those of each target. */
function compileModules() {
  const folder = path.join(WEB, 'build', 'native');
  const python = path.join(ROOT, '.venv-native', 'bin', 'python');
  const targets = Object.keys(MODULES).flatMap((target) => ['--target', target]);
  const tool = path.join(ROOT, 'sdk', 'native', 'tools', 'build.py');
  execFileSync(python, [tool, '--out', folder, ...targets], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return folder;
}

/** Bundles each entry into one module. */
async function bundle(simdModule) {
  const inlined = gzipSync(simdModule, { level: 9 }).toString('base64');
  await build({
    entryPoints: ENTRIES.map((entry) => path.join(WEB, 'src', `${entry}.ts`)),
    outdir: DIST,
    bundle: true,
    minify: true,
    // Node prints the line of an error that nobody catches: of a bundle in one line, all of it.
    lineLimit: 240,
    // Fields that are set in the constructor alone need no definition, which is a name in the script.
    tsconfigRaw: { compilerOptions: { useDefineForClassFields: false } },
    format: 'esm',
    target: 'es2022',
    legalComments: 'none',
    logLevel: 'warning',
    define: { INLINED_WASM: JSON.stringify(inlined) },
  });
}

function writeTypes() {
  const tsc = path.join(WEB, 'node_modules', '.bin', 'tsc');
  const call = ['--project', WEB, '--emitDeclarationOnly', '--stripInternal', '--outDir', DIST];
  execFileSync(tsc, call, { stdio: 'inherit', shell: process.platform === 'win32' });
}

const { values } = parseArgs({ options: { wasm: { type: 'string' } } });
const modules = values.wasm ?? process.env.POCKETINTENT_WASM ?? compileModules();
rmSync(DIST, { recursive: true, force: true });
mkdirSync(DIST, { recursive: true });
for (const [target, name] of Object.entries(MODULES)) {
  copyFileSync(path.join(modules, target, 'pocketintent.wasm'), path.join(DIST, name));
}
await bundle(readFileSync(path.join(DIST, MODULES['wasm32-simd'])));
writeTypes();
copyFileSync(path.join(ROOT, 'LICENSE'), path.join(WEB, 'LICENSE')); // npm packs the package's own
printSizes();
await buildStudio();
