// The package as npm packs it, installed for the bundlers; and the examples of docs/web.md.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT, WEB } from './files.mjs';

const BUNDLERS = path.join(WEB, 'tests', 'bundlers');
const MODULES = path.join(BUNDLERS, 'node_modules');

/** Options of a test that needs the bundlers, beside those it has. */
export const needsBundlers = (options) =>
  existsSync(path.join(MODULES, 'vite'))
    ? options
    : { skip: 'no bundlers: `make web` installs them' };

/** Installs the package where apps in {@link makeApp}'s folders find it; returns its folder. */
export function installPackage() {
  const target = path.join(MODULES, 'pocketintent');
  const shell = process.platform === 'win32';
  const call = ['pack', '--json', '--ignore-scripts', '--pack-destination', MODULES];
  const packed = JSON.parse(execFileSync('npm', call, { cwd: WEB, shell }));
  const archive = path.join(MODULES, (packed[0] ?? packed.pocketintent).filename);
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  execFileSync('tar', ['-xzf', archive, '-C', target, '--strip-components', '1']);
  rmSync(archive);
  return target;
}

/** Makes a folder with an app: files by their names. */
export function makeApp(name, files) {
  const folder = path.join(BUNDLERS, 'build', name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [file, content] of Object.entries(files)) {
    writeFileSync(path.join(folder, file), content);
  }
  return folder;
}

/** Copies a file or folder. */
export const copy = (from, to) => cpSync(from, to, { recursive: true });

/** The code of a block of docs/web.md, by its title. */
export function example(title) {
  const page = readFileSync(path.join(ROOT, 'docs', 'web.md'), 'utf8');
  const found = new RegExp(`^\`\`\`\\w+ title="${title}"\\n(.*?)^\`\`\``, 'ms').exec(page);
  if (found === null) {
    throw new Error(`docs/web.md has no example ${title}`);
  }
  return found[1];
}
