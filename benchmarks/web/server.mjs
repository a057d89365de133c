// A server on the loopback address, with the headers that a static host sends, which counts.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.mjs': 'text/javascript',
  '.js': 'text/javascript',
  '.wasm': 'application/wasm',
  '.json': 'application/json',
};
/** `Cache-Control` of all answers. */
export const LASTING = 'max-age=86400';
export const ASKING = 'no-cache'; // which keeps them, and asks each time whether they changed

// Only a page that is isolated by these has a clock that counts in 5 and not in 100 microseconds.
const ISOLATED = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
};

/**
 * Serves folders, and contents that are put to addresses.
 *
 * @param folders - Paths by the beginnings of addresses, such as `/dist/`.
 */
export async function serve(folders) {
  const state = { requests: [], caching: LASTING };
  const contents = new Map();

  function find(address) {
    if (contents.has(address)) return contents.get(address);
    const start = Object.keys(folders).find((name) => address.startsWith(name));
    const file = start && path.join(folders[start], address.slice(start.length));
    return file && existsSync(file) ? readFileSync(file) : null;
  }

  function answer(request, response) {
    const address = new URL(request.url, 'http://localhost').pathname;
    const content = find(address);
    if (content === null) {
      state.requests.push({ address, status: 404, bytes: 0 });
      response.writeHead(404).end();
      return;
    }
    const etag = `"${createHash('sha256').update(content).digest('hex').slice(0, 32)}"`;
    const headers = { ...ISOLATED, etag, 'cache-control': state.caching };
    if (request.headers['if-none-match'] === etag) {
      state.requests.push({ address, status: 304, bytes: 0 });
      response.writeHead(304, headers).end();
      return;
    }
    state.requests.push({ address, status: 200, bytes: content.length });
    const type = TYPES[path.extname(address)] ?? 'application/octet-stream';
    response.writeHead(200, { ...headers, 'content-type': type, 'content-length': content.length });
    response.end(content);
  }

  const server = createServer(answer);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    put: (address, content) => contents.set(address, Buffer.from(content)),
    find,
    /** The requests since the last call; the answers of the next ones have this `Cache-Control`. */
    takeRequests: (caching = LASTING) => {
      const { requests } = state;
      Object.assign(state, { requests: [], caching });
      return requests;
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
