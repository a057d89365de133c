// Recognise intents with an exported ONNX folder, in a browser or in Node: a reference for ports.
//
// It imports nothing. ONNX Runtime (onnxruntime-web or onnxruntime-node) and the function that
// reads a file of the folder are arguments:
//
//   import * as ort from "onnxruntime-web";
//   const read = async (name) => new Uint8Array(await (await fetch(`/nlu/${name}`)).arrayBuffer());
//   const recogniser = await Recogniser.load(ort, read);
//   const { intent, score, reason, runner_up } = await recogniser.recognise("switch the lamp off");

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
const MAX_CHARS = 4096; // code points of a text that are read
const MAX_PIECE = 64; // code points of a piece of a word
const FORMAT_VERSION = 1;
const CORRECTION_VERSION = 2;
const TOKENIZERS = ["simple, version 1", "word_pieces, version 1"];
const NGRAM_HASH = "fnv1a";
const NORMALISATION = "nfkc-lower-1";
const FEATURES = ["ngram_counts", "negation"];
const INPUTS = ["ids", "weights", "token_numbers", "spelt", "characters", "lengths", ...FEATURES];
const classify = (char) => CLASSES.find(([, pattern]) => pattern.test(char))[0];

/** Return the tokens of a text, by docs/tokenizer.md. */
export function tokenize(text, maxChars = MAX_CHARS) {
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

/** Return the pieces of words, by docs/tokenizer.md; the vocabulary is a Map or Set of entries. */
export function wordPieces(words, vocabulary) {
  return words.flatMap((word) => {
    if (vocabulary.has(word)) return [word];
    const chars = [...word];
    const pieces = [];
    for (let start = 0, end; start < chars.length; start = Math.max(end, start + 1)) {
      const prefix = start ? "##" : "";
      const piece = () => prefix + chars.slice(start, end).join("");
      end = Math.min(chars.length, start + MAX_PIECE - prefix.length);
      while (end > start && !vocabulary.has(piece())) end--;
      if (end > start) pieces.push(piece());
    }
    return pieces;
  });
}

/** Return a text's character numbers, by docs/charemb.md; [] if only spaces are known. */
export function readCharacters(text, { max_chars, known }) {
  const cut = [...text].slice(0, MAX_CHARS).join("");
  const plain = cut.replace(/[\u2019\u2018\u02BC\u0060\u00B4]/g, "'");
  const spaced = plain.normalize("NFKC").toLowerCase().replace(/[_\p{Cc}\p{Cf}\p{Cs}\p{Z}]/gu, " ");
  const trimmed = spaced.split(" ").filter((word) => word !== "").join(" ");
  const chars = [...[...trimmed].slice(0, max_chars).join("").replace(/ $/, "")];
  const numbers = chars.map((char) => known.indexOf(char) + 1);
  return numbers.some((number, i) => number > 0 && chars[i] !== " ") ? numbers : [];
}

/** Return the 32-bit FNV-1a hash of a text's UTF-8 bytes. */
function fnv1a(text) {
  let hash = 2166136261;
  for (const byte of UTF8.encode(text)) hash = Math.imul(hash ^ byte, 16777619);
  return hash >>> 0;
}
const UTF8 = new TextEncoder();

/** Return the n-grams of `<word>` of min to max code points, the shortest first. */
function ngramsOf(word, min, max) {
  const chars = [..."<" + word + ">"];
  const grams = [];
  for (let n = min; n <= max; n++) {
    for (let start = 0; start + n <= chars.length; start++) {
      grams.push(chars.slice(start, start + n).join(""));
    }
  }
  return grams;
}

/** Return the buckets of an unknown word's n-grams in the model's table. */
export function ngramBuckets(word, { min_n, max_n, num_buckets }) {
  const grams = ngramsOf(word, min_n, max_n);
  if (grams.length === 0) grams.push("<" + word + ">");
  return grams.map((gram) => fnv1a(gram) % num_buckets);
}

/** Return the words within one edit of a word of letters from a to z, without the word itself. */
export function oneEdit(word) {
  const words = new Set();
  for (let i = 0; i <= word.length; i++) {
    const head = word.slice(0, i);
    const tail = word.slice(i);
    if (tail.length > 0) words.add(head + tail.slice(1));
    if (tail.length > 1) words.add(head + tail[1] + tail[0] + tail.slice(2));
    for (const letter of "abcdefghijklmnopqrstuvwxyz") {
      if (tail.length > 0) words.add(head + letter + tail.slice(1));
      words.add(head + letter + tail);
    }
  }
  words.delete(word);
  return words;
}

/** Return the filters in lost_words.bin, by docs/correction.md. */
export function splitFilters(content, sizes) {
  let end = 0;
  return sizes.map((size) => content.subarray(end, (end += size)));
}

/** Return whether the model lost a word, of the letters a to z, when it was pruned. */
export function isLost(word, filters) {
  const first = fnv1a(word);
  const step = fnv1a([...word].reverse().join(""));
  return filters.some((bits) =>
    [0, 1, 2, 3, 4].every((i) => {
      const place = (first + i * step) % (8 * bits.length - 1);
      return (bits[place >> 3] >> (place & 7)) & 1;
    }),
  );
}

/** Return the ranks of the words of the bot's texts, by docs/correction.md. */
export function ownWords({ intents, none }) {
  const texts = intents.flatMap((intent) => [...intent.templates, ...intent.except]);
  const counts = new Map();
  for (const token of [...texts, ...none].flatMap((text) => tokenize(text))) {
    counts.set(token, (counts.get(token) ?? 0) + 1);
  }
  const words = [...counts.keys()];
  words.sort((a, b) => counts.get(b) - counts.get(a) || (a < b ? -1 : 1));
  return new Map(words.map((word, rank) => [word, rank]));
}

/** Return the signed counts of the hashed n-grams of tokens, by docs/decision.md. */
export function countNgrams(tokens, { min_n, max_n, num_buckets }) {
  const counts = new Float32Array(num_buckets);
  for (const token of tokens) {
    for (const gram of ngramsOf(token, min_n, max_n)) {
      const hash = fnv1a(gram);
      counts[hash % num_buckets] += hash >= 0x80000000 ? -1 : 1;
    }
  }
  return counts;
}

/** Return 1 if one of the tokens is a negation, otherwise 0, by docs/decision.md. */
export function findNegation(tokens, { words }) {
  return Float32Array.of(tokens.some((token) => words.includes(token)) ? 1 : 0);
}

/** Throw an error if a folder needs what this program lacks. */
export function checkManifest(manifest) {
  const { correction, features, artifacts, tokenizer, ngrams, characters } = manifest;
  const versions = [
    ["format", manifest.format_version, FORMAT_VERSION],
    ["correction", correction?.version ?? CORRECTION_VERSION, CORRECTION_VERSION],
  ];
  for (const [name, version, known] of versions) {
    if (!(version <= known)) {
      throw new Error(`${name} version ${version}; this program reads up to ${known}`);
    }
  }
  const inputs = Object.values(artifacts ?? {}).flatMap((graph) => graph.inputs);
  const needs = [
    ["feature", Object.keys(features ?? {}), FEATURES],
    ["input", inputs.map(({ name }) => name), INPUTS],
    ["tokenizer", tokenizer ? [`${tokenizer.name}, version ${tokenizer.version}`] : [], TOKENIZERS],
    ["n-gram hash", [ngrams?.hash ?? NGRAM_HASH], [NGRAM_HASH]],
    ["normalisation", [characters?.normalisation ?? NORMALISATION], [NORMALISATION]],
  ];
  for (const [what, needed, known] of needs) {
    const lacking = needed.filter((name) => !known.includes(name));
    if (lacking.length) throw new Error(`this program lacks the ${what} ${lacking.join(", ")}`);
  }
}

/** Turns texts into features, under the names of conformance.jsonl. */
export class Inputs {
  /**
   * Takes the parsed manifest and labels, the text of vocabulary.txt, "" if there is none, and the
   * bytes of lost_words.bin, none if there is none.
   */
  constructor(manifest, vocabulary, labels, lostWords = new Uint8Array()) {
    this.manifest = manifest;
    const { kept_words = [], lost_words = [] } = manifest.correction ?? {};
    this.keptWords = new Set(kept_words);
    this.lostWords = splitFilters(lostWords, lost_words);
    this.ranks = manifest.correction ? ownWords(labels) : new Map();
    const characters = manifest.characters;
    if (characters !== null) this.characters = { ...characters, known: [...characters.known] };
    this.ids = new Map();
    if (vocabulary !== "") vocabulary.split("\n").forEach((word, id) => this.ids.set(word, id));
  }

  /** Return the features of a text; those of the decision only if the recogniser takes them. */
  prepare(text) {
    const { ngram_counts, negation } = this.manifest.features ?? {};
    const words = this.correct(tokenize(text));
    const hasPieces = this.manifest.tokenizer?.name === "word_pieces";
    const features = this.read(text, hasPieces ? wordPieces(words, this.ids) : words);
    if (ngram_counts) features.ngram_counts = countNgrams(words, ngram_counts);
    if (negation) features.negation = findNegation(words, negation);
    return features;
  }

  /** Return the tokens with their typing errors corrected, by docs/correction.md. */
  correct(tokens) {
    const settings = this.manifest.correction;
    if (!settings) return tokens;
    const corrected = tokens.map((token, i) =>
      i < settings.max_tokens ? this.readWord(token, settings) : token,
    );
    const again = tokenize(corrected.join(" ").replaceAll(" '", "'"));
    return JSON.stringify(again) === JSON.stringify(corrected) ? corrected : tokens;
  }

  /** Return the known word that a word is read as, or the word itself. */
  readWord(word, { min_letters, max_letters }) {
    const isPlain = /^[a-z]+$/.test(word);
    const hasLength = min_letters <= word.length && word.length <= max_letters;
    if (this.ids.has(word) || this.ranks.has(word) || !isPlain || !hasLength) return word;
    if (this.keptWords.has(word) || isLost(word, this.lostWords)) return word;
    const words = [...oneEdit(word)];
    for (const ranks of [this.ranks, this.ids]) {
      const matches = words.filter((other) => ranks.has(other));
      if (matches.length > 0) return matches.reduce((a, b) => (ranks.get(a) < ranks.get(b) ? a : b));
    }
    return word;
  }

  /** Return the features that the encoder graph takes, too. */
  read(text, tokens) {
    if (this.manifest.reads === "text") {
      return { characters: readCharacters(text, this.characters) };
    }
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

  /** Return the slots: one for a known word, else one for each n-gram. */
  slots(tokens) {
    const slots = { ids: [], weights: [], token_numbers: [] };
    const { ngrams, max_length: maxLength, max_tokens: maxTokens } = this.manifest;
    let number = 0; // of the token, among those that have slots
    for (const token of tokens) {
      if (number === maxTokens) break;
      const id = this.ids.get(token);
      const buckets = id === undefined && ngrams !== null ? ngramBuckets(token, ngrams) : [];
      const ids = id === undefined ? buckets.map((bucket) => this.ids.size + bucket) : [id];
      for (const row of ids) {
        slots.ids.push(row);
        slots.weights.push(id === undefined ? ngrams.weight / ids.length : 1);
        slots.token_numbers.push(number);
      }
      if (ids.length > 0) number++;
    }
    if (!Number.isInteger(maxTokens)) delete slots.token_numbers; // the order does not count
    for (const name in slots) slots[name] = slots[name].slice(0, maxLength ?? undefined);
    return slots;
  }
}

const NOTHING_KNOWN = {
  intent: null,
  score: 0,
  template: null,
  nearest: null,
  runner_up: null,
  margin: null,
  reason: "unknown_words",
};

/**
 * Decide by the scores of all intents; `templates` has the nearest template of each intent, and
 * `isCounterExample` tells of an intent's place whether the text is a counter-example of it.
 */
export function decide(labels, scores, templates, isCounterExample) {
  if (scores.every((score) => score === 0)) return { ...NOTHING_KNOWN }; // the text's vector is zeros
  let best = 0;
  let second = -1; // place of the runner-up
  for (let i = 1; i < scores.length; i++) {
    if (scores[i] > scores[best]) {
      second = best;
      best = i;
    } else if (second === -1 || scores[i] > scores[second]) {
      second = i;
    }
  }
  const texts = labels.intents.flatMap((intent) => intent.templates);
  const { name, threshold } = labels.intents[best];
  const margin = second === -1 ? null : scores[best] - scores[second];
  let reason = null;
  if (isCounterExample(best)) reason = "counter_example";
  else if (scores[best] < (threshold ?? labels.threshold)) reason = "below_threshold";
  else if (margin !== null && margin < labels.margin) reason = "ambiguous";
  return {
    intent: reason === null ? name : null,
    score: scores[best],
    template: texts[templates[best]],
    nearest: name,
    runner_up: second === -1 ? null : {
      intent: labels.intents[second].name,
      score: scores[second],
      template: texts[templates[second]],
    },
    margin,
    reason,
  };
}

let lastTask = Promise.resolve(); // the latest use of ONNX Runtime, by whichever recogniser

/**
 * Start a task when all earlier tasks have ended, and return its result. ONNX Runtime Web has one
 * memory for all graphs: a run that begins while another one waits would overwrite its tensors.
 */
function inTurn(task) {
  const result = lastTask.then(task);
  lastTask = result.catch(() => {}); // the caller gets the error, and the next task starts
  return result;
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
    checkManifest(manifest);
    const recogniser = new Recogniser();
    const open = async ({ file }) => {
      const content = await read(file);
      return inTurn(() => ort.InferenceSession.create(content));
    };
    const { recognizer, characters } = manifest.artifacts;
    recogniser.ort = ort;
    recogniser.labels = JSON.parse(await text("labels.json"));
    const hasWords = "vocabulary.txt" in manifest.files;
    recogniser.inputs = new Inputs(
      manifest,
      hasWords ? await text("vocabulary.txt") : "",
      recogniser.labels,
      manifest.correction?.lost_words?.length ? await read("lost_words.bin") : undefined,
    );
    recogniser.graph = await open(recognizer);
    if (characters) recogniser.speller = await open(characters);
    recogniser.vectors = new Map(); // cache of spelt-out words
    return recogniser;
  }

  /** Return the intent of a text, or null and the reason; calls may overlap. */
  async recognise(text) {
    const features = this.inputs.prepare(text);
    if (!features.ids?.length && !features.characters?.length) {
      return { ...NOTHING_KNOWN };
    }
    const tensors = await this.tensors(features);
    for (const name of Object.keys(this.inputs.manifest.features ?? {})) {
      tensors[name] = this.tensor("float32", features[name]);
    }
    const { scores, templates } = await inTurn(() => this.graph.run(tensors));
    const isCounterExample = (place) => this.isCounterExample(text, place);
    return decide(this.labels, scores.data, templates.data, isCounterExample);
  }

  /** Whether a text has the words of a counter-example of an intent, by docs/decision.md. */
  isCounterExample(text, place) {
    const words = (tokens) => JSON.stringify(tokens);
    const read = words(this.inputs.correct(tokenize(text)));
    const against = [...this.labels.intents[place].except, ...this.labels.none];
    return read !== "[]" && against.some((other) => words(tokenize(other)) === read);
  }

  /** Return the inputs of the encoder graph, which are also inputs of the recogniser graph. */
  async tensors({ ids, weights, token_numbers, characters }) {
    if (this.inputs.manifest.reads === "text") return this.characterTensors(characters);
    const tensors = {};
    if (ids) {
      const empty = ids.length === 0; // a graph requires at least one slot
      tensors.ids = this.tensor("int32", empty ? [0] : ids);
      tensors.weights = this.tensor("float32", empty ? [0] : weights);
      if (token_numbers) tensors.token_numbers = this.tensor("int32", empty ? [0] : token_numbers);
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

  /** Return the vector of a spelt-out word; the last 4,096 are cached, also while they are made. */
  spell(word) {
    const key = word.join();
    let vector = this.vectors.get(key);
    if (vector === undefined) {
      if (this.vectors.size === 4096) this.vectors.delete(this.vectors.keys().next().value);
      const tensors = this.characterTensors(word);
      vector = inTurn(() => this.speller.run(tensors)).then(({ vectors }) => vectors.data);
      vector.catch(() => this.vectors.delete(key)); // the next text tries again
      this.vectors.set(key, vector);
    }
    return vector;
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
