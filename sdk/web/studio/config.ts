/** What the page was given: models, and perhaps the template file of a bot. */

import { FileProblem } from './bot/forms.js';

export interface Model {
  readonly name: string;
  /** Its address, from the page on. */
  readonly file: string;
}

/** `studio.json` beside the page. */
export interface Config {
  /** The name of the bot, for the files that are saved. */
  readonly name: string;
  /** The address of the template file, from the page on; null for an empty bot. */
  readonly templates: string | null;
  /** The first one is used at first. */
  readonly models: readonly Model[];
  /** Whether the page keeps its files, so that it opens without a network. */
  readonly offline: boolean;
}

export async function readConfig(): Promise<Config> {
  return JSON.parse(await readText('studio.json')) as Config;
}

/** The text of a file beside the page. */
export async function readText(address: string): Promise<string> {
  let response: Response;
  try {
    response = await fetch(address);
  } catch {
    throw new FileProblem(`${address} could not be fetched: there is no connection`);
  }
  if (!response.ok) {
    throw new FileProblem(`${address} could not be fetched: the server says ${response.status}`);
  }
  return response.text();
}
