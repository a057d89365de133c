// Answers requests on stdin, for benchmarks/robustness/web_texts.py: node program.mjs < requests
//
// A request is a line of JSON, {"bot": FILE, "module": FILE, "texts": […]}; the answer is a line with a
// list: of each text its match, ranking and text as read.
import { readFileSync, writeSync } from 'node:fs';
import { Recognizer } from 'pocketintent';

const RANKED = 3;

function answer(recognizer, text) {
  const { runnerUp, ...match } = recognizer.match(text);
  const rank = recognizer.rank(text, RANKED);
  return { match: { ...match, runner_up: runnerUp }, rank, read: recognizer.read(text) };
}

for (const line of readFileSync(0, 'utf8').split('\n').slice(0, -1)) {
  const { bot, module, texts } = JSON.parse(line);
  const recognizer = await Recognizer.load(bot, { wasm: module });
  let bytes = Buffer.from(`${JSON.stringify(texts.map((text) => answer(recognizer, text)))}\n`);
  while (bytes.length > 0) {
    bytes = bytes.subarray(writeSync(1, bytes));
  }
  recognizer.close();
}
