"""Both ports on the test vectors of the docs."""

import json
import runpy

from exports.ports import DOCS, PYTHON_PORT, read_lines, run_javascript
from pocketintent.runtime.text.languages import NEGATIONS as NEGATIONS_BY_LANGUAGE

ENGLISH = NEGATIONS_BY_LANGUAGE["en"]
NGRAMS = DOCS / "ngram_vectors.jsonl"
NEGATIONS = DOCS / "negation_vectors.jsonl"
CORRECTIONS = DOCS / "correction_vectors.jsonl"
PIECES = DOCS / "word_piece_vectors.jsonl"

COUNT_NGRAMS = """\
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
const [script, path] = process.argv.slice(-2);
const { countNgrams, tokenize } = await import(pathToFileURL(script));
const settings = { min_n: 2, max_n: 5, num_buckets: 512 };
for (const line of readFileSync(path, "utf8").split("\\n").slice(0, -1)) {
  const counts = [...countNgrams(tokenize(JSON.parse(line).text), settings)];
  const pairs = counts.map((count, bucket) => [bucket, count]);
  console.log(JSON.stringify(pairs.filter(([, count]) => count !== 0)));
}
"""

FIND_NEGATIONS = """\
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
const [script, path, json] = process.argv.slice(-3);
const { findNegation, tokenize } = await import(pathToFileURL(script));
for (const line of readFileSync(path, "utf8").split("\\n").slice(0, -1)) {
  const flag = findNegation(tokenize(JSON.parse(line).text), { words: JSON.parse(json) });
  console.log(JSON.stringify([...flag]));
}
"""

CORRECT = """\
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
const [script, path] = process.argv.slice(-2);
const { Inputs, tokenize } = await import(pathToFileURL(script));
const limits = { min_letters: 3, max_letters: 16, max_tokens: 64 };
for (const line of readFileSync(path, "utf8").split("\\n").slice(0, -1)) {
  const { own_texts, vocabulary, text, kept_words = [], filters = [] } = JSON.parse(line);
  const labels = { intents: [{ templates: own_texts, except: [] }], none: [] };
  const lost_words = filters.map((hex) => hex.length / 2);
  const correction = { ...limits, kept_words, lost_words };
  const bytes = new Uint8Array(Buffer.from(filters.join(""), "hex"));
  const manifest = { correction, characters: null };
  const inputs = new Inputs(manifest, vocabulary.join("\\n"), labels, bytes);
  console.log(JSON.stringify(inputs.correct(tokenize(text))));
}
"""


SPLIT = """\
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
const [script, path] = process.argv.slice(-2);
const { tokenize, wordPieces } = await import(pathToFileURL(script));
for (const line of readFileSync(path, "utf8").split("\\n").slice(0, -1)) {
  const { vocabulary, text } = JSON.parse(line);
  console.log(JSON.stringify(wordPieces(tokenize(text), new Set(vocabulary))));
}
"""


def test_the_script_passes_the_ngram_vectors() -> None:
    port = runpy.run_path(str(PYTHON_PORT))
    settings = {"min_n": 2, "max_n": 5, "num_buckets": 512}
    texts = [line["text"] for line in read_lines(NGRAMS)]
    found = [port["count_ngrams"](port["tokenize"](text, 4096), settings) for text in texts]
    pairs = [[[i, count] for i, count in enumerate(row.tolist()) if count] for row in found]
    assert pairs == [line["counts"] for line in read_lines(NGRAMS)]


def test_javascript_passes_the_ngram_vectors(node: str) -> None:
    lines = run_javascript(node, COUNT_NGRAMS, NGRAMS)
    assert [json.loads(line) for line in lines] == [line["counts"] for line in read_lines(NGRAMS)]


def test_the_script_passes_the_negation_vectors() -> None:
    port = runpy.run_path(str(PYTHON_PORT))
    for line in read_lines(NEGATIONS):
        tokens = port["tokenize"](line["text"], 4096)
        assert tokens == line["tokens"]
        flag = port["find_negation"](tokens, {"words": sorted(ENGLISH)})
        assert flag.tolist() == [line["negation"]]


def test_javascript_passes_the_negation_vectors(node: str) -> None:
    words = json.dumps(sorted(ENGLISH))
    lines = run_javascript(node, FIND_NEGATIONS, NEGATIONS, words)
    flags = [json.loads(line) for line in lines]
    assert flags == [[line["negation"]] for line in read_lines(NEGATIONS)]


def test_the_script_passes_the_correction_vectors() -> None:
    port = runpy.run_path(str(PYTHON_PORT))
    settings = {"min_letters": 3, "max_letters": 16, "max_tokens": 64}
    for line in read_lines(CORRECTIONS):
        recogniser = port["Recogniser"].__new__(port["Recogniser"])
        kept_words, filters = line.get("kept_words", []), "".join(line.get("filters", []))
        sizes = [len(bits) // 2 for bits in line.get("filters", [])]
        recogniser.manifest = {"correction": settings | {"kept_words": kept_words}}
        recogniser.lost_words = port["split_filters"](bytes.fromhex(filters), sizes)
        recogniser.ids = {word: place for place, word in enumerate(line["vocabulary"])}
        labels = {"intents": [{"templates": line["own_texts"], "except": []}], "none": []}
        recogniser.ranks = port["own_words"](labels)
        assert recogniser.correct(port["tokenize"](line["text"], 4096)) == line["tokens"]


def test_javascript_passes_the_correction_vectors(node: str) -> None:
    lines = run_javascript(node, CORRECT, CORRECTIONS)
    tokens = [json.loads(line) for line in lines]
    assert tokens == [line["tokens"] for line in read_lines(CORRECTIONS)]


def test_the_script_passes_the_vectors_of_word_pieces() -> None:
    port = runpy.run_path(str(PYTHON_PORT))
    for line in read_lines(PIECES):
        words, ids = port["tokenize"](line["text"], 4096), dict.fromkeys(line["vocabulary"], 0)
        pieces = [piece for word in words for piece in port["word_pieces"](word, ids)]
        assert pieces == line["tokens"]


def test_javascript_passes_the_vectors_of_word_pieces(node: str) -> None:
    tokens = [json.loads(line) for line in run_javascript(node, SPLIT, PIECES)]
    assert tokens == [line["tokens"] for line in read_lines(PIECES)]
