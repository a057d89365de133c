import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, test } from 'node:test';
import * as inline from 'pocketintent/inline';
import {
  ClosedError,
  ModelFileError,
  PocketIntentError,
  Recognizer,
  TemplateError,
} from 'pocketintent';
import { INSTRUCTIONS } from '../support/engine.mjs';
import { botFile } from '../support/files.mjs';

let recognizer;
beforeEach(async () => (recognizer = await Recognizer.load(botFile())));
afterEach(() => recognizer.close());

test('a match has the fields of its type', () => {
  const match = recognizer.match('could you switch the lamp off please');
  assert.equal(match.intent, 'lights_off');
  assert.equal(match.template, 'switch the lamp off please');
  assert.equal(match.nearest, 'lights_off');
  assert.equal(match.runnerUp.intent, 'lights_on');
  assert.equal(match.margin, match.score - match.runnerUp.score);
  assert.equal(match.reason, null);
});

test('a text without known words has no intent and says why', () => {
  assert.deepEqual(recognizer.match(''), {
    intent: null,
    score: 0,
    template: null,
    nearest: null,
    runnerUp: null,
    margin: null,
    reason: 'unknown_words',
  });
  assert.deepEqual(recognizer.rank(''), []);
});

test('a ranking has five intents, or as many as are asked for', () => {
  assert.equal(recognizer.rank('lamp').length, 5);
  assert.equal(recognizer.rank('lamp', 2).length, 2);
  assert.equal(recognizer.rank('lamp', Infinity).length, recognizer.intents.length);
  for (const limit of [0, -1, NaN, 0.5, 2.5, '2', null]) {
    assert.throws(() => recognizer.rank('lamp', limit), RangeError);
  }
});

test('a text that is no string is a TypeError', () => {
  for (const text of [undefined, null, 5, {}]) {
    assert.throws(() => recognizer.match(text), /^TypeError: a text must be a string, not /);
  }
});

test('a text is read with its typing errors corrected, or is the very text', () => {
  assert.equal(recognizer.read('swich the lihgts off'), 'switch the lights off');
  assert.equal(recognizer.read('Lamp \ud800 OFF!'), 'Lamp \ud800 OFF!');
});

test('half of a surrogate pair separates words', () => {
  const halved = recognizer.match('switch the\ud800lamp off\udc00');
  assert.equal(halved.score, recognizer.match('switch the lamp off').score);
});

test('a sentence vector has unit length, or is zeros', () => {
  const vector = recognizer.encode('lamp off');
  assert.equal(vector.length, 128);
  assert.ok(Math.abs(Math.hypot(...vector) - 1) < 1e-5);
  assert.ok(recognizer.encode('').every((value) => value === 0));
});

test('what a bot is', () => {
  assert.equal(recognizer.kind, 'contextual');
  assert.equal(recognizer.instructions, INSTRUCTIONS);
  assert.equal(recognizer.intents[0], 'lights_on');
  assert.ok(Object.isFrozen(recognizer.intents));
});

test('an explanation may be of another intent, but not of one that is not there', () => {
  const { candidate, words } = recognizer.explain('switch the lamp off', 'lights_on');
  assert.equal(candidate.intent, 'lights_on');
  assert.ok(words.find(({ word }) => word === 'lamp').share > 0);
  assert.throws(() => recognizer.explain('lamp', 'nope'), {
    name: 'PocketIntentError',
    message: /^no intent 'nope' can be explained; known: alarm_arm, /,
  });
  assert.equal(recognizer.explain('', 'lights_on').candidate, null);
});

test('an intent is added, extended and removed', () => {
  assert.notEqual(recognizer.match('put on miles davis').intent, 'play_jazz');
  recognizer.addIntent('play_jazz', ['play some jazz', 'put on miles davis']);
  assert.equal(recognizer.match('put on miles davis').intent, 'play_jazz');
  assert.equal(recognizer.intents.at(-1), 'play_jazz');
  recognizer.addIntent('play_jazz', { except: ['who is miles davis'], threshold: 0.4 });
  assert.equal(recognizer.match('who is miles davis').reason, 'counter_example');
  assert.equal(recognizer.explain('who is miles davis').counterExample, 'who is miles davis');
  recognizer.removeIntent('play_jazz');
  assert.ok(!recognizer.intents.includes('play_jazz'));
});

test('an edit without a threshold, or with null, keeps the one there is', () => {
  const threshold = () => recognizer.templates.intents.play_jazz.threshold;
  recognizer.addIntent('play_jazz', { templates: ['play some jazz'], threshold: 0.4 });
  for (const kept of [undefined, null]) {
    recognizer.addIntent('play_jazz', { templates: ['put on miles davis'], threshold: kept });
    assert.equal(threshold(), 0.4);
  }
  for (const wrong of ['0.3', true, {}, []]) {
    const edit = () => recognizer.addIntent('play_jazz', { threshold: wrong });
    assert.throws(edit, /^TypeError: a threshold must be a number, not /);
  }
  assert.throws(() => recognizer.addIntent('play_jazz', { threshold: NaN }), TemplateError);
  assert.equal(threshold(), 0.4);
});

