"""Calls of the command with junk in one place each, for every option that the parser knows.

The parser itself is walked, so a new option is covered on the day it is written. A new command
needs a line in :data:`CALLS` or in the table of its own distribution.
"""

import argparse
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pocketintent.cli.commands import CommandParser
from pocketintent.cli.options.types import NumberType

Arguments = dict[str, list[str]]
"""Values by the name of the option or, of a positional, by its destination."""
Calls = dict[tuple[str, ...], list[Arguments]]
"""Quick calls that succeed, by the words of their command."""

TRAIN = {"--out": ["out.safetensors"], "--epochs": ["1"]}
_INTENTS = {"--shots": ["1"], "--runs": ["1"]}
_SETTINGS = {
    "charemb.toml": "char_dim = 4\nhidden = 4\nmlp = 4\n",
    "contextual.toml": "hidden = 4\nmin_count = 1\nnum_buckets = 16\nvalidation = 0\n",
    "distil.toml": "min_count = 1\n",
    "finish.toml": "num_buckets = 16\n",
}
"""Settings files of quick calls."""

CALLS: Calls = {
    ("match",): [
        {"--templates": ["bot.json"], "--model": ["tiny.safetensors"], "texts": ["hi"]},
        {"--templates": ["built.safetensors"], "texts": ["hi"]},
    ],
    ("build",): [
        {
            "templates": ["bot.json"],
            "--model": ["tiny.safetensors"],
            "--out": ["out.safetensors"],
            "--max-words": ["3"],
        },
        {"templates": ["built.safetensors"], "--out": ["out.safetensors"]},
    ],
    ("train", "starspace"): [{**TRAIN, "--corpus": ["corpus.jsonl"], "--dim": ["4"]}],
    ("train", "charemb"): [{**TRAIN, "--settings": ["charemb.toml"], "--target": ["vectors.tsv"]}],
    ("train", "distil"): [
        {**TRAIN, "--targets": ["vectors.tsv"], "--dim": ["2"], "--settings": ["distil.toml"]}
    ],
    ("train", "contextual"): [
        {
            **TRAIN,
            "--targets": ["vectors.tsv"],
            "--dim": ["2"],
            "--settings": ["contextual.toml"],
        }
    ],
    ("train", "transformer"): [
        {
            **TRAIN,
            "--targets": ["vectors.tsv"],
            "--start": ["transformer.safetensors"],
            "--paraphrases": ["bots/lamp.json"],
        }
    ],
    ("train", "finish"): [
        {
            "model": ["counted.safetensors"],
            "--out": ["out.safetensors"],
            "--subword-dim": ["4"],
            "--settings": ["finish.toml"],
        },
        {
            "model": ["counted.safetensors"],
            "--out": ["out.safetensors"],
            "--corpus": ["corpus.jsonl"],
            "--pooling": ["sif"],
            "--subword-dim": ["0"],
        },
    ],
    ("train", "targets"): [
        {"--teacher": ["tiny.safetensors"], "--words": ["vectors.tsv"], "--out": ["out.tsv"]}
    ],
    ("compress",): [
        {
            "model": ["tiny.safetensors"],
            "--out": ["out.safetensors"],
            "--sub-dim": ["8"],
            "--codebook-size": ["2"],
        },
        {
            "model": ["transformer.safetensors"],
            "--out": ["out.safetensors"],
            "--keep": ["60"],
            "--sub-dim": ["1"],
            "--codebook-size": ["2"],
        },
        {
            "model": ["compressed.safetensors"],
            "--characters": ["charemb.safetensors"],
            "--out": ["out.safetensors"],
            "--codebook-size": ["2"],
        },
    ],
    ("export",): [
        {
            "--templates": ["bot.json"],
            "--model": ["compressed.safetensors"],
            "--format": ["onnx"],
            "--out": ["exported"],
        }
    ],
    ("evaluate", "sts"): [{"file": ["sts.jsonl"], "--model": ["tiny.safetensors"]}],
    ("evaluate", "intents"): [
        {"directories": ["intents"], "--model": ["tiny.safetensors"], **_INTENTS, **measure}
        for measure in ({}, {"--oos": []}, {"--calibration": []})
    ],
    ("evaluate", "bots"): [
        {"directories": ["bots"], "--model": ["tiny.safetensors"]},
        {"directories": ["bots"], "--teacher": ["tiny.safetensors"], "--corpus": ["corpus.jsonl"]},
    ],
    ("evaluate", "typing-errors"): [
        {"directories": ["intents"], "--model": ["tiny.safetensors"], **_INTENTS}
    ],
    ("templates", "check"): [{"files": ["bot.json"]}],
    ("templates", "test"): [
        {
            "templates": ["bot.json"],
            "utterances": ["labelled.csv"],
            "--model": ["tiny.safetensors"],
        }
    ],
    ("studio",): [
        {"templates": ["bot.json"], "--model": ["tiny.safetensors"], "--export": ["site"]},
        {"templates": ["built.safetensors"], "--export": ["site"]},
    ],
    ("data", "list"): [{}],
    ("data", "fetch"): [{"names": ["nothing"], "--out": ["data"]}],  # no test fetches anything
}
"""The calls of ``pocketintent``; that of ``data fetch`` fails."""

