// Answers the requests on stdin as sdk/native/fuzz/answers.c does, by pocketintent/plain:
// node answers.mjs < requests
//
// A request is a letter, the size of what follows in four bytes, and that:
//   B  the content of a bot file    opens it; the status and the message
//   K  the name of instructions     is ignored
//   M  texts, each after its size   a list: of each its match, ranking, text as read and tokens;
//                                   empty if no bot is open
import { readFileSync, writeSync } from 'node:fs';
import { importSource } from '../support/bundle.mjs';

const { ModelFileError, PlainRecognizer, TemplateError, UnsupportedError } =
  await importSource('plain.ts');
const { tokenize, Tokens } = await importSource('plain/tokenizer.ts');

const RANKED = 3;
const STATUSES = new Map([
  [ModelFileError, 'not a bot file, damaged or too new'],
  [TemplateError, 'the templates break the format'],
  [UnsupportedError, 'this library cannot do that, or cannot run a part of the bot file'],
]);
const tokens = new Tokens();
let bot = null;

/** The text of bytes; half of a surrogate pair may be three of them, which UTF-8 does not allow. */
function decode(bytes) {
  const text = bytes.toString('utf8');
  if (Buffer.from(text).equals(bytes)) return text;
  const parts = [];
  let start = 0;
  for (let n = 0; n + 2 < bytes.length; n++) {
    if (bytes[n] === 0xed && bytes[n + 1] >= 0xa0) {
      const unit = 0xd000 | ((bytes[n + 1] & 0x3f) << 6) | (bytes[n + 2] & 0x3f);
      parts.push(bytes.subarray(start, n).toString('utf8'), String.fromCharCode(unit));
      start = n + 3;
    }
  }
  return parts.join('') + bytes.subarray(start).toString('utf8');
}

function open(content) {
  bot = null;
  try {
    bot = PlainRecognizer.fromBytes(content);
    return { status: 'done', message: '' };
  } catch (error) {
    const status = STATUSES.get(error.constructor);
    if (status === undefined) throw error;
    return { status, message: error.message };
  }
}

function answer(text) {
  const { runnerUp, ...match } = bot.match(text);
  const rank = bot.rank(text, RANKED);
  const read = bot.read(text);
  tokenize(text, tokens);
  return { match: { ...match, runner_up: runnerUp }, rank, read, tokens: tokens.toStrings() };
}

/** The parts of bytes, each of which stands behind its size. */
function* split(bytes, head) {
  for (let place = 0; place < bytes.length;) {
    const size = bytes.readUInt32LE(place + head);
    const start = place + head + 4;
    place = start + size;
    yield [bytes.subarray(start, place), bytes.subarray(start - head - 4, start)];
  }
}

function reply(letter, content) {
  if (letter === 'B') return open(content);
  if (letter === 'K') return 'plain';
  return bot === null ? [] : [...split(content, 0)].map(([text]) => answer(decode(text)));
}

for (const [content, head] of split(readFileSync(0), 1)) {
  const line = JSON.stringify(reply(String.fromCharCode(head[0]), content));
  let bytes = Buffer.from(`${line}\n`);
  while (bytes.length > 0) bytes = bytes.subarray(writeSync(1, bytes));
}
