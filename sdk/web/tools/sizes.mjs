// The sizes of the built files: node tools/sizes.mjs [--docs]
//
// Prints one JSON line for each file of dist/: its bytes, and those that gzip and brotli make of it.
// With --docs they also go into the table of docs/web.md, which a test compares with them.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';

const WEB = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
export const PAGE = path.join(WEB, '..', '..', 'docs', 'web.md');

/** The row of a file in the page, up to its sizes, and these. */
const rowOf = (file) =>
  new RegExp(
    `^(\\| \`${file.replaceAll('.', '\\.')}\` \\| .*? \\| )([\\d,]+) \\| ([\\d,]+) \\| ([\\d,]+)`,
    'm',
  );

/** The scripts and modules in dist/ with their sizes. */
export function measure() {
  const dist = path.join(WEB, 'dist');
  const files = readdirSync(dist).filter((name) => /\.(js|wasm)$/.test(name));
  return files.map((file) => {
    const content = readFileSync(path.join(dist, file));
    const gzip = gzipSync(content, { level: 9 }).length;
    return { file, bytes: content.length, gzip, brotli: brotliCompressSync(content).length };
  });
}

/** The sizes that the page tells of a file; null if it has no row of it. */
export function documented(page, file) {
  const sizes = rowOf(file).exec(page)?.slice(2);
  const [bytes, gzip, brotli] = sizes?.map((size) => Number(size.replaceAll(',', ''))) ?? [];
  return sizes === undefined ? null : { file, bytes, gzip, brotli };
}

/** Prints the sizes. */
export function printSizes(sizes = measure()) {
  sizes.forEach((size) => console.log(JSON.stringify(size)));
}

function fillPage(sizes) {
  let page = readFileSync(PAGE, 'utf8');
  for (const { file, ...numbers } of sizes) {
    const cells = Object.values(numbers).map((size) => size.toLocaleString('en'));
    page = page.replace(rowOf(file), (_, start) => start + cells.join(' | '));
  }
  writeFileSync(PAGE, page);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  printSizes();
  if (process.argv.includes('--docs')) {
    fillPage(measure());
  }
}
