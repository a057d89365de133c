/// <reference lib="esnext.disposable" preserve="true" />
/** The recogniser in a worker: the same calls as promises. */

import { readSource } from '../sources.js';
import type {
  Addition,
  Candidate,
  Explanation,
  LoadOptions,
  Match,
  Source,
  Templates,
  TemplateSet,
} from '../types.js';
import type { RecognizerOptions, WasmSource } from '../wasm/module.js';
import { Connection, type Thread } from './connection.js';
import type { Call } from './protocol.js';

/** Options of a recogniser in a worker. */
export interface WorkerOptions extends RecognizerOptions {
  /** The address, in Node the path, of the package's `worker-thread.js`, where a bundler does not
   * find it. */
  readonly worker?: string | URL;
  /** Whether an ArrayBuffer that is given as the source, or a view of a whole one, moves to the
   * worker, and is empty afterwards; otherwise it is copied. */
  readonly transfer?: boolean;
}

type ThreadStarter = (address: string | URL | null) => Thread;
let startThread: ThreadStarter;

/** Says how a worker is started: a Web Worker, or a thread of Node. */
export function setThreadStarter(start: ThreadStarter): void {
  startThread = start;
}

/** Ends the workers of recognisers that nobody has any more. */
const abandoned =
  typeof FinalizationRegistry === 'function'
    ? new FinalizationRegistry<Connection>((connection) => connection.end())
    : null;

/**
 * A recogniser that works in a worker of its own, so that the page never waits. Calls may overlap: they
 * are answered in their order. Errors have the classes and messages of {@link Recognizer}'s.
 */
export class WorkerRecognizer {
  readonly #connection: Connection;

  private constructor(connection: Connection) {
    this.#connection = connection;
    abandoned?.register(this, connection, this);
  }

  /** Opens a bot file, as `Recognizer.load` does. The page fetches it, and the worker opens it. */
  static async load(bot: Source, options: WorkerOptions = {}): Promise<WorkerRecognizer> {
    return new WorkerRecognizer(await connect('load', bot, [], options));
  }

  /** Makes a bot of a model and templates, as `Recognizer.fromTemplates` does. */
  static async fromTemplates(
    model: Source,
    templates: Templates | string,
    options: WorkerOptions = {},
  ): Promise<WorkerRecognizer> {
    return new WorkerRecognizer(await connect('fromTemplates', model, [templates], options));
  }

  /** The intent of a text. */
  match(text: string): Promise<Match> {
    return this.#ask('match', text);
  }

  /** The intents of a text from the best on, whatever the thresholds; 5 if `limit` is not given. */
  rank(text: string, limit?: number): Promise<Candidate[]> {
    return this.#ask('rank', text, limit);
  }

  /** The text as it is matched: itself, or its tokens with their typing errors corrected. */
  read(text: string): Promise<string> {
    return this.#ask('read', text);
  }

  /** The sentence vector of a text. */
  encode(text: string): Promise<Float32Array> {
    return this.#ask('encode', text);
  }

  /** The match of a text, and what each of its words contributes to the score of an intent. */
  explain(text: string, intent?: string): Promise<Explanation> {
    return this.#ask('explain', text, intent);
  }

  /** Names of the intents in the order of the template set. */
  get intents(): Promise<readonly string[]> {
    return this.#ask('intents');
  }

  /** The template set in its long form. */
  get templates(): Promise<TemplateSet> {
    return this.#ask('templates');
  }

  /** The kind of the model, such as `transformer`. */
  get kind(): Promise<string> {
    return this.#ask('kind');
  }

  /** What computes the bot: `relaxed-simd`, `simd128`, or `plain`. */
  get instructions(): Promise<string> {
    return this.#ask('instructions');
  }

  /** Adds an intent, or gives an intent templates, counter-examples or a threshold. */
  addIntent(name: string, addition: readonly string[] | Addition): Promise<void> {
    return this.#ask('addIntent', name, addition);
  }

  /** Removes an intent with its texts. */
  removeIntent(name: string): Promise<void> {
    return this.#ask('removeIntent', name);
  }

  /** Replaces the template set. */
  setTemplates(templates: Templates | string): Promise<void> {
    return this.#ask('setTemplates', templates);
  }

  /** The bytes of a bot file with this bot. */
  save(): Promise<Uint8Array<ArrayBuffer>> {
    return this.#ask('save');
  }

  /** Ends the worker. Calls without an answer yet, and later ones, are rejected with ClosedError. */
  close(): void {
    abandoned?.unregister(this);
    this.#connection.end();
  }

  #ask<T>(call: Call, ...args: unknown[]): Promise<T> {
    return this.#connection.request(call, args, this) as Promise<T>;
  }
}

export interface WorkerRecognizer extends Disposable {}

if (typeof Symbol.dispose === 'symbol') {
  Object.defineProperty(WorkerRecognizer.prototype, Symbol.dispose, {
    value: WorkerRecognizer.prototype.close,
  });
}

/** Starts a worker, reads the source meanwhile, and has the worker open it. */
async function connect(
  call: 'load' | 'fromTemplates',
  source: Source,
  args: readonly unknown[],
  options: WorkerOptions,
): Promise<Connection> {
  const { signal } = options;
  const connection = new Connection(startThread(options.worker ?? null));
  const abort = () => connection.end(signal?.reason as Error);
  signal?.addEventListener('abort', abort);
  try {
    const [content, wasm] = await Promise.all([
      readSource(source, options),
      sendable(options.wasm, options),
    ]);
    const { buffer, byteLength } = content.bytes;
    const isFree = buffer !== bufferOf(source) || options.transfer === true;
    const transfer = isFree && byteLength === buffer.byteLength ? [buffer as ArrayBuffer] : [];
    await connection.request(call, [content, ...args, { wasm }], null, transfer);
    return connection;
  } catch (error) {
    connection.end();
    throw error;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

/** The buffer of a source that is bytes. */
function bufferOf(source: Source): unknown {
  return ArrayBuffer.isView(source) ? source.buffer : source;
}

/** The module in a form that a worker can be sent: an address counts from the page. */
async function sendable(
  wasm: WasmSource | undefined,
  { signal }: LoadOptions,
): Promise<WasmSource | undefined> {
  if (wasm instanceof URL) {
    return wasm.href;
  }
  if (typeof wasm === 'string') {
    const { document } = globalThis as { document?: Document };
    return document === undefined ? wasm : new URL(wasm, document.baseURI).href;
  }
  if (wasm === undefined || wasm instanceof WebAssembly.Module) {
    return wasm;
  }
  return (await readSource(wasm, signal === undefined ? {} : { signal })).bytes as Uint8Array;
}