NUMBERS = (
    *("", "x", "1.5", "-1", "0", "-0.5", "1e3", "0x10", "½", "1,", "None"),
    *("2147483648", "9223372036854775808", "-9223372036854775809", "1" + 5000 * "0"),
    *("nan", "inf", "-inf", "1e400", "1e300", "5e-324"),
)
"""Junk where a number is expected; some of it is a number that an option may allow."""

NEVER_NUMBERS = frozenset({"", "x", "½", "1,", "None", "0x10", "nan", "inf", "-inf", "1e400"})
"""Junk that no number may be."""

WORDS = ("", "x", "-1", "nan", "½", "\udcff", "n" * 300)
"""Junk where a word or a name is expected."""

FILES = (
    *("missing", "nowhere/file", "nowhere/file.safetensors", "folder", "folder/.", "empty/file"),
    *(
        "empty",
        "empty.jsonl",
        "empty.safetensors",
        "bytes",
        "bytes.gz",
        "cut.gz",
        "cut.safetensors",
    ),
    *(
        "cut.safetensors",
        "latin.txt",
        "list.jsonl",
        "numbers.jsonl",
        "broken.jsonl",
        "blank.txt",
        "mark.txt",
    ),
    *("object.json", "header.tsv", "ragged.tsv", "nan.tsv", "corpus.jsonl", "vectors.tsv"),
    *(
        "built.safetensors",
        "tiny.safetensors",
        "charemb.safetensors",
        "sts.jsonl",
        "intents",
        "bot.json",
        "loop",
    ),
    *("fifo", "/dev/null", "/proc/self/mem"),
)
"""Files and folders, by their names in :func:`write_files`, of which most suit no option."""


@dataclass(frozen=True)
class Call:
    """A call with junk in one place."""

    command: tuple[str, ...]
    option: str
    """The option or, of a positional, its destination."""
    metavar: tuple[str, ...]
    """The name of a positional in messages."""
    junk: str | None
    """The value; None where the option has none."""
    is_number: bool
    """Whether the option is a number."""
    arguments: tuple[str, ...]
    """All words of the call."""


def commands(
    parser: argparse.ArgumentParser, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], list[argparse.Action]]]:
    """Every command that does something, with its options and positionals."""
    if isinstance(parser, CommandParser):
        parser.fill()
    actions = []
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, below in action.choices.items():
                yield from commands(below, (*path, name))
            return
        if not isinstance(action, argparse._HelpAction):
            actions.append(action)
    yield path, actions


def calls(parser: argparse.ArgumentParser, table: Calls) -> Iterator[Call]:
    """Every call of the harness, in a fixed order."""
    for path, actions in commands(parser):
        for arguments in table[path]:
            for action in actions:
                yield from _calls_of_option(path, arguments, action)


def plain_call(command: tuple[str, ...], arguments: Arguments) -> tuple[str, ...]:
    """The words of a call of a table, without junk."""
    return (*command, *_words(arguments))


def _calls_of_option(
    path: tuple[str, ...], arguments: Arguments, action: argparse.Action
) -> Iterator[Call]:
    name = action.option_strings[-1] if action.option_strings else action.dest
    if action.nargs == 0:
        words = (*path, *_words(arguments), name)
        yield Call(path, name, (), None, False, words)
        return
    is_number = isinstance(action.type, NumberType)
    is_named = isinstance(action.metavar, str) and not action.option_strings
    metavar = (str(action.metavar),) if is_named else ()
    if action.choices is not None:
        values: tuple[str, ...] = ("", "x", "½")
    else:
        values = (*NUMBERS, "missing") if is_number else (*WORDS, *FILES, *NUMBERS[:8])
    for junk in dict.fromkeys(values):
        words = (*path, *_words({**arguments, name: [junk]}))
        yield Call(path, name, metavar, junk, is_number, words)


