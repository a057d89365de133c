/** Modules of the studio for tests: bundled in memory, since the page has them in one script. */

import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const STUDIO = new URL('../../studio/', import.meta.url);
export const REPOSITORY = new URL('../../../../', import.meta.url);

/** Imports a module by its path in `studio/`, such as `bot/checks.ts`; again for another `mark`. */
export async function load(module, mark = '') {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(module, STUDIO))],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    write: false,
  });
  const code = Buffer.from(outputFiles[0].contents).toString('base64');
  return import(`data:text/javascript;base64,${code}${mark}`);
}

/** What the Python package says: tests/support/studio_vectors.py. */
export async function readVectors() {
  return JSON.parse(await readFile(new URL('vectors.json', import.meta.url), 'utf8'));
}

export async function readJson(path) {
  return JSON.parse(await readFile(new URL(path, REPOSITORY), 'utf8'));
}
