// Every shipped template set with every shipped model answers as Python does.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PlainRecognizer } from 'pocketintent/plain';
import { assertAnswer } from '../support/compare.mjs';
import { ANSWERED, botFile, readAnswers } from '../support/files.mjs';

test('there are answers for four sets and three models', () => assert.equal(ANSWERED.length, 12));

for (const name of ANSWERED) {
  test(`${name} answers as in Python`, async () => {
    const recognizer = await PlainRecognizer.load(botFile(name));
    for (const line of readAnswers(name)) assertAnswer(recognizer, line);
  });
}
