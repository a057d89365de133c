import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import {
  LoadError,
  ModelFileError,
  Recognizer,
  TemplateError,
  UnsupportedError,
} from 'pocketintent';
import { INSTRUCTIONS } from '../support/engine.mjs';
import { botFile, DIST, modelFile, WEB } from '../support/files.mjs';
import { failures, serve } from '../support/server.mjs';

const bytes = readFileSync(botFile());
const address = (name) => `${server.origin}${name}`;
let server, folder;

before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'pocketintent-'));
  const special = {
    ...failures(botFile()),
    '/untyped.wasm': (_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      response.end(readFileSync(path.join(DIST, 'pocketintent.wasm')));
    },
    '/parameters.wasm': (_, response) => {
      response.writeHead(200, { 'content-type': 'application/wasm; charset=utf-8' });
      response.end(readFileSync(path.join(DIST, 'pocketintent.wasm')));
    },
    '/late.wasm': (_, response) => {
      const send = () => response.end(readFileSync(path.join(DIST, 'pocketintent.wasm')));
      setTimeout(send, 200);
    },
    ...Object.fromEntries(
      ['application/wasm', 'text/plain'].map((type) => [
        `/lost.wasm/${type}`,
        (_, response) => {
          const content = readFileSync(path.join(DIST, 'pocketintent.wasm'));
          response.writeHead(200, { 'content-type': type, 'content-length': content.length });
          response.write(content.subarray(0, 50_000), () => response.destroy());
        },
      ]),
    ),
  };
  server = await serve({ '/bots/': path.dirname(botFile()), '/dist/': DIST }, special);
});
after(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

async function errorOf(source, options) {
  const error = await Recognizer.load(source, options).then(
    () => null,
    (reason) => reason,
  );
  assert.ok(error !== null, 'it was loaded');
  return error;
}

const WHOLE = '/bots/smart_home-tiny.safetensors';
const SOURCES = {
  'a path': () => botFile(),
  'a relative path': () => path.relative(process.cwd(), botFile()),
  'a file: URL': () => pathToFileURL(botFile()),
  'the address of a file': () => pathToFileURL(botFile()).href,
  'an address': () => address(WHOLE),
  'a URL': () => new URL(address(WHOLE)),
  'a Request': () => new Request(address(WHOLE)),
  'a Response': () => fetch(address(WHOLE)),
  'a Response without an address': () => new Response(bytes),
  'a Blob': () => new Blob([bytes]),
  'an ArrayBuffer': () => new Uint8Array(bytes).buffer,
  'a view': () => new DataView(Uint8Array.from([1, 2, 3, ...bytes, 4]).buffer, 3, bytes.length),
};
for (const [name, source] of Object.entries(SOURCES)) {
  test(`a bot is loaded from ${name}`, async () => {
    const recognizer = await Recognizer.load(await source());
    assert.equal(recognizer.match('lamp off').intent, 'lights_off');
  });
}

test('bytes stay as they are and belong to the caller', async () => {
  const given = new Uint8Array(bytes);
  const recognizer = await Recognizer.load(given);
  assert.deepEqual(given, new Uint8Array(bytes));
  given.fill(0);
  assert.equal(recognizer.match('lamp off').intent, 'lights_off');
});

for (const [name, source] of Object.entries({
  ...SOURCES,
  'an ArrayBuffer': null,
  'a view': null,
})) {
  if (source === null) continue;
  test(`progress of ${name} grows up to its size`, async () => {
    const steps = [];
    await Recognizer.load(await source(), { onProgress: (step) => steps.push(step) });
    const loaded = steps.map((step) => step.loaded);
    assert.deepEqual(
      loaded,
      [...loaded].sort((a, b) => a - b),
    );
    assert.equal(loaded.at(-1), bytes.length);
    const total = name === 'a Response without an address' ? null : bytes.length;
    assert.ok(steps.every((step) => step.total === total));
  });
}

const LOST = [
  [
    '/nothing',
    /^http.*\/nothing could not be fetched: the server has no such file \(status 404\)$/,
  ],
  ['/broken', /^http.*\/broken could not be fetched: the server refused it: .* \(status 500\)$/],
  ['/page', /^http.*\/page is a web page and no bot file or model: the server answers with a page/],
  ['/lost', /^http.*\/lost: the connection was lost after \d+ of 1039279 bytes/],
];
for (const [name, message] of LOST) {
  test(`${name} is a LoadError that names the address`, async () => {
    for (const source of [address(name), await fetch(address(name))]) {
      const error = await errorOf(source);
      assert.ok(error instanceof LoadError);
      assert.equal(error.name, 'LoadError');
      assert.match(error.message, message);
    }
  });
}

test('a server that is not there is a LoadError', async () => {
  const error = await errorOf('http://127.0.0.1:1/bot');
  assert.ok(error instanceof LoadError);
  assert.match(error.message, /^http:\/\/127.0.0.1:1\/bot could not be fetched: there is no conn/);
  assert.ok(error.cause instanceof TypeError);
});

test('a file that is not there, and a folder, are LoadErrors', async () => {
  const missing = path.join(folder, 'missing');
  assert.equal(
    (await errorOf(missing)).message,
    `${missing} cannot be read: there is no such file`,
  );
  assert.equal((await errorOf(folder)).message, `${folder} cannot be read: it is a folder`);
});

test('a Response that was read before is a LoadError', async () => {
  const response = await fetch(address(WHOLE));
  await response.arrayBuffer();
  assert.match((await errorOf(response)).message, /was read before/);
});

test('a file that ends too early is a ModelFileError that names the address', async () => {
  const error = await errorOf(address('/cut'));
  assert.ok(error instanceof ModelFileError);
  assert.ok(error.message.startsWith(address('/cut')), error.message);
});

test('other files are ModelFileErrors that name the file', async () => {
  const text = path.join(folder, 'text');
  writeFileSync(text, 'no bot file, but a text that is long enough');
  for (const source of [text, new Blob(['short']), new Uint8Array(0)]) {
    const error = await errorOf(source);
    assert.ok(error instanceof ModelFileError, String(error));
    assert.match(
      error.message,
      source === text
        ? / cannot be used as a model: it is not a safetensors file$/
        : /^the file is not a/,
    );
  }
  assert.ok((await errorOf(text)).message.startsWith(text));
});

test('a model without templates is no bot file', async () => {
  const error = await errorOf(modelFile());
  assert.ok(error instanceof ModelFileError || error instanceof TemplateError, String(error));
});

test('what is no source is a TypeError', async () => {
  for (const source of [null, undefined, 5, {}, []]) {
    assert.match(String(await errorOf(source)), /^TypeError: a source must be an address/);
  }
});

test('a signal ends the loading with its reason', async () => {
  const reason = new Error('enough');
  const over = AbortSignal.abort(reason);
  for (const source of [botFile(), address(WHOLE), new Blob([bytes]), new Uint8Array(bytes)]) {
    assert.equal(await errorOf(source, { signal: over }), reason);
  }
  const controller = new AbortController();
  const onProgress = () => controller.abort(reason);
  assert.equal(await errorOf(address('/slow'), { signal: controller.signal, onProgress }), reason);
});

test('what a progress function throws is what load throws', async () => {
  const reason = new Error('mine');
  const onProgress = () => {
    throw reason;
  };
  assert.equal(await errorOf(address(WHOLE), { onProgress }), reason);
});

test('the module may be named, given as bytes, or compiled', async () => {
  const file = path.join(DIST, 'pocketintent.wasm');
  const plain = path.join(DIST, 'pocketintent-plain.wasm');
  const sources = {
    simd128: [
      file,
      pathToFileURL(file),
      address('/dist/pocketintent.wasm'),
      address('/untyped.wasm'),
      address('/parameters.wasm'),
      await fetch(address('/dist/pocketintent.wasm')),
      readFileSync(file),
      await WebAssembly.compile(readFileSync(file)),
    ],
    plain: [plain, readFileSync(plain)],
  };
  for (const [instructions, modules] of Object.entries(sources)) {
    for (const wasm of modules) {
      const recognizer = await Recognizer.load(botFile(), { wasm });
      assert.equal(recognizer.instructions, instructions);
      assert.equal(recognizer.match('lamp off').intent, 'lights_off');
    }
  }
});

test('an address of a module is fetched once, and again after an error', async () => {
  const wasm = address('/dist/pocketintent-plain.wasm');
  await Promise.all([1, 2, 3].map(() => Recognizer.load(botFile(), { wasm })));
  const asked = () => server.requests.filter((name) => name.endsWith('-plain.wasm')).length;
  assert.equal(asked(), 1);
  for (const tries of [1, 2]) {
    assert.ok((await errorOf(botFile(), { wasm: address('/missing.wasm') })) instanceof LoadError);
    assert.equal(server.requests.filter((name) => name === '/missing.wasm').length, tries);
  }
});

test('a module that is missing or none says what to do', async () => {
  for (const name of ['/missing.wasm', '/page', WHOLE]) {
    const error = await errorOf(botFile(), { wasm: address(name) });
    assert.ok(error instanceof LoadError);
    assert.ok(error.message.startsWith(address(name)), error.message);
    assert.match(error.message, /import `pocketintent\/inline`/);
  }
});

test('a connection that is lost while the module arrives is a LoadError', async () => {
  for (const type of ['application/wasm', 'text/plain']) {
    const wasm = address(`/lost.wasm/${type}`);
    const error = await errorOf(botFile(), { wasm });
    assert.ok(error instanceof LoadError, String(error));
    const start = `${wasm}: the connection was lost while it arrived (`;
    assert.ok(error.message.startsWith(start), error.message);
  }
});

test('a signal ends the loading while the module arrives', async () => {
  const reason = new Error('enough');
  const controller = new AbortController();
  const wasm = address('/late.wasm');
  const loading = errorOf(botFile(), { wasm, signal: controller.signal });
  setTimeout(() => controller.abort(reason), 50);
  assert.equal(await loading, reason);
});

test('a copy of the script alone says what is missing, and works when it is there', async () => {
  const copy = path.join(folder, 'copy');
  mkdirSync(copy);
  copyFileSync(path.join(DIST, 'index.js'), path.join(copy, 'index.mjs'));
  const { Recognizer: Copied } = await import(pathToFileURL(path.join(copy, 'index.mjs')));
  const wasm = INSTRUCTIONS === 'relaxed-simd' ? 'pocketintent-relaxed.wasm' : 'pocketintent.wasm';
  await assert.rejects(Copied.load(botFile()), ({ name, message }) => {
    assert.equal(name, 'LoadError');
    const missing = `${wasm} cannot be read: there is no such file. Copy it from the package`;
    assert.ok(message.includes(missing), message);
    return true;
  });
  copyFileSync(path.join(DIST, wasm), path.join(copy, wasm));
  assert.equal((await Copied.load(botFile())).match('lamp off').intent, 'lights_off');
});

test('an engine without WebAssembly is an UnsupportedError that names the plain entry', async () => {
  const { WebAssembly: kept } = globalThis;
  delete globalThis.WebAssembly;
  try {
    const error = await errorOf(botFile());
    assert.ok(error instanceof UnsupportedError);
    assert.match(error.message, /`pocketintent\/plain`/);
  } finally {
    globalThis.WebAssembly = kept;
  }
});

test('an engine takes the module for its instructions', async () => {
  const script = path.join(folder, 'instructions.mjs');
  writeFileSync(
    script,
    `import { setFlagsFromString } from 'node:v8';
     setFlagsFromString(process.argv[3]);
     const { Recognizer } = await import('${pathToFileURL(path.join(DIST, 'index.js'))}');
     const recognizer = await Recognizer.load(process.argv[2]);
     console.log(recognizer.instructions, recognizer.match('lamp off').intent);`,
  );
  const { execFileSync } = await import('node:child_process');
  const said = (flag) =>
    execFileSync(process.execPath, [script, botFile(), flag], { cwd: WEB, encoding: 'utf8' });
  assert.equal(said('--experimental-wasm-relaxed-simd'), 'relaxed-simd lights_off\n');
  const [major] = process.versions.node.split('.');
  const expected = major < 21 ? 'simd128' : 'relaxed-simd';
  assert.equal(said('--no-verify-heap'), `${expected} lights_off\n`);
});

test('an engine without SIMD takes the other module, and the one in the script says so', async () => {
  const script = path.join(folder, 'no_simd.mjs');
  writeFileSync(
    script,
    `const validate = WebAssembly.validate;
     WebAssembly.validate = (bytes) => bytes.length > 100 && validate(bytes);
     const { Recognizer } = await import('${pathToFileURL(path.join(DIST, 'index.js'))}');
     const inline = await import('${pathToFileURL(path.join(DIST, 'inline.js'))}');
     const recognizer = await Recognizer.load(process.argv[2]);
     const error = await inline.Recognizer.load(process.argv[2]).catch((reason) => reason);
     console.log(JSON.stringify([recognizer.instructions, error.name, error.message]));`,
  );
  const { execFileSync } = await import('node:child_process');
  const said = JSON.parse(execFileSync(process.execPath, [script, botFile()], { cwd: WEB }));
  assert.deepEqual(said.slice(0, 2), ['plain', 'UnsupportedError']);
  assert.match(said[2], /no SIMD/);
});
