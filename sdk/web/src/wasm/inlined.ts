/** The module in the script: compressed by gzip, in base64, which the build puts in. */

import { UnsupportedError } from '../errors.js';

/** Put in by `tools/build.mjs`. Brotli makes 77 KB of this, and 85 KB of base64 of the module itself. */
declare const INLINED_WASM: string;

/** The bytes of the module, when they are first needed. */
export async function inlinedModule(): Promise<ArrayBuffer> {
  if (typeof DecompressionStream !== 'function') {
    throw new UnsupportedError(
      'this engine has no DecompressionStream, which `pocketintent/inline` needs: `pocketintent` ' +
        'does without it',
    );
  }
  const compressed = Uint8Array.from(atob(INLINED_WASM), (char) => char.charCodeAt(0));
  const stream = new Blob([compressed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).arrayBuffer();
}
