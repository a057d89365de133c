/** Whether the engine has WebAssembly, and which of its SIMD instructions. */

/** Whether the engine takes a module with one function, which returns a vector. */
function runs(code: string): boolean {
  const module = `0061736d010000000105016000017b03020100${code}0b`;
  const bytes = module.match(/../g)!.map((byte) => parseInt(byte, 16));
  return hasWasm() && WebAssembly.validate(new Uint8Array(bytes));
}

/** Whether the engine runs WebAssembly at all. */
export function hasWasm(): boolean {
  return typeof WebAssembly === 'object' && typeof WebAssembly.validate === 'function';
}

/** Whether the engine runs modules with simd128: (v128.const i32x4 0 0 0 0). */
export const hasSimd = (): boolean => runs('0a16011400fd0c' + '00'.repeat(16));

/** Whether it also multiplies and adds at once, which relaxed SIMD allows: (f32x4.relaxed_madd a a a),
 * where a is (i32x4.splat (i32.const 0)). */
export const hasRelaxedSimd = (): boolean => runs('0a13011100' + '4100fd11'.repeat(3) + 'fd8502');
