"""Every option of every command, given junk: a message and a status, no traceback, no hang."""

import json
from pathlib import Path

import pytest

pytest.importorskip("torch")
from commands.junk import TRAIN, Calls, commands, write_lines
from commands.junk_runs import check_junk, check_succeeds
from commands.junk_runs import junk_files as junk_files
from pocketintent_lab.cli.main import build_parser, main

CALLS: Calls = {
    ("train", "convrr"): [
        {**TRAIN, "--templates": ["pairs.json"], "--model": ["tiny.safetensors"]}
    ],
    ("train", "glove"): [
        {**TRAIN, "--corpus": ["corpus.jsonl"], "--dim": ["2"], "--memory": ["1"]}
    ],
    ("train", "sent2vec"): [
        {
            **TRAIN,
            "--corpus": ["corpus.jsonl"],
            "--dim": ["2"],
            "--num-buckets": ["16"],
        }
    ],
    ("train", "masked-lm"): [
        {
            "--corpus": ["corpus.jsonl"],
            "--out": ["out"],
            "--epochs": ["1"],
            "--layers": ["1"],
            "--dim": ["4"],
            "--heads": ["1"],
            "--hidden": ["4"],
            "--vocabulary": ["60"],
        }
    ],
    ("train", "infersent"): [
        {
            **TRAIN,
            "--pairs": ["sts.jsonl"],
            "--vectors": ["vectors.tsv"],
            "--hidden": ["2"],
            "--mlp": ["4"],
        }
    ],
    ("train", "terms"): [
        {
            "--corpus": ["corpus.jsonl"],
            "--out": ["out.tsv"],
            "--min-count": ["2"],
            "--min-length": ["1"],
        }
    ],
    ("train", "words"): [
        {**TRAIN, "--corpus": ["corpus.jsonl"], "--dim": ["4"], "--min-count": ["1"]},
        {"--from": ["vectors.tsv"], "--out": ["out.safetensors"]},
    ],
    ("sweep",): [
        {
            "model": ["tiny.safetensors"],
            "--out": ["sweep"],
            "--sts": ["sts.jsonl"],
            "--intents": ["intents"],
            "--sub-dims": ["8"],
            "--codebook-sizes": ["2"],
            "--variants": ["shared"],
            "--runs": ["1"],
            "--shots": ["1"],
        }
    ],
    ("evaluate", "triplets"): [{"file": ["same.jsonl"], "--model": ["tiny.safetensors"]}],
    ("evaluate", "reconstruction"): [
        {
            "file": ["sts.jsonl"],
            "--target": ["tiny.safetensors"],
            "--model": ["charemb.safetensors"],
        }
    ],
    ("evaluate", "encoders"): [{"files": ["sts.jsonl"], "--model": ["tiny.safetensors"]}],
    ("evaluate", "terms"): [
        {"files": ["keyphrases.jsonl"], "--split": ["all"], "--systems": ["tfidf"]}
    ],
    ("evaluate", "retrieval"): [
        {
            "data": ["retrieval"],
            "--source": ["tiny.safetensors"],
            "--networks": ["none"],
        }
    ],
    ("compare",): [{"plan": ["plan.toml"], "--out": ["compared"], "--so-far": []}],
}

PLAN = """\
corpora.texts.files = ["corpus.jsonl"]
measure.sts = "sts.jsonl"
[[algorithms]]
name = "words"
train = "words"
options.dim = 4
"""


@pytest.fixture(scope="module")
def files(junk_files: Path) -> Path:
    """The files of the product's calls, and those of the laboratory's."""
    folder = junk_files
    pairs = [("play the song", "open the door"), ("stop", "stop music"), ("lamp on", "lamp off")]
    write_lines(folder / "same.jsonl", [{"a": a, "b": b, "same": True} for a, b in pairs])
    documents = [
        {"id": str(i), "text": "play the song on the lamp", "keyphrases": ["the song"]}
        for i in range(4)
    ]
    write_lines(folder / "keyphrases.jsonl", documents)
    intents = {"on": ["lamp on", "light on"], "off": ["lamp off", "light off"]}
    (folder / "pairs.json").write_text(json.dumps(intents))
    (folder / "plan.toml").write_text(PLAN)
    _write_retrieval(folder / "retrieval")
    return folder


def _write_retrieval(folder: Path) -> None:
    folder.mkdir()
    nouns = ("lamp", "door", "song", "news", "film", "jazz")
    documents = [{"doc": n, "title": noun, "text": f"the {noun}"} for n, noun in enumerate(nouns)]
    questions = [{"question": f"which {noun}", "doc": n} for n, noun in enumerate(nouns)]
    write_lines(folder / "documents.jsonl", documents)
    write_lines(folder / "questions.jsonl", questions)


def test_the_table_has_every_command() -> None:
    assert {path for path, _ in commands(build_parser())} == set(CALLS)


@pytest.mark.parametrize("command", CALLS, ids=" ".join)
def test_the_calls_of_the_table_succeed(
    command: tuple[str, ...], files: Path, tmp_path: Path
) -> None:
    check_succeeds(main, CALLS, command, files, tmp_path / "work")


@pytest.mark.parametrize("command", CALLS, ids=" ".join)
def test_junk_ends_with_a_message(command: tuple[str, ...], files: Path, tmp_path: Path) -> None:
    check_junk(main, build_parser(), CALLS, command, files, tmp_path / "work")
