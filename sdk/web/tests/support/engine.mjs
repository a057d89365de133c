// What the engine that runs a test has.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const RELAXED = fileURLToPath(new URL('../../dist/pocketintent-relaxed.wasm', import.meta.url));

/** What computes a bot here: Node has relaxed SIMD from version 21 on. */
export const INSTRUCTIONS = WebAssembly.validate(readFileSync(RELAXED))
  ? 'relaxed-simd'
  : 'simd128';
