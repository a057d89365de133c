// A server of files for a test, with answers that go wrong on purpose.
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.wasm': 'application/wasm',
  '.json': 'application/json',
};

/**
 * Serves folders on the loopback address.
 *
 * @param folders - Paths of folders by the beginnings of addresses, such as `/dist/`.
 * @param special - Functions of request and response by addresses.
 */
export async function serve(folders, special = {}) {
  const requests = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    requests.push(pathname);
    if (special[pathname] !== undefined) {
      special[pathname](request, response);
      return;
    }
    const start = Object.keys(folders).find((name) => pathname.startsWith(name));
    const file =
      start && path.join(folders[start], decodeURIComponent(pathname.slice(start.length)));
    if (!file || !existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404, { 'content-type': 'text/html' }).end('<!doctype html>not here');
      return;
    }
    response.writeHead(200, {
      'content-type': TYPES[path.extname(file)] ?? 'application/octet-stream',
      'content-length': statSync(file).size,
    });
    createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${server.address().port}`;
  const close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return { origin, requests, close };
}

/** Answers that go wrong, for {@link serve}: a file that ends too early, and a page instead of one. */
export const failures = (file) => ({
  '/lost': (_, response) => {
    const content = readFileSync(file);
    response.writeHead(200, { 'content-length': content.length });
    response.write(content.subarray(0, content.length / 2), () => response.destroy());
  },
  '/cut': (_, response) => {
    const content = readFileSync(file);
    response.writeHead(200).end(content.subarray(0, content.length / 2));
  },
  '/page': (_, response) => {
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end('<!DOCTYPE html><title>App</title>');
  },
  '/broken': (_, response) => response.writeHead(500).end(),
  '/slow': (_, response) => {
    response.writeHead(200).write('slow');
  },
  ...inParts(file),
});

/** A file whose second half is sent once the first has arrived, which the page says by a request. */
function inParts(file) {
  const content = readFileSync(file);
  const half = content.length >> 1;
  let sendRest;
  return {
    '/parts': (_, response) => {
      response.writeHead(200, { 'content-length': content.length });
      response.write(content.subarray(0, half));
      sendRest = () => response.end(content.subarray(half));
    },
    '/rest': (_, response) => {
      sendRest();
      response.writeHead(204).end();
    },
  };
}
