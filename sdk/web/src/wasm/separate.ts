/** The module in a file of its own, beside the script. */

import { LoadError } from '../errors.js';
import { compileAddress } from './module.js';
import { hasRelaxedSimd, hasSimd } from './simd.js';

/** Compiles the file for this engine. Bundlers find all by exactly these words, and put them where
 * the addresses lead. */
export async function separateModule(): Promise<WebAssembly.Module> {
  let address: URL;
  try {
    address = hasRelaxedSimd()
      ? new URL('./pocketintent-relaxed.wasm', import.meta.url)
      : hasSimd()
        ? new URL('./pocketintent.wasm', import.meta.url)
        : new URL('./pocketintent-plain.wasm', import.meta.url);
  } catch (error) {
    throw new LoadError(
      'the script has no address here, so that pocketintent.wasm cannot be found: name it in the ' +
        'option `wasm`, or import `pocketintent/inline`',
      { cause: error },
    );
  }
  return compileAddress(address);
}
