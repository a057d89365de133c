// Recognise intents with an exported ONNX folder, in a browser or in Node: a model for ports.
//
// It imports nothing. ONNX Runtime (onnxruntime-web or onnxruntime-node) is an argument, and so
// is the function that reads a file of the folder:
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
const classify = (char) => CLASSES.find(([, pattern]) => pattern.test(char))[0];

/** The tokens of a text, by docs/tokenizer.md. */
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

/** The buckets of a word's character n-grams: 32-bit FNV-1a of the UTF-8 bytes of each. */
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

/** A text as the graphs take it: ids, and their weights. */
export class Inputs {
  /** From the manifest, parsed, and the text of vocabulary.txt. */
  constructor(manifest, vocabulary) {
    this.manifest = manifest;
    this.ids = new Map();
    if (vocabulary !== "") vocabulary.split("\n").forEach((word, id) => this.ids.set(word, id));
  }

  tokens(text) {
    return tokenize(text, this.manifest.tokenizer.max_chars);
  }

  /** A known word takes one slot, any other word one for each of its n-grams. */
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

/** What the scores of all intents mean; `nearest` is the template of each intent. */
export function decide(labels, scores, nearest) {
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
   * @param read Called with a file's name, gives its bytes as a Uint8Array, or a promise of it.
   */
  static async load(ort, read) {
    const text = async (name) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(await read(name));
    const manifest = JSON.parse(await text("manifest.json"));
    const recogniser = new Recogniser();
    recogniser.ort = ort;
    recogniser.labels = JSON.parse(await text("labels.json"));
    recogniser.inputs = new Inputs(manifest, await text("vocabulary.txt"));
    recogniser.graph = await ort.InferenceSession.create(
      await read(manifest.artifacts.recognizer.file),
    );
    return recogniser;
  }

  /** The intent of a text, or null and the reason. */
  async recognise(text) {
    const { ids, weights } = this.inputs.slots(this.inputs.tokens(text));
    if (ids.length === 0) {
      return { intent: null, score: 0, template: null, reason: "unknown_words" };
    }
    const shape = [1, ids.length];
    const { scores, templates } = await this.graph.run({
      ids: new this.ort.Tensor("int32", Int32Array.from(ids), shape),
      weights: new this.ort.Tensor("float32", Float32Array.from(weights), shape),
    });
    return decide(this.labels, scores.data, templates.data);
  }
}
