/** Whether the engine has WebAssembly, and its SIMD instructions. */

// A function that returns a vector of zeros: (func (result v128) (v128.const i32x4 0 0 0 0)).
const PROBE = [
  0x00,
  0x61,
  0x73,
  0x6d,
  1,
  0,
  0,
  0, // the magic word and the version
  1,
  5,
  1,
  0x60,
  0,
  1,
  0x7b, // types: one function without arguments that returns v128
  3,
  2,
  1,
  0, // functions: one of this type
  10,
  22,
  1,
  20,
  0, // code: one body of 20 bytes without locals
  0xfd,
  12,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0x0b,
];

/** Whether the engine runs WebAssembly at all. */
export function hasWasm(): boolean {
  return typeof WebAssembly === 'object' && typeof WebAssembly.validate === 'function';
}

/** Whether the engine runs modules with simd128. */
export function hasSimd(): boolean {
  return hasWasm() && WebAssembly.validate(new Uint8Array(PROBE));
}
