// Bots made of templates in the page, and whole template sets in and out.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { ModelFileError, Recognizer, TemplateError } from 'pocketintent';
import { WorkerRecognizer } from 'pocketintent/worker';
import { assertMatch } from '../support/compare.mjs';
import { botFile, modelFile, readAnswers, ROOT } from '../support/files.mjs';

const setFile = (name) => path.join(ROOT, 'templates', `${name}.json`);
const readSet = (name) => readFileSync(setFile(name), 'utf8');
const LAMP = { on: ['turn on the lamp', 'lamp on'], off: ['lamp off', 'turn off the lamp'] };

for (const set of ['smart_home', 'banking_support', 'travel', 'small_talk']) {
  test(`a bot of ${set}, made in the page, answers as the one that Python made`, async () => {
    const made = await Recognizer.fromTemplates(modelFile('tiny'), readSet(set));
    const built = await Recognizer.load(botFile(`${set}-tiny`));
    assert.deepEqual(made.intents, built.intents);
    assert.deepEqual(made.templates, built.templates);
    for (const { text, match, is_close_call } of readAnswers(`${set}-tiny`).slice(0, 80)) {
      const found = made.match(text);
      assertMatch(found, match, is_close_call, JSON.stringify(text));
    }
  });
}

test('a bot is made of a bot file, for its model, and of each form of templates', async () => {
  const objects = Object.fromEntries(
    Object.entries(LAMP).map(([name, texts]) => [name, texts.map((text) => ({ text }))]),
  );
  const long = {
    intents: Object.fromEntries(
      Object.entries(LAMP).map(([name, templates]) => [name, { templates }]),
    ),
  };
  const first = await Recognizer.fromTemplates(modelFile(), LAMP);
  for (const templates of [objects, long, JSON.stringify(LAMP)]) {
    const other = await Recognizer.fromTemplates(botFile('travel-tiny'), templates);
    assert.deepEqual(other.match('the lamp is off'), first.match('the lamp is off'));
    assert.deepEqual(other.templates, first.templates);
  }
});

test('templates that break the format are a TemplateError, and other files no model', async () => {
  for (const templates of ['', '{', '[]', 'null', { on: [] }, { on: [''] }, { on: ['\ud800'] }]) {
    await assert.rejects(Recognizer.fromTemplates(modelFile(), templates), TemplateError);
  }
  await assert.rejects(Recognizer.fromTemplates(modelFile(), undefined), TypeError);
  await assert.rejects(Recognizer.fromTemplates(setFile('travel'), LAMP), ModelFileError);
});

test('a bot may begin empty', async () => {
  const recognizer = await Recognizer.fromTemplates(modelFile(), {});
  assert.deepEqual(recognizer.intents, []);
  assert.equal(recognizer.match('lamp on').reason, 'no_templates');
  assert.deepEqual(recognizer.rank('lamp on'), []);
  assert.deepEqual(recognizer.explain('lamp on').words, []);
  recognizer.addIntent('on', LAMP.on);
  assert.equal(recognizer.match('lamp on').intent, 'on');
});

test('a whole set replaces the other, or changes nothing', async () => {
  const recognizer = await Recognizer.load(botFile());
  const before = recognizer.match('lamp off');
  assert.throws(() => recognizer.setTemplates({ on: [] }), TemplateError);
  assert.throws(() => recognizer.setTemplates({ intents: {}, treshold: 1 }), TemplateError);
  assert.deepEqual(recognizer.match('lamp off'), before);
  recognizer.setTemplates({ ...recognizer.templates, threshold: 0.99 });
  assert.equal(recognizer.match('lamp off').reason, 'below_threshold');
  assert.equal(recognizer.templates.threshold, 0.99);
  recognizer.templates.intents.lights_on.templates.push('not of the bot');
  assert.ok(!JSON.stringify(recognizer.templates).includes('not of the bot'));
  recognizer.setTemplates(LAMP);
  assert.deepEqual(recognizer.intents, ['on', 'off']);
  assert.equal(recognizer.match('lamp off').intent, 'off');
});

test('the templates come out as they went in, whatever is in them', async () => {
  const templates = {
    $schema: 'templates.schema.json',
    language: 'en',
    threshold: 0.4,
    margin: 0.1,
    learn_names: false,
    intents: {
      'ümläut "quoted" \\': { templates: ['🙂 漢字 \u0000\u0007 "q"', 'lamp'], except: ['no'] },
      'a\nline': { templates: ['line two'], threshold: -0.25 },
    },
    none: ['never mind'],
    background: ['ok thx'],
  };
  const recognizer = await Recognizer.fromTemplates(modelFile(), templates);
  assert.deepEqual(recognizer.templates, templates);
  assert.deepEqual(recognizer.intents, Object.keys(templates.intents));
  recognizer.setTemplates(recognizer.templates);
  assert.deepEqual(recognizer.templates, templates);
  const reloaded = await Recognizer.load(recognizer.save());
  assert.deepEqual(reloaded.templates, templates);
});

test('names that are whole numbers keep their order in the list of intents', async () => {
  const json = '{"zero": ["lamp"], "2": ["two lamps"], "1": ["one lamp"]}';
  const recognizer = await Recognizer.fromTemplates(modelFile(), json);
  assert.deepEqual(recognizer.intents, ['zero', '2', '1']);
});

test('a worker makes bots and takes sets, too', async () => {
  const worker = await WorkerRecognizer.fromTemplates(modelFile(), LAMP);
  const recognizer = await Recognizer.fromTemplates(modelFile(), LAMP);
  assert.deepEqual(await worker.match('the lamp is off'), recognizer.match('the lamp is off'));
  await worker.setTemplates({ on: LAMP.on });
  assert.deepEqual(await worker.templates, {
    ...recognizer.templates,
    intents: { on: recognizer.templates.intents.on },
  });
  await assert.rejects(worker.setTemplates({ on: [] }), TemplateError);
  worker.close();
  await assert.rejects(WorkerRecognizer.fromTemplates(modelFile(), { on: [] }), TemplateError);
});
