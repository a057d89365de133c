/** The compiled module: where it comes from. All recognisers of a page share it. */

import { LoadError, UnsupportedError } from '../errors.js';
import { checkAnswer, fetchFrom, readSource, words } from '../sources.js';
import type { LoadOptions } from '../types.js';
import { nodeModule } from '../host.js';
import { hasWasm } from './simd.js';

/** Where the WebAssembly module is: an address, a path in Node, its bytes, or what is compiled. */
export type WasmSource =
  string | URL | Response | ArrayBuffer | ArrayBufferView | WebAssembly.Module;

const OWN_FILE =
  'Copy it from the package beside the script, name its address in the option `wasm`, ' +
  'or import `pocketintent/inline`.';

type ModuleMaker = () => Promise<WebAssembly.Module>;
let makeDefault: ModuleMaker = () => Promise.reject(new LoadError('no module'));
let shared: Promise<WebAssembly.Module> | null = null;
const given = new Map<string, Promise<WebAssembly.Module>>();

/** Says where the module is that is used if none is named: each entry of the package has its own. */
export function setDefaultModule(make: ModuleMaker): void {
  makeDefault = make;
}

/** The module, compiled when it is first asked for. After an error the next call tries again. */
export async function loadModule(source?: WasmSource): Promise<WebAssembly.Module> {
  if (!hasWasm()) {
    throw new UnsupportedError(
      'there is no WebAssembly here: `pocketintent/plain` matches without it',
    );
  }
  if (source === undefined) {
    shared ??= makeDefault();
    return await shared.catch((error: unknown) => {
      shared = null;
      throw error;
    });
  }
  if (source instanceof WebAssembly.Module) {
    return source;
  }
  if (typeof source !== 'string' && !(source instanceof URL)) {
    const { bytes, name } = await readSource(source);
    return compileBytes(bytes, name ?? 'the module');
  }
  const key = String(source);
  const module = given.get(key) ?? compileAddress(source);
  given.set(key, module);
  return await module.catch((error: unknown) => {
    given.delete(key);
    throw error;
  });
}

/** Compiles the module of an address, while it arrives where the server names its type. */
export async function compileAddress(address: string | URL): Promise<WebAssembly.Module> {
  const name = String(address);
  if (nodeModule('fs') !== null && !/^(https?|data|blob):/i.test(name)) {
    const { bytes } = await ownFile(readSource(address));
    return compileBytes(bytes, name);
  }
  const response = await ownFile(fetchFrom(address, name, {}));
  await ownFile(Promise.resolve(response).then((answer) => checkAnswer(answer, name)));
  // Engines compile no stream of a type with parameters.
  const type = response.headers.get('content-type')?.toLowerCase();
  if (type === 'application/wasm' && typeof WebAssembly.compileStreaming === 'function') {
    const compiling = WebAssembly.compileStreaming(response);
    return compiled(whole(compiling, name), name);
  }
  return compileBytes(await whole(response.arrayBuffer(), name), name);
}

/** Tells a connection that was lost from bytes that are no module, from too little memory, and from
 * the policy of the page, which Safari reports by an EvalError. */
async function whole<T>(arriving: Promise<T>, name: string): Promise<T> {
  try {
    return await arriving;
  } catch (error) {
    const others = [WebAssembly.CompileError, RangeError, EvalError];
    if (others.some((ErrorClass) => error instanceof ErrorClass)) {
      throw error;
    }
    throw new LoadError(`${name}: the connection was lost while it arrived (${words(error)})`, {
      cause: error,
    });
  }
}

/** Compiles the bytes of a module. */
export function compileBytes(
  bytes: ArrayBuffer | Uint8Array,
  name: string,
): Promise<WebAssembly.Module> {
  return compiled(WebAssembly.compile(bytes as BufferSource), name);
}

/** Adds to an error of loading what may be done about it. */
async function ownFile<T>(loading: Promise<T>): Promise<T> {
  try {
    return await loading;
  } catch (error) {
    if (!(error instanceof LoadError)) {
      throw error;
    }
    throw new LoadError(`${error.message}. ${OWN_FILE}`, { cause: error });
  }
}

async function compiled(
  compiling: Promise<WebAssembly.Module>,
  name: string,
): Promise<WebAssembly.Module> {
  try {
    return await compiling;
  } catch (error) {
    if (error instanceof LoadError) {
      throw error;
    }
    if (/content.security.policy|unsafe-eval|\bCSP\b/i.test(words(error))) {
      throw new UnsupportedError(
        "the page's Content-Security-Policy allows no WebAssembly: add 'wasm-unsafe-eval' to its " +
          '`script-src`, or match with `pocketintent/plain`, which needs none',
        { cause: error },
      );
    }
    throw new LoadError(
      `${name} is no WebAssembly module that runs here (${words(error)}). ${OWN_FILE}`,
      { cause: error },
    );
  }
}

/** Options of loading that need the module. */
export interface RecognizerOptions extends LoadOptions {
  /** Where the WebAssembly module is, if it is not beside the script. Of a URL or string it is
   * compiled once; hand over the compiled module to share other ones. */
  readonly wasm?: WasmSource;
}
