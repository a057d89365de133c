// Every shipped template set with every shipped model answers as Python does.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Recognizer } from 'pocketintent';
import { assertAnswer, assertMatch, assertNear } from '../support/compare.mjs';
import { ANSWERED, botFile, readAnswers } from '../support/files.mjs';

test('there are answers for four sets and three models', () => assert.equal(ANSWERED.length, 12));

for (const name of ANSWERED) {
  test(`${name} answers as in Python`, async () => {
    const recognizer = await Recognizer.load(botFile(name));
    for (const line of readAnswers(name)) {
      assertAnswer(recognizer, line);
    }
  });

  test(`${name} is explained as in Python`, async () => {
    const recognizer = await Recognizer.load(botFile(name));
    for (const { text, explanation, is_close_call } of readAnswers(name)) {
      if (explanation === null) {
        continue;
      }
      const found = recognizer.explain(text);
      assertMatch(found.match, explanation.match, is_close_call, text);
      assert.equal(found.candidate?.intent, explanation.candidate?.intent, text);
      assert.equal(found.counterExample, explanation.counter_example, text);
      const words = (shares) => shares.map(({ word }) => word);
      assert.deepEqual(words(found.words), words(explanation.words), text);
      found.words.forEach(({ share }, place) =>
        assertNear(share, explanation.words[place].share, text, 2e-5),
      );
    }
  });
}
