// The built studio as `pocketintent studio --export` writes it, on a server that can be cut off.
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..', '..', '..');
export const STUDIO = path.join(ROOT, 'build', 'web', 'studio');
export const EXAMPLE = path.join(ROOT, 'docs', 'examples', 'smart_home_utterances.csv');
const ASSETS = path.join(ROOT, 'sdk', 'pocketintent', 'assets');
const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
};

/** The JSON of a template set that ships. */
export const readTemplates = (name = 'smart_home') =>
  readFileSync(path.join(ROOT, 'templates', `${name}.json`), 'utf8');

export const modelFile = (name) => path.join(ASSETS, `${name}.safetensors`);

/** Serves a page with the templates and the models; `special` answers for some addresses. */
export async function serveStudio(options = {}) {
  const { name: bot = 'my_bot', templates, models = ['tiny'], special = {} } = options;
  const made = {
    '/studio.json': JSON.stringify({
      name: bot,
      templates: templates === undefined ? null : 'templates.json',
      models: models.map((name) => ({ name, file: `${name}.safetensors` })),
      offline: true,
    }),
    ...(templates === undefined ? {} : { '/templates.json': templates }),
  };
  const requests = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    requests.push(pathname);
    if (special[pathname]) return special[pathname](request, response);
    const name = pathname === '/' ? '/index.html' : pathname;
    const type = TYPES[path.extname(name)] ?? 'application/octet-stream';
    if (made[name] !== undefined) {
      return response.writeHead(200, { 'content-type': type }).end(made[name]);
    }
    const folder = name.endsWith('.safetensors') ? ASSETS : STUDIO;
    const file = path.join(folder, name);
    if (!existsSync(file)) return response.writeHead(404).end();
    const length = statSync(file).size;
    response.writeHead(200, { 'content-type': type, 'content-length': length });
    createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${server.address().port}/`,
    made,
    requests,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
