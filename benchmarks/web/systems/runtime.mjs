// onnxruntime-web, on one thread.
import * as ort from 'onnxruntime-web/wasm';

ort.env.wasm.numThreads = 1;
ort.env.wasm.wasmPaths = '/onnxruntime/';

export { ort };

export const fetchBytes = async (address) =>
  new Uint8Array(await (await fetch(address)).arrayBuffer());
