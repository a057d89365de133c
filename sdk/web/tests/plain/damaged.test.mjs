// A file that is damaged, or written carelessly, is an error; never a wrong answer.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  ModelFileError,
  PlainRecognizer,
  TemplateError,
  UnsupportedError,
} from 'pocketintent/plain';
import { importSource } from '../support/bundle.mjs';
import { botFile, modelFile } from '../support/files.mjs';

const { canonicalJson, readJson } = await importSource('plain/json.ts');
const content = readFileSync(botFile());
const length = Number(content.readBigUInt64LE(0));
const header = JSON.parse(content.toString('utf8', 8, 8 + length));
const manifestText = header.__metadata__.pocketintent;
const data = content.subarray(8 + length);

const open = (bytes) => PlainRecognizer.fromBytes(bytes);
const canonical = (text) => canonicalJson(readJson(text, { maxDepth: 254 }));

/** The bot file with another text of its manifest and other tensors, and the hash of these. */
function write(text, tensors = {}) {
  const digest = createHash('sha256');
  const names = Object.keys(header).filter((name) => name !== '__metadata__');
  const entries = {};
  const parts = [];
  let end = 0;
  digest.update(`${canonical(text.replace(/"sha256":"[0-9a-f]+",?/, ''))}\n`);
  for (const name of names.sort()) {
    const { dtype, shape, data_offsets: offsets } = header[name];
    const bytes = tensors[name] ?? data.subarray(...offsets);
    const sizes = tensors[name] ? [bytes.length] : shape;
    digest.update(`${JSON.stringify([name, dtype, sizes])}\n`).update(bytes);
    entries[name] = { dtype, shape: sizes, data_offsets: [end, (end += bytes.length)] };
    parts.push(bytes);
  }
  const hashed = text.replace(/"sha256":"[0-9a-f]+"/, `"sha256":"${digest.digest('hex')}"`);
  entries.__metadata__ = { pocketintent: hashed };
  const head = Buffer.from(JSON.stringify(entries));
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(head.length));
  return Buffer.concat([size, head, ...parts]);
}

const changed = (one, other) => {
  assert.ok(manifestText.includes(one), one);
  return write(manifestText.replace(one, other));
};

test('a file that is written again opens', () => {
  assert.equal(open(write(manifestText)).match('turn on the lights').intent, 'lights_on');
});

test('a changed byte anywhere is an error', () => {
  for (let n = 0; n < 48; n++) {
    const bytes = Buffer.from(content);
    const place = n < 16 ? n : Math.floor(((n - 16) / 32) * bytes.length);
    bytes[place] ^= 1 << (n % 8);
    assert.throws(() => open(bytes), ModelFileError, `byte ${place}`);
  }
});

test('a file that is cut, or too long, is an error', () => {
  for (const size of [0, 1, 7, 8, 9, 100, 7 + length, 8 + length, content.length - 1]) {
    assert.throws(() => open(content.subarray(0, size)), ModelFileError, `${size} bytes`);
  }
  assert.throws(() => open(Buffer.concat([content, Buffer.alloc(1)])), ModelFileError);
});

test('what a wrong file says', () => {
  const cases = [
    [readFileSync(modelFile()), ModelFileError, /a model without templates/],
    [Buffer.from('{"lights_on": ["lamp on"]}'), ModelFileError, /not a safetensors file/],
    [changed('"format_version":1', '"format_version":2'), ModelFileError, /upgrade pocketintent/],
    [changed('"kind":"contextual"', '"kind":"charemb"'), UnsupportedError, /'charemb'/],
    [changed('"kind":"contextual"', '"kind":"transformer"'), ModelFileError, /layers/],
    [changed('"name":"logistic"', '"name":"other"'), ModelFileError, /decision must be one of/],
    [changed('"search":"table"', '"search":"exact"'), ModelFileError, /do not fit the search/],
    [changed('"correct":true', '"correct":1'), ModelFileError, /correct must be true or false/],
    [changed('"hidden":128', '"hidden":127'), ModelFileError, /network\.inner/],
    [changed('"hidden":128', '"hidden":128.0'), ModelFileError, /'hidden' must be a whole number/],
    [changed('"max_chars":4096', '"max_chars":64'), ModelFileError, /tokenizer/],
    [changed('"code_bits":8', '"code_bits":7'), ModelFileError, /code_bits must be 8/],
  ];
  for (const [bytes, kind, message] of cases) {
    assert.throws(
      () => open(bytes),
      (error) => error instanceof kind && message.test(error.message),
      String(message),
    );
  }
});

test('templates that break the format are an error', () => {
  const [start, end] = header['bot.templates'].data_offsets;
  const templates = data.toString('utf8', start, end);
  const cases = [
    [templates.replace('"templates"', '"template"'), TemplateError, /unknown key 'template'/],
    [templates.replace(/"threshold":[0-9.]+/, '"threshold":2'), TemplateError, /from -1 to 1/],
    [templates.replace(/"templates":\["[^"]+"/, '"templates":["\u200b"'), TemplateError, /invis/],
    [templates.replace(/"margin":[0-9.]+/, '"margin":"0"'), TemplateError, /from 0 to 2/],
    [templates.slice(0, -1), ModelFileError, /not JSON/],
    [`[${templates}]`, ModelFileError, /long form/],
  ];
  for (const [text, kind, message] of cases) {
    assert.notEqual(text, templates);
    assert.throws(
      () => open(write(manifestText, { 'bot.templates': Buffer.from(text) })),
      (error) => error instanceof kind && message.test(error.message),
      String(message),
    );
  }
});

test('numbers and texts in the canonical form of the hash', () => {
  const cases = {
    '[0.1, 1.0, -0.0, 0.00001, 1e16, 1.5e-6, 123456789.5, 1E5, 12e-1]':
      '[0.1,1.0,-0.0,0.00001,1e+16,1.5e-6,123456789.5,100000.0,1.2]',
    '[0, -0, 7, 18446744073709551615, -9223372036854775808]':
      '[0,0,7,18446744073709551615,-9223372036854775808]',
    '{"b": "\\u000b\\u0041\\"\\\\\\/", "a": null, "\ue000": true, "\u{10000}": false}':
      '{"a":null,"b":"\\u000bA\\"\\\\/","\ue000":true,"\u{10000}":false}',
  };
  for (const [text, expected] of Object.entries(cases)) assert.equal(canonical(text), expected);
  for (const text of ['18446744073709551616', '-9223372036854775809', '"\\ud800"']) {
    assert.throws(() => canonical(text), Error);
  }
});

test('what is no JSON is an error', () => {
  const wrong = ['', '{', '[1,]', '{"a" 1}', '{a: 1}', '01', '1.', '+1', '"\\x"', '"\n"', '[1] 2'];
  for (const text of [...wrong, '"\\u12G4"', 'nul', '{"a":1,"a":2}', '['.repeat(255)]) {
    assert.throws(() => readJson(text, { maxDepth: 254 }), Error, text);
  }
});
