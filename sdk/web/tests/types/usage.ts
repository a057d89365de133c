// Compiled by tests/package/types.test.mjs: what a program in TypeScript writes, and what it must not.
import {
  type Candidate,
  type Explanation,
  LoadError,
  type Match,
  type Matcher,
  PocketIntentError,
  type Progress,
  type Reason,
  Recognizer,
  type Templates,
  type TemplateSet,
} from 'pocketintent';
import { Recognizer as InlineRecognizer } from 'pocketintent/inline';
import { WorkerRecognizer } from 'pocketintent/worker';

const controller = new AbortController();
const recognizer: Recognizer = await Recognizer.load('bot.safetensors', {
  onProgress: ({ loaded, total }: Progress) => console.log(loaded / (total ?? loaded)),
  signal: controller.signal,
  wasm: new URL('pocketintent.wasm', import.meta.url),
});
await Recognizer.load(new URL('https://example.org/bot'));
await Recognizer.load(await fetch('bot'));
await Recognizer.load(new Request('bot'));
await Recognizer.load(new Blob([]));
await Recognizer.load(new ArrayBuffer(8));
await Recognizer.load(new Uint8Array(8).subarray(1));
const matcher: Matcher = recognizer;
const inline: Matcher = await InlineRecognizer.load('bot');

const match: Match = recognizer.match('lamp off');
const intent: string | null = match.intent;
const runnerUp: Candidate | null = match.runnerUp;
const reason: Reason | null = match.reason;
if (match.reason === 'ambiguous' && runnerUp !== null) {
  console.log(runnerUp.template.length, match.margin?.toFixed(2));
}
const ranking: Candidate[] = recognizer.rank('lamp', 3);
const vector: Float32Array = recognizer.encode('lamp');
const explanation: Explanation = recognizer.explain('lamp', 'lights_on');
const shares: number[] = explanation.words.map(({ share }) => share);
const names: readonly string[] = recognizer.intents;
const set: TemplateSet = recognizer.templates;
const thresholds: (number | undefined)[] = Object.values(set.intents).map((own) => own.threshold);

recognizer.addIntent('play_jazz', ['play some jazz']);
recognizer.addIntent('play_jazz', { except: ['stop'], threshold: 0.4 });
recognizer.removeIntent('play_jazz');
const long: Templates = { threshold: 0.5, intents: { on: { templates: ['lamp on'] } } };
const short: Templates = { on: ['lamp on'], off: ['lamp off'] };
const objects: Templates = { on: [{ text: 'lamp on' }] };
for (const templates of [long, short, objects, '{"on": ["lamp on"]}']) {
  recognizer.setTemplates(templates);
  await Recognizer.fromTemplates('tiny.safetensors', templates);
}
recognizer.setTemplates(recognizer.templates);
new File([recognizer.save()], 'bot.safetensors');
{
  using other = await Recognizer.load('bot');
  other.match('lamp');
}

const worker: WorkerRecognizer = await WorkerRecognizer.load('bot', { transfer: true });
const later: Promise<Match> = worker.match('lamp');
const laterNames: readonly string[] = await worker.intents;
const saved: Uint8Array = await worker.save();
worker.close();

try {
  recognizer.match('lamp');
} catch (error) {
  if (error instanceof LoadError || error instanceof PocketIntentError) {
    console.log(error.message, error.cause);
  }
}
console.log(matcher, inline, intent, reason, ranking, vector, shares, names, thresholds, later);
console.log(laterNames, saved);

// @ts-expect-error: a recogniser is loaded, not made
new Recognizer();
// @ts-expect-error: a text is a string
recognizer.match(5);
// @ts-expect-error: a match is not changed
match.intent = 'other';
// @ts-expect-error: the fields have the names of JavaScript
match.runner_up;
// @ts-expect-error: there are five reasons
match.reason === 'unknown';
// @ts-expect-error: an intent may be null
recognizer.match('lamp').intent.length;
// @ts-expect-error: the intents are not changed
recognizer.intents.push('other');
// @ts-expect-error: the intents are a property
recognizer.intents();
// @ts-expect-error: load gives a promise
Recognizer.load('bot').match('lamp');
// @ts-expect-error: a number is no source
await Recognizer.load(5);
// @ts-expect-error: there is no such option
await Recognizer.load('bot', { progress: () => undefined });
// @ts-expect-error: the templates of an intent are an array
recognizer.addIntent('play_jazz', 'play some jazz');
// @ts-expect-error: a threshold is a number
recognizer.addIntent('play_jazz', { threshold: '0.4' });
// @ts-expect-error: there is no such key
recognizer.addIntent('play_jazz', { template: ['play some jazz'] });
// @ts-expect-error: an intent needs templates
recognizer.setTemplates({ intents: { on: { threshold: 0.4 } } });
// @ts-expect-error: what is private stays so
recognizer.core;
// @ts-expect-error: a worker gives promises
worker.match('lamp').intent;
// @ts-expect-error: a recogniser on the page has no worker
await Recognizer.load('bot', { worker: 'worker-thread.js' });
