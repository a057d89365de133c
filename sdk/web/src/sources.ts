/** The bytes of a source: fetched, read from a file in Node, or given. */

import { LoadError } from './errors.js';
import { nodeModule } from './host.js';
import type { LoadOptions, Source } from './types.js';

/** The content of a file, and what messages call it. */
export interface Content {
  readonly bytes: Uint8Array;
  /** Its address or path; null if it has none. */
  readonly name: string | null;
}

interface FileSystem {
  readonly promises: {
    readFile(path: string | URL, options: { signal?: AbortSignal }): Promise<Uint8Array>;
  };
}

const ADDRESS = /^(https?|data|blob|file):/i;

/**
 * Reads a source to its end.
 *
 * @throws {LoadError} It cannot be had; the message names its address.
 */
export async function readSource(
  source: Source | Content,
  options: LoadOptions = {},
): Promise<Content> {
  options.signal?.throwIfAborted();
  if (isContent(source)) {
    return source;
  }
  if (source instanceof ArrayBuffer) {
    return { bytes: new Uint8Array(source), name: null };
  }
  if (ArrayBuffer.isView(source)) {
    const { buffer, byteOffset, byteLength } = source;
    return { bytes: new Uint8Array(buffer, byteOffset, byteLength), name: null };
  }
  if (typeof Blob === 'function' && source instanceof Blob) {
    return readBlob(source, options);
  }
  if (typeof Response === 'function' && source instanceof Response) {
    return readResponse(source, source.url || 'the response', options);
  }
  if (typeof source === 'string' || source instanceof URL) {
    return readAddress(source, options);
  }
  if (typeof Request === 'function' && source instanceof Request) {
    return readResponse(await fetchFrom(source, source.url, options), source.url, options);
  }
  throw new TypeError(
    'a source must be an address, a path, a Response, a Request, a Blob, or bytes',
  );
}

/** Whether a source was read before, by the page for its worker. */
function isContent(source: Source | Content): source is Content {
  return (
    typeof source === 'object' &&
    source !== null &&
    'bytes' in source &&
    source.bytes instanceof Uint8Array
  );
}

/** Fetches an address; in Node, what has no scheme is a path. */
async function readAddress(address: string | URL, options: LoadOptions): Promise<Content> {
  const name = String(address);
  const files = nodeModule<FileSystem>('fs');
  if (files !== null && (!ADDRESS.test(name) || /^file:/i.test(name))) {
    const path = ADDRESS.test(name) ? new URL(name) : name;
    return { bytes: await readFile(files, path, options), name };
  }
  return readResponse(await fetchFrom(address, name, options), name, options);
}

/** Fetches an address. The answer may be an error of the server. */
export async function fetchFrom(
  request: string | URL | Request,
  name: string,
  { signal }: LoadOptions,
): Promise<Response> {
  try {
    return await fetch(request, signal === undefined ? {} : { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw new LoadError(
      `${name} could not be fetched: there is no connection, no such server, or the server or the ` +
        `page's policy does not allow this page to read it (${words(error)})`,
      { cause: error },
    );
  }
}

/** Throws if an answer is an error of the server. */
export function checkAnswer(response: Response, name: string): void {
  if (!response.ok) {
    const reason =
      response.status === 404
        ? 'the server has no such file'
        : `the server refused it${response.statusText === '' ? '' : `: ${response.statusText}`}`;
    throw new LoadError(`${name} could not be fetched: ${reason} (status ${response.status})`);
  }
}

async function readResponse(
  response: Response,
  name: string,
  options: LoadOptions,
): Promise<Content> {
  checkAnswer(response, name);
  if (response.bodyUsed) {
    throw new LoadError(`${name} was read before: a Response can be read once`);
  }
  const bytes = await readBody(response, name, options);
  if (isPage(bytes)) {
    throw new LoadError(
      `${name} is a web page and no bot file or model: the server answers with a page where it has ` +
        'no such file',
    );
  }
  return { bytes, name };
}

async function readBody(
  response: Response,
  name: string,
  { onProgress, signal }: LoadOptions,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  const length = Number(response.headers.get('content-length'));
  // The length of a compressed file is not that of its bytes; of another origin's file the header
  // that says so may be hidden.
  let total = response.headers.has('content-encoding') || length === 0 ? null : length;
  let loaded = 0;
  const reader = response.body?.getReader();
  const next = async () => {
    try {
      return await reader?.read();
    } catch (error) {
      signal?.throwIfAborted();
      throw lostConnection(name, loaded, total, error);
    }
  };
  for (let part = await next(); part?.done === false; part = await next()) {
    parts.push(part.value);
    loaded += part.value.length;
    total = total !== null && loaded > total ? null : total;
    onProgress?.({ loaded, total });
  }
  return joined(parts, loaded);
}

function lostConnection(name: string, loaded: number, total: number | null, error: unknown): Error {
  const part = total === null ? `${loaded} bytes` : `${loaded} of ${total} bytes`;
  return new LoadError(`${name}: the connection was lost after ${part} (${words(error)})`, {
    cause: error,
  });
}

function joined(parts: readonly Uint8Array[], size: number): Uint8Array {
  const [first] = parts;
  if (parts.length === 1 && first !== undefined) {
    return first;
  }
  const bytes = new Uint8Array(size);
  let place = 0;
  for (const part of parts) {
    bytes.set(part, place);
    place += part.length;
  }
  return bytes;
}

/** Whether bytes begin as a page of HTML. A model file begins with a number of eight bytes. */
function isPage(bytes: Uint8Array): boolean {
  const start = new TextDecoder().decode(bytes.subarray(0, 64));
  return /^\s*<(!doctype|html|head|\?xml|!--)/i.test(start);
}

async function readBlob(blob: Blob, { onProgress, signal }: LoadOptions): Promise<Content> {
  const name = 'name' in blob && typeof blob.name === 'string' ? blob.name : null;
  try {
    const bytes = new Uint8Array(await blob.arrayBuffer());
    signal?.throwIfAborted();
    onProgress?.({ loaded: bytes.length, total: bytes.length });
    return { bytes, name };
  } catch (error) {
    signal?.throwIfAborted();
    throw new LoadError(`${name ?? 'the Blob'} could not be read (${words(error)})`, {
      cause: error,
    });
  }
}

const FILE_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'this program may not read it',
};

async function readFile(
  files: FileSystem,
  path: string | URL,
  { onProgress, signal }: LoadOptions,
): Promise<Uint8Array> {
  let bytes: Uint8Array;
  try {
    bytes = await files.promises.readFile(path, signal === undefined ? {} : { signal });
  } catch (error) {
    signal?.throwIfAborted();
    const code = (error as { code?: string }).code ?? '';
    const reason = FILE_ERRORS[code] ?? words(error);
    throw new LoadError(`${String(path)} cannot be read: ${reason}`, { cause: error });
  }
  onProgress?.({ loaded: bytes.length, total: bytes.length });
  return bytes;
}

/** What an error of the host says. */
export function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
