// all-MiniLM-L6-v2 in 8 bits, as transformers.js runs it: its tokenizer and onnxruntime-web, and the
// template with the nearest vector.
import { Tokenizer } from '@huggingface/tokenizers';
import { fetchBytes, ort } from './runtime.mjs';

const DIM = 384;
const MAX_TOKENS = 128;

/** Opens the encoder: a function of a text to its vector of unit length. */
async function openEncoder(folder) {
  const [graph, settings] = await Promise.all([
    fetchBytes(`${folder}/minilm-int8.onnx`),
    fetch(`${folder}/minilm-tokenizer.json`).then((response) => response.json()),
  ]);
  const session = await ort.InferenceSession.create(graph);
  const tokenizer = new Tokenizer(settings, {});
  return async (text) => {
    const ids = tokenizer.encode(text).ids.slice(0, MAX_TOKENS);
    const tensor = (numbers) =>
      new ort.Tensor('int64', BigInt64Array.from(numbers, BigInt), [1, ids.length]);
    const inputs = { input_ids: tensor(ids), attention_mask: tensor(ids.map(() => 1)) };
    return (await session.run(inputs)).sentence.data;
  };
}

function asSystem(encode, intents, vectors) {
  const match = async (text) => {
    const vector = await encode(text);
    let nearest = null;
    let score = -Infinity;
    for (let row = 0; row < intents.length; row++) {
      let cosine = 0;
      for (let i = 0; i < DIM; i++) cosine += vector[i] * vectors[row * DIM + i];
      if (cosine > score) [score, nearest] = [cosine, intents[row]];
    }
    return { intent: nearest, nearest, score }; // it has no threshold of its own
  };
  const save = () => {
    const names = new TextEncoder().encode(JSON.stringify(intents));
    const padding = (4 - (names.length % 4)) % 4;
    const size = names.length + padding;
    const bytes = new Uint8Array(4 + size + vectors.byteLength);
    new DataView(bytes.buffer).setUint32(0, size, true);
    bytes.set(names, 4);
    bytes.fill(32, 4 + names.length, 4 + size);
    bytes.set(new Uint8Array(vectors.buffer), 4 + size);
    return bytes;
  };
  return { match, save };
}

export async function open({ folder, taught }) {
  const [encode, bytes] = await Promise.all([openEncoder(folder), fetchBytes(taught)]);
  const size = new DataView(bytes.buffer).getUint32(0, true);
  const intents = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + size)));
  return asSystem(encode, intents, new Float32Array(bytes.buffer, 4 + size));
}

export async function teach({ folder }, templates) {
  const encode = await openEncoder(folder);
  const rows = Object.entries(templates.intents).flatMap(([intent, { templates: texts }]) =>
    texts.map((text) => [intent, text]),
  );
  const vectors = new Float32Array(rows.length * DIM);
  for (const [row, [, text]] of rows.entries()) vectors.set(await encode(text), row * DIM);
  return asSystem(
    encode,
    rows.map(([intent]) => intent),
    vectors,
  );
}
