"""The examples of the docs, run as an app runs them: on a folder, without pocketintent."""

import json
import os
import runpy
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pocketintent import IntentRecognizer
from pocketintent.runtime.graphs.folder import open_exported
from pocketintent.runtime.text.negations import NEGATIONS as NEGATIONS_BY_LANGUAGE

REPOSITORY = Path(__file__).resolve().parent.parent
EXAMPLES = REPOSITORY / "docs" / "examples"
ENGLISH = NEGATIONS_BY_LANGUAGE["en"]

# Runs a script in a process that cannot import pocketintent, wherever it is installed.
ISOLATED = """\
import runpy, sys
for package in ("pocketintent", "pocketintent_export", "orjson", "safetensors"):
    sys.modules[package] = None
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""

CHECK_BACKEND = """\
import json, sys
from pathlib import Path
from pocketintent import IntentRecognizer
folder = Path(sys.argv[1])
recognizer = IntentRecognizer.load(model=folder, backend="tflite")
lines = [json.loads(line) for line in (folder / "conformance.jsonl").open(encoding="utf-8")]
for line in lines:
    match = recognizer.match(line["text"])
    assert match.intent == line["intent"], (line, match)
    assert abs(match.score - line["score"]) < 1e-4, (line, match)
assert "tflite_runtime" in sys.modules and "ai_edge_litert" not in sys.modules
print(len(lines))
"""

CHECK_INPUTS = """\
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
const [script, folder] = process.argv.slice(-2);
const { Inputs } = await import(pathToFileURL(script));
const read = (name) => readFileSync(`${folder}/${name}`, "utf8");
const manifest = JSON.parse(read("manifest.json"));
const words = "vocabulary.txt" in manifest.files ? read("vocabulary.txt") : "";
const inputs = new Inputs(manifest, words, JSON.parse(read("labels.json")));
for (const line of read("conformance.jsonl").split("\\n").slice(0, -1)) {
  const features = inputs.prepare(JSON.parse(line).text);
  for (const name of Object.keys(manifest.features)) {
    const values = [...features[name]].map((value, place) => [place, value]);
    features[name] = values.filter(([, value]) => value !== 0);
  }
  console.log(JSON.stringify(features));
}
"""

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
VECTORS = REPOSITORY / "docs" / "ngram_vectors.jsonl"

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
NEGATIONS = REPOSITORY / "docs" / "negation_vectors.jsonl"

CORRECT = """\
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
const [script, path] = process.argv.slice(-2);
const { Inputs, tokenize } = await import(pathToFileURL(script));
const correction = { min_letters: 3, max_letters: 16, max_tokens: 64 };
for (const line of readFileSync(path, "utf8").split("\\n").slice(0, -1)) {
  const { own_texts, vocabulary, text } = JSON.parse(line);
  const labels = { intents: [{ templates: own_texts, except: [] }], none: [] };
  const inputs = new Inputs({ correction, characters: null }, vocabulary.join("\\n"), labels);
  console.log(JSON.stringify(inputs.correct(tokenize(text))));
}
"""
CORRECTIONS = REPOSITORY / "docs" / "correction_vectors.jsonl"


def run(*command: object) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONUTF8": "1"}
    return subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        encoding="utf-8",
        env=environment,
        timeout=120,
        check=False,
    )


MODELS = ["static", "words", "text", "combined", "contextual", "infersent", "convrr"]
"""The fixture ``exported`` has a folder of each."""
FOLDERS = [*((model, False) for model in MODELS), ("static", True)]
"""A model, and whether the folder's bot looks for negations."""
each_folder = pytest.mark.parametrize(("model", "negated"), FOLDERS)
EVERY_SCORE_PASSES: dict[str, Any] = {"threshold": -1, "margin": 0}


def recognise(
    *arguments: object, python: object = sys.executable
) -> subprocess.CompletedProcess[str]:
    return run(python, "-c", ISOLATED, EXAMPLES / "recognise.py", *arguments)


def conformance(folder: Path) -> list[dict[str, object]]:
    lines = (folder / "conformance.jsonl").read_text("utf-8").split("\n")[:-1]
    return [json.loads(line) for line in lines]


