"""Running the examples of the docs as an app runs them: on a folder, without pocketintent."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).resolve().parents[3] / "docs"
PYTHON_PORT = DOCS / "examples" / "recognise.py"
JAVASCRIPT_PORT = DOCS / "examples" / "recognise.mjs"

# Runs a script in a process that cannot import pocketintent, wherever it is installed.
ISOLATED = """\
import runpy, sys
for package in ("pocketintent", "pocketintent_export", "orjson", "safetensors"):
    sys.modules[package] = None
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
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

LATER: list[dict[str, Any]] = [
    {"format_version": 2},
    {"correction": {"version": 3}},
    {"features": {"ngram_counts": {}, "smell": {}}},
    {"artifacts": {"recognizer": {"inputs": [{"name": "ids"}, {"name": "smell"}]}}},
    {"tokenizer": {"name": "tweet", "version": 1}},
    {"tokenizer": {"name": "simple", "version": 2}},
    {"tokenizer": {"name": "word_pieces", "version": 2}},
    {"ngrams": {"hash": "floret"}},
    {"characters": {"normalisation": "nfkc-lower-2"}},
]
"""Entries of a manifest that a port cannot read."""
LATER_MESSAGES = [
    "format version 2; this program reads up to 1",
    "correction version 3; this program reads up to 2",
    "this program lacks the feature smell",
    "this program lacks the input smell",
    "this program lacks the tokenizer tweet, version 1",
    "this program lacks the tokenizer simple, version 2",
    "this program lacks the tokenizer word_pieces, version 2",
    "this program lacks the n-gram hash floret",
    "this program lacks the normalisation nfkc-lower-2",
]
"""What a port says of them."""


def run(*command: object, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONUTF8": "1"}
    return subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        encoding="utf-8",
        input=stdin,
        env=environment,
        timeout=120,
        check=False,
    )


def recognise(
    *arguments: object, python: object = sys.executable, stdin: str | None = None
) -> subprocess.CompletedProcess[str]:
    return run(python, "-c", ISOLATED, PYTHON_PORT, *arguments, stdin=stdin)


def run_javascript(node: str, code: str, *arguments: object) -> list[str]:
    """The lines that code prints; its last arguments are the path of the port and these."""
    result = run(node, "--input-type=module", "-e", code, "--", JAVASCRIPT_PORT, *arguments)
    assert result.returncode == 0, result.stderr
    return result.stdout.split("\n")[:-1]


def read_lines(path: Path) -> list[Any]:
    """The objects of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text("utf-8").split("\n")[:-1]]


def check_script(folder: Path, python: object = sys.executable) -> None:
    """``recognise.py`` agrees with the conformance file of a folder."""
    result = recognise(folder, "--check", python=python)
    assert result.returncode == 0, result.stderr
    assert result.stdout == "500 utterances agree\n"


def check_javascript_inputs(node: str, folder: Path) -> None:
    """``recognise.mjs`` makes the inputs of the conformance file of a folder."""
    lines = run_javascript(node, CHECK_INPUTS, folder)
    inputs = [json.loads(line) for line in lines]
    expected = read_lines(folder / "conformance.jsonl")
    assert len(inputs) == len(expected)
    for line, right in zip(inputs, expected, strict=True):
        for field in ("tokens", "ids", "token_numbers", "characters"):
            assert line.get(field) == right.get(field)
        assert line["ngram_counts"] == right["ngram_counts"]
        assert line.get("negation") == right.get("negation")
        assert ("negation" in line) == ("negation" in right)
        assert line.get("weights", []) == pytest.approx(right.get("weights", []))
