/** The state of the studio: edits, undo, what is saved, files that are read, matches in words. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { load, REPOSITORY } from './load.mjs';

const { startHistory, edit, endStep, undo, redo } = await load('bot/history.ts');
const bots = await load('bot/bot.ts');
const { parseTemplates } = await load('bot/forms.ts');
const { isModelFile, templatesOf } = await load('bot/bot_file.ts');
const { countConfusions } = await load('trial/answers.ts');
const { decideAgain } = await load('trial/decide.ts');
const { choose } = await load('trial/limits.ts');
const { reasonInWords, summary } = await load('trial/words.ts');

const BOT = parseTemplates('{"on": ["lamp on", "light on"], "off": ["lamp off"]}', 'bot.json');

test('undo and redo go through the edits, and an edit ends the future', () => {
  let history = startHistory('a');
  history = edit(edit(history, 'b'), 'c');
  assert.deepEqual([history.past, history.present], [['a', 'b'], 'c']);
  history = undo(undo(undo(history)));
  assert.deepEqual([history.past, history.present, history.future], [[], 'a', ['b', 'c']]);
  history = redo(history);
  assert.equal(history.present, 'b');
  history = edit(history, 'd');
  assert.deepEqual([history.past, history.present, history.future], [['a', 'b'], 'd', []]);
  assert.equal(redo(history).present, 'd');
});

test('edits of one subject are one step until it ends', () => {
  let history = startHistory('');
  for (const text of ['l', 'la', 'lam']) history = edit(history, text, 'row 1');
  assert.deepEqual(history.past, ['']);
  history = edit(endStep(history), 'lamp', 'row 1');
  assert.deepEqual(history.past, ['', 'lam']);
  history = edit(history, 'x', 'row 2');
  assert.deepEqual(history.past, ['', 'lam', 'lamp']);
  assert.equal(edit(history, 'x', 'row 3'), history);
  history = edit(undo(history), 'y', 'row 2');
  assert.deepEqual([history.past, history.future], [['', 'lam', 'lamp'], []]);
});

test('the past has an end', () => {
  let history = startHistory(0);
  for (let number = 1; number <= 500; number++) history = edit(history, number);
  assert.equal(history.past.length, 200);
  assert.equal(history.past[0], 300);
});

test('an edit makes a new bot and leaves the old one as it is', () => {
  const before = structuredClone(BOT);
  const edited = bots.withIntent(
    bots.withAddedTexts(BOT, { intent: 1, list: 'except' }, ['lamp on', ' ', 'lamp on', 'x']),
    0,
    { name: 'lights_on', threshold: 0.7 },
  );
  assert.deepEqual(bots.toTemplateSet(edited).intents, {
    lights_on: { templates: ['lamp on', 'light on'], threshold: 0.7 },
    off: { templates: ['lamp off'], except: ['lamp on', 'x'] },
  });
  assert.deepEqual(BOT, before);
  assert.equal(bots.withAddedTexts(BOT, { intent: 0, list: 'templates' }, ['lamp on']), BOT);
  assert.equal(bots.findIntent(bots.withoutIntent(BOT, 0), 'on'), -1);
});

test('what is being written is not saved, and a saved bot is read as it was', () => {
  let bot = bots.withNewIntent(BOT, 'later');
  bot = bots.withTexts(bot, { intent: null, list: 'none' }, ['', 'never mind', '\u200b']);
  bot = { ...bot, language: 'en', learnNames: false, margin: 0.25, background: ['hm'] };
  const set = JSON.parse(bots.toJson(bot));
  assert.deepEqual(Object.keys(set.intents), ['on', 'off']);
  assert.deepEqual(set.none, ['never mind']);
  const read = parseTemplates(bots.toJson(bot), 'saved.json');
  assert.deepEqual(read, {
    ...bot,
    intents: bot.intents.slice(0, 2),
    none: ['never mind'],
  });
});

test('a name that is taken, or none, is refused', () => {
  assert.match(bots.nameProblem(BOT, 'on'), /There is an intent on already/);
  assert.match(bots.nameProblem(BOT, '\u200b'), /Give the intent a name/);
  assert.equal(bots.nameProblem(BOT, 'on', 0), null);
  assert.equal(bots.nameProblem(BOT, '__proto__'), null);
});

test('an intent may have any name', () => {
  for (const name of ['__proto__', 'constructor', '7', 'ä']) {
    const bot = bots.withNewIntent(bots.EMPTY_BOT, name, ['x']);
    assert.deepEqual(parseTemplates(bots.toJson(bot), 'x').intents, bot.intents);
  }
});

test('a key that a file has twice is an error', () => {
  for (const [json, key] of [
    ['{"a": ["b"], "a": ["c"]}', "'a'"],
    ['{"intents": {"x": {"templates": ["\\"{:"], "templates": ["b"]}}}', "'templates'"],
    ['{"a\\u0062": ["b"], "ab": ["c"]}', "'ab'"],
  ]) {
    assert.throws(() => parseTemplates(json, 'f.json'), {
      message: `f.json: ${key} appears twice in one object; merge the two`,
    });
  }
  const fine = '{"intents": {"a": {"templates": ["a", "templates:"]}, "b": {"templates": ["a"]}}}';
  assert.equal(parseTemplates(fine, 'f.json').intents.length, 2);
});

test('a model is told from a template file, and has no templates', () => {
  const path = new URL('sdk/pocketintent/assets/tiny.safetensors', REPOSITORY);
  const model = new Uint8Array(readFileSync(path));
  assert.ok(isModelFile(model));
  assert.equal(templatesOf(model, 'tiny'), null);
  for (const text of ['', '{"a": ["b"]}', '{"intents": {}}          ']) {
    assert.ok(!isModelFile(new TextEncoder().encode(text)));
  }
  const damaged = model.slice();
  damaged[9] = 0;
  assert.throws(() => templatesOf(damaged, 'x.safetensors'), {
    message: /x.safetensors is damaged/,
  });
  for (const size of [0, 1, 7]) {
    assert.throws(() => templatesOf(new Uint8Array(size), 'x.safetensors'), {
      message: /^x.safetensors is damaged: its header cannot be read; copy or build it again$/,
    });
  }
});

const MATCH = {
  intent: 'on',
  score: 0.6,
  template: 'lamp on',
  nearest: 'on',
  runnerUp: { intent: 'off', score: 0.4, template: 'lamp off' },
  margin: 0.2,
  reason: null,
};

test('a match is decided again by other limits', () => {
  const again = (threshold, margin, bot = BOT) => {
    const { intent, reason } = decideAgain(MATCH, { ...bot, threshold, margin });
    return [intent, reason];
  };
  assert.deepEqual(again(0.6, 0.2), ['on', null]);
  assert.deepEqual(again(0.61, 0), [null, 'below_threshold']);
  assert.deepEqual(again(0.5, 0.21), [null, 'ambiguous']);
  assert.deepEqual(again(0.9, 0, bots.withIntent(BOT, 0, { threshold: 0.5 })), ['on', null]);
  const refused = { ...MATCH, intent: null, reason: 'counter_example' };
  assert.equal(decideAgain(refused, { ...BOT, threshold: 0 }), refused);
});

test('the choice is not worse than what it replaces, and mistakes are counted', () => {
  const answer = (intent, match) => ({
    utterance: { text: 'x', intent, subject: null, line: 1 },
    match,
  });
  const low = { ...MATCH, score: 0.45, margin: 0.05, intent: null, reason: 'below_threshold' };
  const answers = [answer('on', MATCH), answer('on', low), answer('off', MATCH), answer(null, low)];
  const { threshold, margin, before, after } = choose(answers, BOT);
  assert.ok(after.answeredRightly >= before.answeredRightly);
  assert.deepEqual([threshold, margin], [0.5, 0]);
  assert.deepEqual(countConfusions(answers), [
    { expected: 'on', given: null, count: 1 },
    { expected: 'off', given: 'on', count: 1 },
  ]);
});

test('every match has a reason in words', () => {
  const words = (change, bot = BOT) =>
    reasonInWords(bot, {
      match: { ...MATCH, ...change },
      candidate: null,
      words: [],
      counterExample: 'no lamp',
    });
  assert.equal(words({}), 'It reaches the threshold of 0.5.');
  assert.match(words({}, { ...BOT, margin: 0.1 }), /leads by more than the margin of 0.1\.$/);
  const refused = (reason, more = {}) => words({ intent: null, reason, ...more });
  assert.match(
    refused('below_threshold'),
    /^on is nearest, and stays below its threshold of 0.5\.$/,
  );
  assert.match(refused('ambiguous'), /^on leads off by 0.2 only; the margin asks for 0\.$/);
  assert.match(refused('counter_example'), /“no lamp”/);
  assert.match(refused('unknown_words', { nearest: null }), /knows nothing/);
  assert.match(refused('no_templates', { nearest: null }), /no templates yet/);
  assert.equal(summary(MATCH), 'on, 60 percent');
  assert.equal(summary({ ...MATCH, intent: null }), 'no intent; nearest is on, 60 percent');
  assert.equal(summary({ ...MATCH, intent: null, nearest: null }), 'no intent');
});
