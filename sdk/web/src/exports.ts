/** What the entries with a recogniser export beside it. */

export * from './errors.js';
export type * from './types.js';
export type { RecognizerOptions, WasmSource } from './wasm/module.js';
