"""``recognise.mjs``: its inputs, its decisions, and calls that overlap."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from exports.ports import LATER, LATER_MESSAGES, check_javascript_inputs, run_javascript

CHECK_DECISIONS = """\
import { pathToFileURL } from "node:url";
const [script, json] = process.argv.slice(-2);
const { decide } = await import(pathToFileURL(script));
const { labels, scores, nearest } = JSON.parse(json);
console.log(JSON.stringify(scores.map((row) => decide(labels, row, nearest, () => false))));
"""

# A runtime that fails when a graph is run while another one runs, as ONNX Runtime Web does. The
# graphs give a word the vector [number of characters], and score 1 / that for the only intent.
CHECK_OVERLAPPING_CALLS = """\
import { pathToFileURL } from "node:url";
const [script, json] = process.argv.slice(-2);
const { Recogniser } = await import(pathToFileURL(script));
const { files, texts } = JSON.parse(json);
let running = 0;
const runs = [];
const ort = {
  Tensor: class { constructor(type, data) { this.data = data; } },
  InferenceSession: {
    create: async (content) => ({
      run: async (inputs) => {
        if (running++) throw new Error("another graph runs");
        const name = new TextDecoder().decode(content);
        runs.push(name);
        await new Promise((resolve) => setImmediate(resolve));
        running--;
        if (inputs.characters?.data.length === 4) throw new Error("four characters");
        const total = inputs.characters ? inputs.characters.data.length : inputs.spelt.data[0];
        const vectors = { data: Float32Array.of(total) };
        const scores = { data: Float32Array.of(1 / total) };
        return { vectors, scores, templates: { data: Int32Array.of(0) } };
      },
    }),
  },
};
const read = async (name) => new TextEncoder().encode(files[name] ?? name);
const recognisers = [await Recogniser.load(ort, read), await Recogniser.load(ort, read)];
const calls = texts.map((text, i) => recognisers[i % 2].recognise(text));
const answers = await Promise.allSettled(calls);
const results = answers.map(({ value, reason }) => value?.score ?? reason.message);
console.log(JSON.stringify({ results, runs: runs.sort() }));
"""


CHECK_MANIFESTS = """\
import { pathToFileURL } from "node:url";
const [script, json] = process.argv.slice(-2);
const { checkManifest } = await import(pathToFileURL(script));
for (const manifest of JSON.parse(json)) {
  try { checkManifest(manifest); console.log(""); } catch (error) { console.log(error.message); }
}
"""


@pytest.mark.parametrize("file_format", ["onnx", "tflite"])
def test_javascript_looks_for_negations(
    exported: Callable[..., Path], node: str, file_format: str
) -> None:
    check_javascript_inputs(node, exported(file_format, negated=True))


def test_javascript_refuses_a_folder_that_it_cannot_read(node: str) -> None:
    manifests = [{"format_version": 1, "correction": None}]
    manifests += [manifests[0] | changes for changes in LATER]
    messages = run_javascript(node, CHECK_MANIFESTS, json.dumps(manifests))
    assert messages == ["", *LATER_MESSAGES]


def test_javascript_answers_calls_that_overlap(node: str) -> None:
    files = {
        "manifest.json": {
            "format_version": 1,
            "kind": "charemb",
            "reads": "words",
            "dim": 1,
            "characters": {"normalisation": "nfkc-lower-1", "max_chars": 9, "known": "abc"},
            "tokenizer": {"name": "simple", "version": 1, "max_chars": 99},
            "files": {},
            "artifacts": {
                name: {"file": name, "inputs": []} for name in ("recognizer", "characters")
            },
        },
        "labels.json": {
            "threshold": 0,
            "margin": 0,
            "intents": [{"name": "a", "threshold": None, "templates": ["a"], "except": []}],
            "none": [],
        },
    }
    texts = ["aa", "aa", "aa b", "aa b", "abca", "abca", "abc aa", "c"]
    question = {"files": {name: json.dumps(file) for name, file in files.items()}, "texts": texts}
    asked = json.dumps(question)
    lines = run_javascript(node, CHECK_OVERLAPPING_CALLS, asked)
    answer = json.loads(lines[0])
    # The error of one call leaves the others alone.
    error = "four characters"
    assert answer["results"] == pytest.approx([1 / 2, 1 / 2, 1 / 3, 1 / 3, error, error, 1 / 5, 1])
    # Each recogniser spells a word once, however many calls wait for it.
    assert answer["runs"].count("characters") == len(["aa", "b", "abca"] * 2) + len(["abc", "c"])


def test_javascript_takes_scores_of_zero_for_unknown_words(node: str) -> None:
    intents = [{"name": name, "threshold": -1, "templates": [name]} for name in "ab"]
    labels = {"language": "en", "threshold": 0.5, "margin": 0, "intents": intents}
    question = json.dumps({"labels": labels, "scores": [[0, 0], [0, -0.5]], "nearest": [0, 1]})
    lines = run_javascript(node, CHECK_DECISIONS, question)
    assert json.loads(lines[0]) == [
        {
            **dict.fromkeys(["intent", "template", "nearest", "runner_up", "margin"]),
            "score": 0,
            "reason": "unknown_words",
        },
        {
            "intent": "a",
            "score": 0,
            "template": "a",
            "nearest": "a",
            "runner_up": {"intent": "b", "score": -0.5, "template": "b"},
            "margin": 0.5,
            "reason": None,
        },
    ]


def test_javascript_decides_by_thresholds_and_margin(node: str) -> None:
    intents = [
        {"name": "a", "threshold": None, "templates": ["a0", "a1"]},
        {"name": "b", "threshold": 0.75, "templates": ["b0"]},
        {"name": "c", "threshold": 0.0, "templates": ["c0", "c1"]},
    ]
    labels = {"language": "en", "threshold": 0.5, "margin": 0.0625, "intents": intents}
    scores = [[0.5, 0, 0], [0.25, 0, 0], [0, 0.7, 0], [0.7, 0.8, 0], [0.75, 0.8, 0.76], [0, 0, 0.1]]
    question = json.dumps({"labels": labels, "scores": scores, "nearest": [1, 2, 3]})
    lines = run_javascript(node, CHECK_DECISIONS, question)
    answers = json.loads(lines[0])
    assert [(answer["intent"], answer["reason"]) for answer in answers] == [
        ("a", None),
        (None, "below_threshold"),
        (None, "below_threshold"),
        ("b", None),
        (None, "ambiguous"),
        ("c", None),
    ]
    assert [answer["template"] for answer in answers] == ["a1", "a1", "b0", "b0", "b0", "c0"]
    assert [answer["nearest"] for answer in answers] == ["a", "a", "b", "b", "b", "c"]
    runner_ups = [answer["runner_up"]["template"] for answer in answers]
    assert runner_ups == ["b0", "b0", "a1", "a1", "c0", "a1"]
    assert [answer["margin"] for answer in answers] == pytest.approx(
        [0.5, 0.25, 0.7, 0.1, 0.04, 0.1]
    )


def test_javascript_has_no_runner_up_for_a_single_intent(node: str) -> None:
    intents = [{"name": "a", "threshold": None, "templates": ["a0"]}]
    labels = {"language": "en", "threshold": 0.5, "margin": 0.9, "intents": intents}
    question = json.dumps({"labels": labels, "scores": [[0.6]], "nearest": [0]})
    lines = run_javascript(node, CHECK_DECISIONS, question)
    (answer,) = json.loads(lines[0])
    assert (answer["intent"], answer["runner_up"], answer["margin"]) == ("a", None, None)