@pytest.fixture(scope="session")
def tflite_python() -> Path:
    """The Python of the environment with tflite-runtime."""
    named = os.environ.get("POCKETINTENT_TFLITE_PYTHON")
    default = REPOSITORY / ".venv-tflite" / "bin" / "python"
    python = Path(named) if named else default
    if not python.is_file():
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        reason = f"no tflite-runtime at {python}; `make pytest` sets it up"
        if sys.version_info >= (3, 12):
            reason = f"tflite-runtime has no wheels for Python {version}, and none is at {python}"
        pytest.skip(reason)
    return python


@pytest.fixture(scope="session")
def node() -> str:
    path = shutil.which("node")
    if path is None:
        pytest.skip("node is not installed")
    return path


@each_folder
@pytest.mark.parametrize("file_format", ["onnx", "tflite"])
def test_the_script_agrees_with_every_conformance_utterance(
    exported: Callable[..., Path], file_format: str, model: str, negated: bool
) -> None:
    result = recognise(exported(file_format, model, negated), "--check")
    assert result.returncode == 0, result.stderr
    assert result.stdout == "500 utterances agree\n"


def test_the_script_agrees_on_the_default_model(tmp_path: Path) -> None:
    for package in ("torch", "onnx", "onnxscript", "onnxruntime"):
        pytest.importorskip(package)
    from pocketintent_export import export_folder

    export_folder(tmp_path / "smart_home", "smart_home")
    result = recognise(tmp_path / "smart_home", "--check")
    assert result.returncode == 0, result.stderr
    result = recognise(tmp_path / "smart_home", "Could you switch the lamp off, please?", "", "qwx")
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert [answer["intent"] for answer in answers] == ["lights_off", None, None]
    assert answers[0]["template"] == "switch the lamp off please"
    assert [answer["reason"] for answer in answers] == [None, "unknown_words", "below_threshold"]


@pytest.mark.parametrize("file_format", ["onnx", "tflite"])
def test_a_word_without_weight_is_as_unknown_to_a_port_as_to_the_runtime(
    exported: Callable[..., Path], compressed_model: Path, tmp_path: Path, file_format: str
) -> None:
    folder = tmp_path / "folder"
    shutil.copytree(exported(file_format), folder)
    # A threshold and a margin that every score passes, so that only the zeros can refuse.
    labels = json.loads((folder / "labels.json").read_text("utf-8")) | EVERY_SCORE_PASSES
    (folder / "labels.json").write_text(json.dumps(labels), "utf-8")
    templates = replace(open_exported(exported(file_format)).templates(), **EVERY_SCORE_PASSES)
    match = IntentRecognizer.load(templates, compressed_model).match("um um")
    assert (match.intent, match.score, match.reason) == (None, 0.0, "unknown_words")
    result = recognise(folder, "um um", "hello")
    assert result.returncode == 0, result.stderr
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(answer["intent"], answer["reason"]) for answer in answers] == [
        (None, "unknown_words"),
        ("greet", None),
    ]


@each_folder
def test_the_script_agrees_under_tflite_runtime(
    exported: Callable[..., Path], tflite_python: Path, model: str, negated: bool
) -> None:
    result = recognise(exported("tflite", model, negated), "--check", python=tflite_python)
    assert result.returncode == 0, result.stderr
    assert result.stdout == "500 utterances agree\n"


@pytest.mark.parametrize("model", MODELS)
def test_the_recogniser_runs_under_tflite_runtime(
    exported: Callable[..., Path], tflite_python: Path, model: str
) -> None:
    result = run(tflite_python, "-c", CHECK_BACKEND, exported("tflite", model))
    assert result.returncode == 0, result.stderr
    assert result.stdout == "500\n"


