/** The templates in a bot file, which the page shows while the core reads the rest. */

import { FileProblem } from './forms.js';

const TENSOR = 'bot.templates';

interface Tensor {
  readonly dtype: string;
  readonly data_offsets: readonly [number, number];
}

/** Whether bytes begin as a model or bot file does: with the size of a header, and the header. */
export function isModelFile(bytes: Uint8Array): boolean {
  return bytes.length > 8 && bytes[8] === 0x7b && headerSize(bytes) <= bytes.length - 8;
}

/** The JSON of the templates in a bot file; null for a model, which has none. */
export function templatesOf(bytes: Uint8Array, name: string): string | null {
  try {
    const start = 8 + headerSize(bytes);
    const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, start)));
    const tensor: Tensor | undefined = header[TENSOR];
    if (!tensor) return null;
    const [from, to] = tensor.data_offsets;
    return new TextDecoder('utf-8', { fatal: true }).decode(
      bytes.subarray(start + from, start + to),
    );
  } catch {
    throw new FileProblem(`${name} is damaged: its header cannot be read; copy or build it again`);
  }
}

function headerSize(bytes: Uint8Array): number {
  return Number(new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0, true));
}
