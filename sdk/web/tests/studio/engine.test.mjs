/** What the studio asks of its recogniser, and in which order. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from './load.mjs';

const { Engine } = await load('engine.ts');

/** A recogniser that answers in the order of the calls, and later, as the one in a worker does. */
class Recognizer {
  templates = 'first';
  #last = Promise.resolve();

  #answer(work) {
    this.#last = this.#last.then(() => new Promise((resolve) => setTimeout(resolve, 5))).then(work);
    return this.#last;
  }

  setTemplates(templates) {
    return this.#answer(() => void (this.templates = templates));
  }

  save() {
    return this.#answer(() => this.templates);
  }
}

test('a bot file has the templates of its moment, and edits beside it count afterwards', async () => {
  const recognizer = new Recognizer();
  const engine = new Engine('tiny', recognizer, 'first');
  const fits = [engine.fit('second')];
  const saved = engine.save('second with limits');
  fits.push(engine.fit('third'));
  await new Promise((resolve) => setTimeout(resolve, 7));
  fits.push(engine.fit('fourth'));
  assert.equal(await saved, 'second with limits');
  await Promise.all(fits);
  assert.equal(recognizer.templates, 'fourth');
  assert.equal(engine.templates, 'fourth');
});

test('an edit while the templates of a bot file are set is not in the file', async () => {
  const recognizer = new Recognizer();
  const engine = new Engine('tiny', recognizer, 'first');
  const saved = engine.save('first with limits');
  await new Promise((resolve) => setTimeout(resolve, 2));
  const fit = engine.fit('second');
  assert.equal(await saved, 'first with limits');
  await fit;
  assert.equal(recognizer.templates, 'second');
});

test('after a bot file the bot is as it was, without the limits', async () => {
  const recognizer = new Recognizer();
  const engine = new Engine('tiny', recognizer, 'first');
  await engine.save('first with limits');
  assert.equal(recognizer.templates, 'first');
});