@pytest.mark.parametrize(
    ("model", "field", "value"),
    [
        ("static", "tokens", ["other"]),
        ("static", "ids", [0, 1, 2]),
        ("static", "weights", [2.0]),
        ("static", "vector", [0.5] * 8),
        ("static", "intent", "other"),
        ("static", "score", 0.123),
        ("static", "scores", [0.1, 0.2, 0.3, 0.4]),
        ("static", "ngram_counts", [[3, 1]]),
        ("static", "template", "another"),
        ("static", "nearest", "other"),
        ("static", "runner_up", {"intent": "other", "score": 0.5, "template": "another"}),
        ("static", "margin", 0.123),
        ("static", "reason", "ambiguous"),
        ("contextual", "token_numbers", [0, 0, 7]),
        ("combined", "ids", [0, 1, 2]),
        ("combined", "characters", [[1, 2]]),
        ("text", "characters", [1, 2]),
    ],
)
def test_an_altered_line_fails_the_check_and_is_named(
    exported: Callable[..., Path], tmp_path: Path, model: str, field: str, value: object
) -> None:
    folder = tmp_path / "altered"
    shutil.copytree(exported("onnx", model), folder)
    lines = conformance(folder)[:7]
    lines[4][field] = value
    altered = "".join(json.dumps(line) + "\n" for line in lines)
    (folder / "conformance.jsonl").write_text(altered, "utf-8")
    result = recognise(folder, "--check")
    assert result.returncode == 1
    assert result.stderr.startswith(f"conformance.jsonl, line 5: {field}: ")


@pytest.mark.parametrize("missing", ["", "manifest.json", "labels.json", "recognizer.onnx"])
def test_a_folder_that_is_no_export_is_refused_in_one_line(
    exported: Callable[..., Path], tmp_path: Path, missing: str
) -> None:
    folder = tmp_path / "folder"
    if missing:
        shutil.copytree(exported("onnx"), folder)
        (folder / missing).unlink()
    result = recognise(folder, "hello")
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith(f"{folder} is no exported folder: ")
    assert missing in result.stderr


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"name": "an app"}', "\x00"])
def test_a_folder_with_a_foreign_manifest_is_refused_in_one_line(
    tmp_path: Path, content: str
) -> None:
    (tmp_path / "manifest.json").write_text(content)
    (tmp_path / "labels.json").write_text("{}")
    result = recognise(tmp_path, "--check")
    assert (result.returncode, result.stdout, result.stderr.count("\n")) == (1, "", 1)


@each_folder
@pytest.mark.parametrize("file_format", ["onnx", "tflite"])
def test_javascript_makes_the_same_inputs(
    exported: Callable[..., Path], node: str, file_format: str, model: str, negated: bool
) -> None:
    folder = exported(file_format, model, negated)
    script = EXAMPLES / "recognise.mjs"
    result = run(node, "--input-type=module", "-e", CHECK_INPUTS, "--", script, folder)
    assert result.returncode == 0, result.stderr
    inputs = [json.loads(line) for line in result.stdout.split("\n")[:-1]]
    expected = conformance(folder)
    assert len(inputs) == len(expected)
    for line, right in zip(inputs, expected, strict=True):
        for field in ("tokens", "ids", "token_numbers", "characters"):
            assert line.get(field) == right.get(field)
        assert line["ngram_counts"] == right["ngram_counts"]
        assert line.get("negation") == right.get("negation")
        assert ("negation" in line) == negated
        assert line.get("weights", []) == pytest.approx(right.get("weights", []))


def ngram_vectors() -> list[Any]:
    """The pairs of bucket and count of each line."""
    return [json.loads(line)["counts"] for line in VECTORS.read_text("utf-8").split("\n")[:-1]]


def test_the_script_passes_the_ngram_vectors() -> None:
    port = runpy.run_path(str(EXAMPLES / "recognise.py"))
    settings = {"min_n": 2, "max_n": 5, "num_buckets": 512}
    texts = [json.loads(line)["text"] for line in VECTORS.read_text("utf-8").split("\n")[:-1]]
    found = [port["count_ngrams"](port["tokenize"](text, 4096), settings) for text in texts]
    pairs = [[[i, count] for i, count in enumerate(row.tolist()) if count] for row in found]
    assert pairs == ngram_vectors()


def test_javascript_passes_the_ngram_vectors(node: str) -> None:
    script = EXAMPLES / "recognise.mjs"
    result = run(node, "--input-type=module", "-e", COUNT_NGRAMS, "--", script, VECTORS)
    assert result.returncode == 0, result.stderr
    assert [json.loads(line) for line in result.stdout.splitlines()] == ngram_vectors()


def negations() -> list[Any]:
    """The lines of the vectors of negations."""
    return [json.loads(line) for line in NEGATIONS.read_text("utf-8").split("\n")[:-1]]