def _words(arguments: Arguments) -> Iterator[str]:
    """The words of a call: positionals first, in the order of the table."""
    for name, values in sorted(arguments.items(), key=lambda item: item[0].startswith("-")):
        if not name.startswith("-"):
            yield from values
        elif len(values) == 1:
            yield f"{name}={values[0]}"  # so that a value may begin with a dash
        else:
            yield from (name, *values)


def write_files(folder: Path, models: dict[str, Path]) -> None:
    """Write the inputs of the calls and the junk of :data:`FILES`.

    Args:
        folder: An empty folder.
        models: Model files, which are copied, by their names without suffix.
    """
    for name, path in models.items():
        (folder / f"{name}.safetensors").write_bytes(path.read_bytes())
    verbs, nouns = ("play", "stop", "open"), ("the song", "the door", "the light", "music")
    texts = [{"text": f"{v} {n}", "intent": v} for v in verbs for n in nouns]
    intents = folder / "intents"
    intents.mkdir()
    for name in ("train", "valid", "test"):
        write_lines(intents / f"{name}.jsonl", texts)
    for name in ("oos_valid", "oos_test"):
        write_lines(intents / f"{name}.jsonl", [{"text": "what a day", "intent": None}] * 3)
    write_lines(folder / "corpus.jsonl", texts * 2)
    pairs = [("play the song", "open the door"), ("stop", "stop music"), ("lamp on", "lamp off")]
    rows = [{"a": a, "b": b, "score": score} for score, (a, b) in enumerate(pairs)]
    write_lines(folder / "sts.jsonl", rows)
    (folder / "bot.json").write_text(json.dumps({"on": ["lamp on"], "off": ["lamp off"]}))
    (folder / "labelled.csv").write_text("text,intent\nthe lamp on,on\nplay music,\n")
    lamp = {"on": {"templates": ["lamp on"], "phrasings": ["the light on"]}}
    bots = folder / "bots"
    bots.mkdir()
    foreign = {"other_subjects": ["play music"]}
    (bots / "lamp.json").write_text(json.dumps({"intents": lamp, "foreign": foreign}))
    words = ["play", "stop", "open", "the", "song", "door", "light", "music", "lamp", "on", "off"]
    vectors = [f"{word}\t{i % 3}\t{i % 4}\t{i % 5 - 2}" for i, word in enumerate(words, 1)]
    (folder / "vectors.tsv").write_text("\n".join(vectors) + "\n")
    for name, text in _SETTINGS.items():
        (folder / name).write_text(text)
    _write_junk(folder)


def _write_junk(folder: Path) -> None:
    (folder / "folder").mkdir()
    for name in ("empty", "empty.jsonl", "empty.safetensors"):
        (folder / name).touch()
    for name in ("bytes", "bytes.gz"):
        (folder / name).write_bytes(bytes(range(256)) * 3)
    (folder / "cut.gz").write_bytes(b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x4b")
    model = (folder / "tiny.safetensors").read_bytes()
    (folder / "cut.safetensors").write_bytes(model[: len(model) // 2])
    (folder / "latin.txt").write_bytes("café crème\n".encode("latin-1"))
    (folder / "list.jsonl").write_text("[1, 2]\n")
    (folder / "numbers.jsonl").write_text('{"text": 1, "intent": 2, "a": 3, "score": NaN}\n')
    (folder / "broken.jsonl").write_text('{"text": "a"\n')
    (folder / "blank.txt").write_text("\n \n\t\n")
    (folder / "mark.txt").write_bytes(b"\xef\xbb\xbf")
    (folder / "object.json").write_text('{"on": 1}')
    (folder / "header.tsv").write_text("3 4\n")
    (folder / "ragged.tsv").write_text("play\t1\t2\nstop\t1\n")
    (folder / "nan.tsv").write_text("play\tnan\t2\nstop\t1\t2\n")
    (folder / "loop").symlink_to("loop")
    os.mkfifo(folder / "fifo")


def write_lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
