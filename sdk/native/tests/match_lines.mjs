// Runs a module of wasm: node match_lines.mjs MODULE BOT < lines; prints the match of each line. With
// the template set of a file, node match_lines.mjs MODULE MODEL SET, the bot is made from a model.
import { readFileSync } from 'node:fs';
import { WASI } from 'node:wasi';

const [, , module, bot, set] = process.argv;
const wasi = new WASI({ version: 'preview1' });
const { instance } = await WebAssembly.instantiate(readFileSync(module), wasi.getImportObject());
wasi.initialize(instance);
const { memory, malloc, free, ...core } = instance.exports;

const view = () => new DataView(memory.buffer);

// Copies bytes into memory of the module.
function put(bytes) {
  const place = malloc(Math.max(bytes.length, 1));
  new Uint8Array(memory.buffer).set(bytes, place);
  return place;
}

function need(status, name) {
  if (status !== 0) {
    throw new Error(`${name}: status ${status}`);
  }
}

const content = readFileSync(bot), results = malloc(8);
const open = set === undefined ? core.pintent_open_buffer : core.pintent_open_model_buffer;
need(open(put(content), content.length, 0, results, 0), 'open');
let opened = view().getUint32(results, true);
if (set !== undefined) {
  const model = opened, templates = readFileSync(set), place = put(templates);
  need(core.pintent_set_templates(model, place, templates.length, results, 0), 'set');
  opened = view().getUint32(results, true);
  core.pintent_close(model);
  free(place);
}
need(core.pintent_scratch_new(opened, 1 << 20, results), 'scratch');
const scratch = view().getUint32(results, true);

const room = 1 << 16, json = malloc(room), decoder = new TextDecoder();
for (const line of readFileSync(0).toString('utf8').split('\n').slice(0, -1)) {
  const text = new TextEncoder().encode(line), place = put(text);
  need(core.pintent_match_json(opened, scratch, place, text.length, json, room, results), 'match');
  const size = view().getUint32(results, true);
  process.stdout.write(`${decoder.decode(new Uint8Array(memory.buffer, json, size))}\n`);
  free(place);
}
core.pintent_scratch_free(scratch);
core.pintent_close(opened);
