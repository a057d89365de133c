// Where the files of the tests are.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const WEB = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
export const ROOT = path.join(WEB, '..', '..');
export const DIST = path.join(WEB, 'dist');

const ANSWERS = path.join(WEB, 'build', 'answers');
if (!existsSync(ANSWERS)) {
  throw new Error(
    `${ANSWERS} is missing: \`make web\` writes it, or, in the root of the checkout, ` +
      'python -m benchmarks.robustness.web_answers sdk/web/build/answers',
  );
}

/** The bot file of a template set and a model that ship. */
export const botFile = (name = 'smart_home-tiny') => path.join(ANSWERS, `${name}.safetensors`);

/** The file of a model that ships. */
export const modelFile = (name = 'tiny') =>
  path.join(ROOT, 'sdk', 'pocketintent', 'assets', `${name}.safetensors`);

/** Names of the bots with answers of Python. */
export const ANSWERED = readdirSync(ANSWERS)
  .filter((name) => name.endsWith('.jsonl'))
  .map((name) => name.slice(0, -'.jsonl'.length));

/** The lines of a file of JSON lines. */
export const readLines = (file) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

/** What Python answers for a bot: benchmarks/robustness/web_answers.py. */
export const readAnswers = (name) => readLines(path.join(ANSWERS, `${name}.jsonl`));
