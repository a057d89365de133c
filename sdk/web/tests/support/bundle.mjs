// Modules of src/ that no entry exports, for their own tests.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { WEB } from './files.mjs';

/** Imports a module of src/. */
export async function importSource(name) {
  const outfile = path.join(WEB, 'build', 'tests', name.replace(/\.ts$/, '.mjs'));
  const entryPoints = [path.join(WEB, 'src', name)];
  await build({ entryPoints, outfile, bundle: true, format: 'esm', target: 'es2022' });
  return import(pathToFileURL(outfile));
}
