/** `pocketintent/inline`: the recogniser with its WebAssembly module inside the script, for bundlers
 * and pages that cannot serve a file more. The module is the one with SIMD alone. */

import { UnsupportedError } from './errors.js';
import { inlinedModule } from './wasm/inlined.js';
import { compileBytes, setDefaultModule } from './wasm/module.js';
import { hasSimd } from './wasm/simd.js';

export * from './exports.js';
export { Recognizer } from './wasm/recognizer.js';

setDefaultModule(async () => {
  if (!hasSimd()) {
    throw new UnsupportedError(
      'this engine has no SIMD for WebAssembly, which the module of `pocketintent/inline` needs: ' +
        '`pocketintent` and `pocketintent/plain` do without it',
    );
  }
  return compileBytes(await inlinedModule(), 'the module in the script');
});