def test_the_script_passes_the_negation_vectors() -> None:
    port = runpy.run_path(str(EXAMPLES / "recognise.py"))
    for line in negations():
        tokens = port["tokenize"](line["text"], 4096)
        assert tokens == line["tokens"]
        flag = port["find_negation"](tokens, {"words": sorted(ENGLISH)})
        assert flag.tolist() == [line["negation"]]


def test_javascript_passes_the_negation_vectors(node: str) -> None:
    script, words = EXAMPLES / "recognise.mjs", json.dumps(sorted(ENGLISH))
    result = run(node, "--input-type=module", "-e", FIND_NEGATIONS, "--", script, NEGATIONS, words)
    assert result.returncode == 0, result.stderr
    flags = [json.loads(line) for line in result.stdout.splitlines()]
    assert flags == [[line["negation"]] for line in negations()]


def corrections() -> list[Any]:
    """The lines of the vectors of corrections."""
    return [json.loads(line) for line in CORRECTIONS.read_text("utf-8").split("\n")[:-1]]


def test_the_script_passes_the_correction_vectors() -> None:
    port = runpy.run_path(str(EXAMPLES / "recognise.py"))
    settings = {"min_letters": 3, "max_letters": 16, "max_tokens": 64}
    for line in corrections():
        recogniser = port["Recogniser"].__new__(port["Recogniser"])
        recogniser.manifest = {"correction": settings}
        recogniser.ids = {word: place for place, word in enumerate(line["vocabulary"])}
        labels = {"intents": [{"templates": line["own_texts"], "except": []}], "none": []}
        recogniser.ranks = port["own_words"](labels)
        assert recogniser.correct(port["tokenize"](line["text"], 4096)) == line["tokens"]


def test_javascript_passes_the_correction_vectors(node: str) -> None:
    script = EXAMPLES / "recognise.mjs"
    result = run(node, "--input-type=module", "-e", CORRECT, "--", script, CORRECTIONS)
    assert result.returncode == 0, result.stderr
    tokens = [json.loads(line) for line in result.stdout.splitlines()]
    assert tokens == [line["tokens"] for line in corrections()]


def test_javascript_answers_calls_that_overlap(node: str) -> None:
    files = {
        "manifest.json": {
            "kind": "charemb",
            "reads": "words",
            "dim": 1,
            "characters": {"max_chars": 9, "known": "abc"},
            "tokenizer": {"max_chars": 99},
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
    script, asked = EXAMPLES / "recognise.mjs", json.dumps(question)
    result = run(node, "--input-type=module", "-e", CHECK_OVERLAPPING_CALLS, "--", script, asked)
    assert result.returncode == 0, result.stderr
    answer = json.loads(result.stdout)
    # The error of one call leaves the others alone.
    error = "four characters"
    assert answer["results"] == pytest.approx([1 / 2, 1 / 2, 1 / 3, 1 / 3, error, error, 1 / 5, 1])
    # Each recogniser spells a word once, however many calls wait for it.
    assert answer["runs"].count("characters") == len(["aa", "b", "abca"] * 2) + len(["abc", "c"])


def test_javascript_takes_scores_of_zero_for_unknown_words(node: str) -> None:
    intents = [{"name": name, "threshold": -1, "templates": [name]} for name in "ab"]
    labels = {"language": "en", "threshold": 0.5, "margin": 0, "intents": intents}
    question = json.dumps({"labels": labels, "scores": [[0, 0], [0, -0.5]], "nearest": [0, 1]})
    script = EXAMPLES / "recognise.mjs"
    result = run(node, "--input-type=module", "-e", CHECK_DECISIONS, "--", script, question)
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout) == [
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
    script = EXAMPLES / "recognise.mjs"
    result = run(node, "--input-type=module", "-e", CHECK_DECISIONS, "--", script, question)
    assert result.returncode == 0, result.stderr
    answers = json.loads(result.stdout)
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
    script = EXAMPLES / "recognise.mjs"
    result = run(node, "--input-type=module", "-e", CHECK_DECISIONS, "--", script, question)
    assert result.returncode == 0, result.stderr
    (answer,) = json.loads(result.stdout)
    assert (answer["intent"], answer["runner_up"], answer["margin"]) == ("a", None, None)
