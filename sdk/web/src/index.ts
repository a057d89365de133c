/** `pocketintent`: the recogniser, with its WebAssembly module as a file of its own. */

import { setDefaultModule } from './wasm/module.js';
import { separateModule } from './wasm/separate.js';

export * from './exports.js';
export { Recognizer } from './wasm/recognizer.js';

setDefaultModule(separateModule);
