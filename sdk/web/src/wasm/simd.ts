/** Whether the engine has WebAssembly, and which of its SIMD instructions. */

const HEAD = '0061736d01000000' + '0105016000017b' + '03020100'; // one function that returns a vector

// (v128.const i32x4 0 0 0 0)
const SIMD = HEAD + '0a16011400' + 'fd0c' + '00'.repeat(16) + '0b';

// (f32x4.relaxed_madd a a a), where a is (i32x4.splat (i32.const 0))
const RELAXED = HEAD + '0a13011100' + '4100fd11'.repeat(3) + 'fd8502' + '0b';

const runs = (module: string): boolean =>
  hasWasm() &&
  WebAssembly.validate(Uint8Array.from(module.match(/../g) ?? [], (byte) => parseInt(byte, 16)));

/** Whether the engine runs WebAssembly at all. */
export function hasWasm(): boolean {
  return typeof WebAssembly === 'object' && typeof WebAssembly.validate === 'function';
}

/** Whether the engine runs modules with simd128. */
export const hasSimd = (): boolean => runs(SIMD);

/** Whether it also multiplies and adds at once, which relaxed SIMD allows. */
export const hasRelaxedSimd = (): boolean => runs(RELAXED);
