/** The checks, files and figures of the studio say what the Python package says. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Recognizer } from 'pocketintent';
import { load, readJson, readVectors, REPOSITORY } from './load.mjs';

const vectors = await readVectors();
const { readForm, parseTemplates } = await load('bot/forms.ts');
const { toTemplateSet } = await load('bot/bot.ts');
const { checkTemplates } = await load('bot/checks.ts');
const { readUtterances, unknownIntent, findWarnings } = await load('trial/utterances.ts');
const { countAnswers, countConfusions } = await load('trial/answers.ts');
const { choose, chooseLimits } = await load('trial/limits.ts');

const ON_OFF = { on: ['lamp on', 'light on'], off: ['lamp off', 'light off'] };

for (const [number, { file, set, warnings }] of vectors.checks.entries()) {
  test(`the findings of ${file ?? `made set ${number}`} are those of templates check`, async () => {
    const { bot, problems } = readForm(file ? await readJson(file) : set);
    assert.deepEqual(problems, []);
    assert.deepEqual(
      checkTemplates(bot).map(({ sentence }) => sentence),
      warnings,
    );
  });
}

test('a set that breaks the format has the error of Python', () => {
  for (const { set, error } of vectors.forms) {
    assert.throws(() => parseTemplates(JSON.stringify(set), 'templates'), { message: error });
  }
});

test('a set in the long form is read and written without a difference', async () => {
  for (const { file } of vectors.checks.filter((each) => each.file)) {
    const set = await readJson(file);
    assert.deepEqual(toTemplateSet(readForm(set).bot), { threshold: 0.5, margin: 0, ...set });
  }
});

for (const { name, content, utterances, warnings, error } of vectors.tables) {
  test(`utterances ${name} are read as Python reads them`, () => {
    const { bot } = readForm(ON_OFF);
    const read = () => readUtterances(new TextEncoder().encode(content), name);
    if (!utterances) {
      // An unknown intent is no error of the studio, where the author may add it.
      const said = error.includes('has no intent') ? unknownIntent(read(), bot, 'bot.json') : null;
      if (said) assert.equal(said, error);
      else assert.throws(read, { message: error });
      return;
    }
    const found = read().utterances;
    assert.deepEqual(
      found.map(({ text, intent, subject }) => ({ text, intent, subject })),
      utterances,
    );
    assert.deepEqual(findWarnings(found, bot), warnings);
    assert.equal(unknownIntent(read(), bot, 'bot.json'), null);
  });
}

for (const [number, { set, answers, limits, figures }] of vectors.limits.entries()) {
  test(`answers ${number} have the figures of Python and choose its limits`, () => {
    const { bot } = readForm(set);
    const given = answers.map(({ utterance, match: { runner_up: runnerUp, ...match } }) => ({
      utterance,
      match: { ...match, runnerUp },
    }));
    assert.deepEqual(chooseLimits(given, bot), limits);
    assert.deepEqual(countAnswers(given), fromPython(figures));
  });
}

for (const { templates, utterances, ...expected } of vectors.reports) {
  test(`a test of ${templates} with ${utterances} says what templates test says`, async () => {
    const text = await readFile(new URL(templates, REPOSITORY), 'utf8');
    const { utterances: labelled } = readUtterances(
      await readFile(new URL(utterances, REPOSITORY)),
      utterances,
    );
    const model = fileURLToPath(new URL('sdk/pocketintent/assets/tiny.safetensors', REPOSITORY));
    const recognizer = await Recognizer.fromTemplates(model, text);
    const bot = parseTemplates(text, templates);
    const answers = labelled.map((utterance) => ({
      utterance,
      match: recognizer.match(utterance.text),
    }));
    recognizer.close();
    const { before, after, ...limits } = choose(answers, bot);
    const { choice, confusion, warnings, figures } = expected;
    assert.deepEqual(before, fromPython(figures));
    assert.deepEqual(after, fromPython(choice.after));
    assert.deepEqual(limits, { threshold: choice.threshold, margin: choice.margin });
    assert.deepEqual(findWarnings(labelled, bot), warnings);
    const names = [...bot.intents.map(({ name }) => name), null];
    const found = names.map(() => names.map(() => 0));
    for (const { expected: row, given, count } of countConfusions(answers)) {
      found[names.indexOf(row)][names.indexOf(given)] = count;
    }
    const mistakes = confusion.map((row, at) =>
      row.map((count, other) => (at === other ? 0 : count)),
    );
    assert.deepEqual(found, mistakes);
  });
}

/** The figures under the names of JavaScript. */
function fromPython(figures) {
  const named = Object.entries(figures).map(([key, value]) => [
    key.replace(/_(.)/g, (_, letter) => letter.toUpperCase()),
    value,
  ]);
  return { outOfScopeBySubject: null, ...Object.fromEntries(named) };
}
