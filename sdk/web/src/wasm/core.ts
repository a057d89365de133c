/** The functions that a module exports, and its memory. */

import { OutOfMemoryError } from '../errors.js';
import { words } from '../sources.js';
import { encodeExactly } from './utf8.js';

/** What the module exports: `sdk/native/include/pocketintent.h`. Pointers and sizes are numbers; a
 * structure that C returns is written to an address, which comes first. */
export interface CoreFunctions {
  readonly memory: WebAssembly.Memory;
  _initialize(): void;
  malloc(size: number): number;
  free(place: number): void;
  pintent_open_buffer(
    data: number,
    size: number,
    allocator: number,
    bot: number,
    message: number,
  ): number;
  pintent_open_model_buffer(
    data: number,
    size: number,
    allocator: number,
    bot: number,
    message: number,
  ): number;
  pintent_close(bot: number): void;
  pintent_scratch_new(bot: number, cache: number, scratch: number): number;
  pintent_scratch_free(scratch: number): void;
  pintent_match_text(
    bot: number,
    scratch: number,
    text: number,
    size: number,
    match: number,
  ): number;
  pintent_rank(
    bot: number,
    scratch: number,
    text: number,
    size: number,
    limit: number,
    candidates: number,
    count: number,
  ): number;
  pintent_read(bot: number, scratch: number, text: number, size: number, read: number): number;
  pintent_encode(
    bot: number,
    scratch: number,
    text: number,
    size: number,
    vector: number,
    dim: number,
  ): number;
  pintent_add_intent(bot: number, addition: number, edited: number, message: number): number;
  pintent_remove_intent(
    bot: number,
    name: number,
    size: number,
    edited: number,
    message: number,
  ): number;
  pintent_set_templates(
    bot: number,
    json: number,
    size: number,
    edited: number,
    message: number,
  ): number;
  pintent_templates_json(bot: number, json: number, capacity: number, length: number): number;
  pintent_save_buffer(bot: number, data: number, capacity: number, size: number): number;
  pintent_num_intents(bot: number): number;
  pintent_intent(text: number, bot: number, position: number): void;
  pintent_dim(bot: number): number;
  pintent_kind(bot: number): number;
  pintent_instructions(bot: number): number;
  pintent_status_text(status: number): number;
  pintent_reason_text(reason: number): number;
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const NOTHING = new ArrayBuffer(0);

/** The instance of the latest recogniser that was closed, unless it was collected as garbage. */
let spare: WeakRef<Core> | null = null;

/**
 * An instance of the module with a memory of its own.
 *
 * Each recogniser has one. A memory of WebAssembly never shrinks: in one that all shared, a page that
 * once opened a large bot would keep its megabytes, and edits of one bot would leave gaps between the
 * blocks of another. So when a recogniser ends, or nobody has it any more, its memory is garbage, and
 * an engine that ran out of memory in one goes on with the others. To make an instance takes 0.1 ms,
 * as the code is compiled once and shared, and a few pages of memory that are touched. Engines collect
 * such garbage late, so the next recogniser takes the instance of the latest one that was closed, if it
 * is still there: opening and closing bots in turn takes the memory of one. With 200 of `default`
 * Chromium's process for the page had 161 MB at most, and 729 MB when each had an instance of its own.
 */
export class Core {
  readonly call: CoreFunctions;
  private view = new DataView(NOTHING);
  private content = new Uint8Array(NOTHING);

  private constructor(
    private readonly module: WebAssembly.Module,
    instance: WebAssembly.Instance,
  ) {
    this.call = instance.exports as unknown as CoreFunctions;
    this.call._initialize();
  }

  static async instantiate(module: WebAssembly.Module): Promise<Core> {
    const free = spare?.deref();
    if (free?.module === module) {
      spare = null;
      return free;
    }
    try {
      return new Core(module, await WebAssembly.instantiate(module, {}));
    } catch (error) {
      if (error instanceof RangeError) {
        throw new OutOfMemoryError(`there is no memory for a recogniser (${words(error)})`, {
          cause: error,
        });
      }
      throw error;
    }
  }

  /** Offers an instance in which nothing is allocated any more to the next recogniser. */
  release(): void {
    spare = typeof WeakRef === 'function' ? new WeakRef(this) : null;
  }

  /** The memory as bytes. A memory that grew has another buffer, and views of the old one are empty. */
  get bytes(): Uint8Array {
    if (this.content.length === 0) {
      this.content = new Uint8Array(this.call.memory.buffer);
      this.view = new DataView(this.call.memory.buffer);
    }
    return this.content;
  }

  /** The memory as numbers. */
  get numbers(): DataView {
    void this.bytes;
    return this.view;
  }

  /** Memory for `size` bytes, aligned to 16. */
  allocate(size: number): number {
    const place = this.call.malloc(Math.max(size, 1));
    if (place === 0) {
      throw new OutOfMemoryError(`there is no memory for ${size} bytes`);
    }
    return place >>> 0;
  }

  /** A copy of bytes in the memory. */
  put(bytes: Uint8Array): number {
    const place = this.allocate(bytes.length);
    this.bytes.set(bytes, place);
    return place;
  }

  /** Calls a function with a text in the memory, which is freed after it. */
  withText<T>(text: string, use: (place: number, size: number) => T): T {
    const bytes = encodeExactly(text);
    const place = this.put(bytes);
    try {
      return use(place, bytes.length);
    } finally {
      this.call.free(place);
    }
  }

  number(place: number): number {
    return this.numbers.getUint32(place, true);
  }

  double(place: number): number {
    return this.numbers.getFloat64(place, true);
  }

  text(place: number, size: number): string {
    return decoder.decode(this.bytes.subarray(place, place + size));
  }

  /** A text with a NUL at its end. */
  cText(place: number): string {
    const { bytes } = this;
    return this.text(place, bytes.indexOf(0, place) - place);
  }
}
