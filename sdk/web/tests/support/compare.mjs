// Whether an answer is that of Python, up to the rounding of scores.
import assert from 'node:assert/strict';

const TOLERANCE = 1e-5;

export function assertNear(found, expected, message, tolerance = TOLERANCE) {
  assert.ok(Math.abs(found - expected) <= tolerance, `${message}: ${found}, not ${expected}`);
}

/** Compares a match with Python's; where rounding could decide, its intent may be another one. */
export function assertMatch(found, expected, isCloseCall, message) {
  const names = ['intent', 'score', 'template', 'nearest', 'runnerUp', 'margin', 'reason'];
  assert.deepEqual(Object.keys(found), names);
  assertNear(found.score, expected.score, `${message}: score`);
  assert.equal(found.margin === null, expected.margin === null, `${message}: runner-up`);
  assert.equal(found.runnerUp === null, expected.runner_up === null, `${message}: runner-up`);
  if (expected.margin !== null) {
    assertNear(found.margin, expected.margin, `${message}: margin`, 2 * TOLERANCE);
    assertNear(found.runnerUp.score, expected.runner_up.score, `${message}: runner-up`);
  }
  if (!isCloseCall) {
    for (const name of ['intent', 'template', 'nearest', 'reason']) {
      assert.equal(found[name], expected[name], `${message}: ${name}`);
    }
  }
}

/** Compares a match, a ranking and a text as read with a line of Python's answers. */
export function assertAnswer(matcher, line) {
  const message = JSON.stringify(line.text);
  assertMatch(matcher.match(line.text), line.match, line.is_close_call, message);
  const ranking = matcher.rank(line.text, line.ranking.length || 1);
  assert.equal(ranking.length, line.ranking.length, message);
  ranking.forEach(({ score }, place) => assertNear(score, line.ranking[place], message));
  assert.equal(matcher.read(line.text), line.read, message);
}
