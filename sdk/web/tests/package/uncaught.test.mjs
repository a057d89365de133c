// What Node prints of an error that nobody catches.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { WEB } from '../support/files.mjs';

const ENTRIES = {
  pocketintent: 'Recognizer',
  'pocketintent/inline': 'Recognizer',
  'pocketintent/plain': 'PlainRecognizer',
  'pocketintent/worker': 'WorkerRecognizer',
};

for (const [entry, name] of Object.entries(ENTRIES)) {
  test(`an error of ${entry} that nobody catches is printed with a short line of the script`, () => {
    const code = `import { ${name} } from '${entry}'; await ${name}.load('no/such/file');`;
    const run = spawnSync(process.execPath, ['--input-type=module', '--eval', code], {
      cwd: WEB,
      encoding: 'utf8',
    });
    assert.equal(run.status, 1);
    assert.match(run.stderr, /^LoadError: no\/such\/file cannot be /m);
    const longest = Math.max(...run.stderr.split('\n').map((line) => line.length));
    assert.ok(longest < 1000, `${longest} characters:\n${run.stderr}`);
  });
}

test('the classes of errors have their names', async () => {
  for (const entry of Object.keys(ENTRIES)) {
    const { LoadError, PocketIntentError } = await import(entry);
    assert.equal(LoadError.name, 'LoadError');
    assert.equal(new PocketIntentError('x').name, 'PocketIntentError');
    assert.match(new LoadError('x').stack, /^LoadError: x\n/);
    class Own extends LoadError {}
    assert.ok(new Own('x') instanceof LoadError);
  }
});