test('an edit that is refused leaves the bot as it was', () => {
  const before = recognizer.match('lamp off');
  const refused = [
    () => recognizer.addIntent('', ['x']),
    () => recognizer.addIntent('new', []),
    () => recognizer.addIntent('new', ['\ud800']),
    () => recognizer.addIntent('new\udc00', ['text']),
    () => recognizer.addIntent('new', { templates: ['text'], threshold: 2 }),
    () => recognizer.removeIntent('nope'),
  ];
  for (const edit of refused) {
    assert.throws(edit, TemplateError);
  }
  assert.throws(() => recognizer.addIntent('new', 'text'), TypeError);
  assert.throws(() => recognizer.addIntent('new', [5]), TypeError);
  for (const name of [undefined, null, 5, {}]) {
    const message = /^TypeError: the name of an intent must be a string, not /;
    assert.throws(() => recognizer.addIntent(name, ['text']), message);
    assert.throws(() => recognizer.removeIntent(name), message);
  }
  for (const templates of [undefined, null, 5, () => 5]) {
    const message = /^TypeError: a template set that is no object must be a string, not /;
    assert.throws(() => recognizer.setTemplates(templates), message);
  }
  assert.deepEqual(recognizer.match('lamp off'), before);
});

test('a saved bot answers as it did, and an unchanged one is the very file', async () => {
  assert.deepEqual(Buffer.from(recognizer.save()), readFileSync(botFile()));
  recognizer.addIntent('play_jazz', ['play some jazz', 'put on miles davis']);
  const reloaded = await Recognizer.load(recognizer.save());
  for (const text of ['play jazz', 'lamp off', 'what time is it']) {
    assert.deepEqual(reloaded.match(text), recognizer.match(text));
  }
});

test('hundreds of edits need no more memory than some', () => {
  const edit = () => {
    recognizer.addIntent('play_jazz', ['play some jazz', 'put on miles davis']);
    recognizer.removeIntent('play_jazz');
    return recognizer.save().length;
  };
  const sizes = Array.from({ length: 30 }, edit);
  assert.equal(new Set(sizes).size, 1);
});

test('after its end every call throws, and another end does nothing', () => {
  recognizer.close();
  recognizer.close();
  const calls = [
    () => recognizer.match('lamp'),
    () => recognizer.rank('lamp'),
    () => recognizer.read('lamp'),
    () => recognizer.encode('lamp'),
    () => recognizer.explain('lamp'),
    () => recognizer.addIntent('new', ['text']),
    () => recognizer.removeIntent('lights_on'),
    () => recognizer.setTemplates({ on: ['lamp on'] }),
    () => recognizer.save(),
    () => recognizer.intents,
    () => recognizer.templates,
    () => recognizer.kind,
    () => recognizer.instructions,
  ];
  for (const call of calls) {
    assert.throws(call, { name: 'ClosedError', message: 'the recogniser was closed' });
    assert.throws(call, ClosedError);
    assert.throws(call, PocketIntentError);
  }
});

test('`using` ends a recogniser where the engine has Symbol.dispose', () => {
  assert.equal(typeof Symbol.dispose, 'symbol');
  recognizer[Symbol.dispose]();
  assert.throws(() => recognizer.match('lamp'), ClosedError);
});

test('recognisers side by side do not meet', async () => {
  const other = await Recognizer.load(botFile('travel-tiny'));
  const { score } = recognizer.match('lamp off');
  other.addIntent('lamp_off', ['lamp off']);
  assert.equal(other.match('lamp off').intent, 'lamp_off');
  assert.equal(recognizer.match('lamp off').score, score);
  other.close();
  assert.equal(recognizer.match('lamp off').score, score);
});

test('the entry with the module in the script answers the same', async () => {
  const other = await inline.Recognizer.load(botFile());
  assert.deepEqual(other.match('lamp off'), recognizer.match('lamp off'));
  assert.equal(other.instructions, 'simd128');
});

test('each byte of the head that is wrong is refused, or the bot answers', async () => {
  const content = new Uint8Array(readFileSync(botFile()));
  for (let place = 0; place < 200; place += 3) {
    const damaged = content.slice();
    damaged[place] ^= 0x15;
    const error = await Recognizer.load(damaged).then(
      () => null,
      (reason) => reason,
    );
    assert.ok(error instanceof ModelFileError, `byte ${place}: ${error}`);
  }
});
