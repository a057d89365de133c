/** What the browser keeps, so that a reload loses nothing and the page opens without a network. */

import type { Document } from './store.js';

const CACHE = 'pocketintent-studio';
const OPENED = 'opened-model';

/** Everything that is not in a file of the author yet. */
export interface Kept {
  /** The template file of the page as it was when the author began; another one is newer. */
  readonly base: string;
  readonly name: string;
  readonly document: Document;
  readonly past: readonly Document[];
  readonly future: readonly Document[];
  /** The name of the chosen model. */
  readonly model: string;
  /** The text in the box. */
  readonly text: string;
}

/** Keeps the work of one page: pages for other template files have other addresses or names. */
export class Storage {
  readonly #key: string;

  constructor(page: string) {
    this.#key = `pocketintent studio ${location.pathname} ${page}`;
  }

  /** What was kept; null if there is nothing, or the browser allows no storage. */
  read(): Kept | null {
    try {
      return JSON.parse(localStorage.getItem(this.#key) ?? 'null') as Kept | null;
    } catch {
      return null;
    }
  }

  /** Keeps the work, the past if there is room for it; returns whether it could. */
  write(kept: Kept): boolean {
    return this.#write(kept) || this.#write({ ...kept, past: [], future: [] });
  }

  #write(kept: Kept): boolean {
    try {
      localStorage.setItem(this.#key, JSON.stringify(kept));
      return true;
    } catch {
      return false;
    }
  }
}

/** Keeps a model that the author opened, which no address has. */
export async function keepModel(file: Blob): Promise<void> {
  const cache = await openCache();
  await cache?.put(OPENED, new Response(file)).catch(() => undefined);
}

/** The model that the author opened last; null if there is none. */
export async function keptModel(): Promise<Blob | null> {
  const kept = await (await openCache())?.match(OPENED);
  return kept ? kept.blob() : null;
}

/** The browser's cache of files; pages that are not on a secure address have none. */
async function openCache(): Promise<Cache | null> {
  return 'caches' in globalThis ? caches.open(CACHE).catch(() => null) : null;
}
