// What a program in Node, Deno or Bun does with the package: program.mjs BOT
import { Recognizer } from 'pocketintent';
import * as inline from 'pocketintent/inline';
import { PlainRecognizer } from 'pocketintent/plain';
import { WorkerRecognizer } from 'pocketintent/worker';
import { INSTRUCTIONS } from '../support/engine.mjs';

const [bot] = process.argv.slice(2);
const text = 'could you switch the lamp off please';
const answers = [];
for (const Loaded of [Recognizer, inline.Recognizer, PlainRecognizer, WorkerRecognizer]) {
  const recognizer = await Loaded.load(bot);
  answers.push((await recognizer.match(text)).intent);
  recognizer.close();
}
const worker = await WorkerRecognizer.load(bot);
await worker.addIntent('play_jazz', ['play some jazz']);
const instructions = await worker.instructions;
answers.push((await worker.intents).at(-1));
answers.push(instructions === INSTRUCTIONS ? 'as expected' : instructions);
answers.push((await worker.removeIntent('nope').catch((error) => error)).name);
console.log(answers.join(' ')); // and ends, though the worker is open
