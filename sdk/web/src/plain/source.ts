/* The bytes of a file: from an address, a path in Node, a response, a blob or memory. */

import { LoadError } from '../errors.js';
import type { LoadOptions, Source } from '../types.js';

/** Bytes, and what messages call them. */
interface Loaded {
  readonly bytes: Uint8Array;
  readonly name: string;
}

/** What is needed of `node:fs/promises`. */
interface FileSystem {
  readFile(path: string | URL, options: { signal?: AbortSignal }): Promise<Uint8Array>;
}
interface Runtime {
  readonly process?: { getBuiltinModule?(name: string): FileSystem };
}

/** The bytes of a buffer or a view. */
export function bytesOf(source: ArrayBuffer | ArrayBufferView): Uint8Array<ArrayBuffer> {
  if (!ArrayBuffer.isView(source)) return new Uint8Array(source);
  const { buffer, byteOffset, byteLength } = source;
  return new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);
}

/** Files, where the engine has them. They are not imported, since bundlers for devices look for each
 * import, and fail. */
function findFiles(): FileSystem | undefined {
  return (globalThis as Runtime).process?.getBuiltinModule?.('node:fs/promises');
}

/** How many bytes will come; null if the server does not say, or compresses them. */
function totalOf({ headers }: Response): number | null {
  const length = headers.get('content-length');
  return length === null || headers.get('content-encoding') !== null ? null : Number(length);
}

/** The parts of a stream, one behind the other. */
async function readStream(response: Response, options: LoadOptions): Promise<Uint8Array> {
  const reader = response.body!.getReader();
  const total = totalOf(response);
  const parts: Uint8Array[] = [];
  let loaded = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    options.signal?.throwIfAborted?.();
    parts.push(value);
    loaded += value.length;
    options.onProgress?.({ loaded, total });
  }
  const bytes = new Uint8Array(loaded);
  let place = 0;
  for (const part of parts) {
    bytes.set(part, place);
    place += part.length;
  }
  return bytes;
}

async function readResponse(response: Response, options: LoadOptions): Promise<Uint8Array> {
  if (!response.ok) {
    throw new LoadError(`${response.url} cannot be loaded: the server answers ${response.status}`);
  }
  // Some engines have responses without streams.
  if (options.onProgress && response.body) return readStream(response, options);
  const bytes = new Uint8Array(await response.arrayBuffer());
  options.onProgress?.({ loaded: bytes.length, total: bytes.length });
  return bytes;
}

async function readFrom(source: Source, options: LoadOptions): Promise<Uint8Array> {
  if (typeof source === 'object' && 'arrayBuffer' in source) {
    if ('ok' in source) return readResponse(source, options);
    if (!('url' in source)) return new Uint8Array(await source.arrayBuffer());
  }
  const settings = options.signal ? { signal: options.signal } : {};
  const address = String(source);
  const isPlace = typeof source === 'string' || 'href' in source;
  const isFile = isPlace && (address.startsWith('file:') || !/^[a-z][a-z0-9+.-]+:/i.test(address));
  const files = isFile ? findFiles() : undefined;
  if (files !== undefined) {
    const path = address.startsWith('file:') ? new URL(address) : address;
    // A Buffer has a `slice` of its own, which copies nothing.
    const bytes = bytesOf(await files.readFile(path, settings));
    options.onProgress?.({ loaded: bytes.length, total: bytes.length });
    return bytes;
  }
  return readResponse(await fetch(source as Request | string | URL, settings), options);
}

/** Loads a source; a {@link LoadError} says what went wrong, unless the caller's signal ended it. */
export async function loadBytes(source: Source, options: LoadOptions): Promise<Loaded> {
  const { signal } = options;
  if (signal?.aborted) throw signal.reason;
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) {
    return { bytes: bytesOf(source).slice(), name: 'the buffer' };
  }
  const isPlace = typeof source === 'string' || 'href' in source;
  const name = isPlace ? String(source) : ('url' in source && source.url) || 'the file';
  try {
    return { bytes: await readFrom(source, options), name };
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (error instanceof LoadError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new LoadError(`${name} cannot be loaded: ${why}`, { cause: error });
  }
}
