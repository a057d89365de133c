/** What the host of a script has beside the web's own functions: Node, and those that are like it. */

interface NodeProcess {
  readonly versions?: { readonly node?: string };
  getBuiltinModule?(name: string): unknown;
}

/** A module of Node; null in a browser. Bundlers for the browser meet no import of `node:`. */
export function nodeModule<T>(name: string): T | null {
  const { process } = globalThis as { process?: NodeProcess };
  return (process?.getBuiltinModule?.(`node:${name}`) as T | undefined) ?? null;
}
