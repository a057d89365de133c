// Recognise intents with an exported ONNX folder, in a browser or in Node: a reference for ports.
//
// It imports nothing. ONNX Runtime (onnxruntime-web or onnxruntime-node) and the function that
// reads a file of the folder are arguments:
//
//   import * as ort from "onnxruntime-web";
//   const read = async (name) => new Uint8Array(await (await fetch(`/nlu/${name}`)).arrayBuffer());
//   const recogniser = await Recogniser.load(ort, read);
//   const { intent, score, template, reason } = await recogniser.recognise("switch the lamp off");

const IDEOGRAPH =
  /[\u3041-\u30FF\u31F0-\u31FF\u3400-\u4DBF\u4E00-\u9FFF\uF900-\uFAFF\u{20000}-\u{3FFFF}]/u;
const CLASSES = [
  ["apostrophe", /'/],
  ["ideograph", IDEOGRAPH],
  ["digit", /\p{Nd}/u],
  ["letter", /\p{L}/u],
  ["mark", /\p{M}/u],
  ["symbol", /[\p{S}\p{Nl}\p{No}\p{Cn}\p{Co}]/u],
  ["separator", /[^]/u],
];
const MAX_UNKNOWN_WORDS = 128; // different words of a text that are spelt out
const classify = (char) => CLASSES.find(([, pattern]) => pattern.test(char))[0];

/** Return the tokens of a text, by docs/tokenizer.md. */
export function tokenize(text, maxChars = 4096) {
  const cut = [...text].slice(0, maxChars).join("");
  const plain = cut.replace(/[\u2019\u2018\u02BC\u0060\u00B4]/g, "'");
  const chars = [...plain.normalize("NFKC").toLowerCase()];
  const kinds = chars.map(classify);
  const tokens = [];
  let run = ""; // class of the token that the next character may extend
  chars.forEach((char, i) => {
    const kind = kinds[i];
    if (kind === run || (kind === "mark" && run === "letter")) {
      tokens[tokens.length - 1] += char;
    } else if (kind === "letter" || kind === "digit") {
      tokens.push(char);
      run = kind;
    } else if (kind === "apostrophe" && run === "letter" && kinds[i + 1] === "letter") {
      tokens.push(char);
    } else {
      run = "";
      if (kind === "ideograph" || kind === "symbol") tokens.push(char);
    }
  });
  return tokens;
}

/** Return a text's character numbers, by docs/charemb.md; [] if only spaces are known. */
export function readCharacters(text, { max_chars, known }) {
  const cut = [...text].slice(0, 4096).join("");
  const plain = cut.replace(/[\u2019\u2018\u02BC\u0060\u00B4]/g, "'");
  const spaced = plain.normalize("NFKC").toLowerCase().replace(/[_\p{Cc}\p{Cf}\p{Cs}\p{Z}]/gu, " ");
  const trimmed = spaced.split(" ").filter((word) => word !== "").join(" ");
  const chars = [...[...trimmed].slice(0, max_chars).join("").replace(/ $/, "")];
  const numbers = chars.map((char) => known.indexOf(char) + 1);
  return numbers.some((number, i) => number > 0 && chars[i] !== " ") ? numbers : [];
}

/** Return the buckets of a word's n-grams: 32-bit FNV-1a of their UTF-8 bytes. */
export function ngramBuckets(word, { min_n, max_n, num_buckets }) {
  const chars = [..."<" + word + ">"];
  const grams = [];
  for (let n = min_n; n <= max_n; n++) {
    for (let start = 0; start + n <= chars.length; start++) {
      grams.push(chars.slice(start, start + n).join(""));
    }
  }
  if (grams.length === 0) grams.push(chars.join(""));
  const utf8 = new TextEncoder();
  return grams.map((gram) => {
    let hash = 2166136261;
    for (const byte of utf8.encode(gram)) hash = Math.imul(hash ^ byte, 16777619);
    return (hash >>> 0) % num_buckets;
  });
}

/** Turns texts into features, under the names of conformance.jsonl. */
export class Inputs {
  /** Takes the parsed manifest and the text of vocabulary.txt, "" if there is none. */
  constructor(manifest, vocabulary) {
    this.manifest = manifest;
    const characters = manifest.characters;
    if (characters !== null) this.characters = { ...characters, known: [...characters.known] };
    this.ids = new Map();
    if (vocabulary !== "") vocabulary.split("\n").forEach((word, id) => this.ids.set(word, id));
  }

  /** Return the features of a text. */
  prepare(text) {
    if (this.manifest.reads === "text") {
      return { characters: readCharacters(text, this.characters) };
    }
    const tokens = tokenize(text, this.manifest.tokenizer.max_chars);
    const features = { tokens };
    if (this.manifest.kind !== "charemb") Object.assign(features, this.slots(tokens));
    if (this.characters) {
      features.characters = this.unknownWords(tokens)
        .map((word) => readCharacters(word, this.characters))
        .filter((numbers) => numbers.length > 0);
    }
    return features;
  }

  /** Return the words to spell out: the first 128 different ones, as often as they occur. */
  unknownWords(tokens) {
    const unknown = tokens.filter((token) => !this.ids.has(token));
    const first = new Set([...new Set(unknown)].slice(0, MAX_UNKNOWN_WORDS));
    return unknown.filter((word) => first.has(word));
  }

  /** Return ids and weights: one slot for a known word, else one for each n-gram. */
  slots(tokens) {
    const ids = [];
    const weights = [];
    const ngrams = this.manifest.ngrams;
    for (const token of tokens) {
      const id = this.ids.get(token);
      if (id !== undefined) {
        ids.push(id);
        weights.push(1);
      } else if (ngrams !== null) {
        const buckets = ngramBuckets(token, ngrams);
        for (const bucket of buckets) {
          ids.push(this.ids.size + bucket);
          weights.push(ngrams.weight / buckets.length);
        }
      }
    }
    const end = this.manifest.max_length ?? ids.length;
    return { ids: ids.slice(0, end), weights: weights.slice(0, end) };
  }
}

const NOTHING_KNOWN = { intent: null, score: 0, template: null, reason: "unknown_words" };

/** Decide by the scores of all intents; `nearest` has the nearest template of each intent. */
export function decide(labels, scores, nearest) {
  if (scores.every((score) => score === 0)) return { ...NOTHING_KNOWN }; // the text's vector is zeros
  let best = 0;
  let second = -Infinity;
  for (let i = 1; i < scores.length; i++) {
    if (scores[i] > scores[best]) {
      second = scores[best];
      best = i;
    } else if (scores[i] > second) {
      second = scores[i];
    }
  }
  const { name, threshold } = labels.intents[best];
  let reason = null;
  if (scores[best] < (threshold ?? labels.threshold)) reason = "below_threshold";
  else if (scores[best] - second < labels.margin) reason = "ambiguous";
  const template = labels.intents.flatMap((intent) => intent.templates)[nearest[best]];
  return { intent: reason === null ? name : null, score: scores[best], template, reason };
}

/** An exported folder, ready to run. */
export class Recogniser {
  /**
   * @param ort ONNX Runtime: the module onnxruntime-web or onnxruntime-node.
   * @param read Takes a file's name and returns its bytes as a Uint8Array, or a promise of it.
   */
  static async load(ort, read) {
    const text = async (name) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(await read(name));
    const manifest = JSON.parse(await text("manifest.json"));
    const recogniser = new Recogniser();
    const open = async ({ file }) => ort.InferenceSession.create(await read(file));
    const { recognizer, characters } = manifest.artifacts;
    recogniser.ort = ort;
    recogniser.labels = JSON.parse(await text("labels.json"));
    const hasWords = "vocabulary.txt" in manifest.files;
    recogniser.inputs = new Inputs(manifest, hasWords ? await text("vocabulary.txt") : "");
    recogniser.graph = await open(recognizer);
    if (characters) recogniser.speller = await open(characters);
    recogniser.vectors = new Map(); // cache of spelt-out words
    return recogniser;
  }

  /** Return the intent of a text, or null and the reason. */
  async recognise(text) {
    const features = this.inputs.prepare(text);
    if (!features.ids?.length && !features.characters?.length) {
      return { ...NOTHING_KNOWN };
    }
    const { scores, templates } = await this.graph.run(await this.tensors(features));
    return decide(this.labels, scores.data, templates.data);
  }

  /** Return the inputs of the recogniser graph, which are also those of the encoder graph. */
  async tensors({ ids, weights, characters }) {
    if (this.inputs.manifest.reads === "text") return this.characterTensors(characters);
    const tensors = {};
    if (ids) {
      const empty = ids.length === 0; // a graph requires at least one slot
      tensors.ids = this.tensor("int32", empty ? [0] : ids);
      tensors.weights = this.tensor("float32", empty ? [0] : weights);
    }
    if (this.speller) {
      const total = new Float32Array(this.inputs.manifest.dim);
      for (const word of characters) {
        (await this.spell(word)).forEach((value, i) => (total[i] += value));
      }
      tensors.spelt = this.tensor("float32", total);
    }
    return tensors;
  }

  /** Return the vector of a spelt-out word; the last 4,096 are cached. */
  async spell(word) {
    const key = word.join();
    if (!this.vectors.has(key)) {
      if (this.vectors.size === 4096) this.vectors.delete(this.vectors.keys().next().value);
      const { vectors } = await this.speller.run(this.characterTensors(word));
      this.vectors.set(key, vectors.data);
    }
    return this.vectors.get(key);
  }

  characterTensors(numbers) {
    const lengths = new this.ort.Tensor("int32", Int32Array.of(numbers.length), [1]);
    return { characters: this.tensor("int32", numbers), lengths };
  }

  tensor(type, values) {
    const data = (type === "int32" ? Int32Array : Float32Array).from(values);
    return new this.ort.Tensor(type, data, [1, values.length]);
  }
}
