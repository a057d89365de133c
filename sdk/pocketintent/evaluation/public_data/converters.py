"""Converters from the files of public data sets to the lines that this project reads.

A converter takes the raw files of an output, in order, and yields its lines without line ends.
If a file does not have the expected format, it raises a ``ValueError`` that names the file.
"""

from __future__ import annotations

import csv
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

_T = TypeVar("_T")

MIN_CHARS = 3
"""Minimum length of a text in a corpus; shorter texts ("ok", "hi") are dropped."""

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


def labelled_texts(files: Sequence[Path]) -> Iterator[str]:
    """Convert a file of texts and a file of their intents to ``{"text", "intent"}``."""
    texts, intents = (list(_each([path], _lines)) for path in files)
    if len(texts) != len(intents):
        raise ValueError(f"{len(texts)} texts, but {len(intents)} intents")
    for text, intent in zip(texts, intents, strict=True):
        yield _json({"text": text, "intent": intent})


def out_of_scope_texts(files: Sequence[Path]) -> Iterator[str]:
    """Convert one text per line to ``{"text", "intent": null}``."""
    for text in _each(files, _lines):
        yield _json({"text": text, "intent": None})


def scored_pairs(files: Sequence[Path]) -> Iterator[str]:
    """Convert comma-separated rows of two sentences and a score to ``{"a", "b", "score"}``."""

    def pairs(path: Path) -> Iterator[str]:
        with path.open(encoding="utf-8", newline="") as file:
            for a, b, score in _checked(csv.reader(file), 3):
                yield _json({"a": a, "b": b, "score": float(score)})

    return _each(files, pairs)


def rated_queries(files: Sequence[Path]) -> Iterator[str]:
    """Convert tab-separated rows of a query and its rating to a corpus."""
    return _corpus(files, lambda path: (query for query, _ in _checked(_tab_rows(path), 2)))


def dialogue_turns(files: Sequence[Path]) -> Iterator[str]:
    """Convert Schema-Guided Dialogue to a corpus of the utterances of both speakers."""

    def utterances(path: Path) -> Iterator[str]:
        for dialogue in json.loads(path.read_bytes()):
            for turn in dialogue["turns"]:
                yield turn["utterance"]

    return _corpus(files, utterances)


def chat_sentences(files: Sequence[Path]) -> Iterator[str]:
    """Convert Topical-Chat to a corpus of the sentences of all messages."""

    def sentences(path: Path) -> Iterator[str]:
        for conversation in json.loads(path.read_bytes()).values():
            for message in conversation["content"]:
                yield from _SENTENCE_END.split(message["message"])

    return _corpus(files, sentences)


def customer_sentences(files: Sequence[Path]) -> Iterator[str]:
    """Convert MultiDoGO, annotated by sentence, to a corpus of its column ``utterance``."""
    return _corpus(files, lambda path: _column(path, "utterance"))


def _each(files: Iterable[Path], parse: Callable[[Path], Iterable[_T]]) -> Iterator[_T]:
    """Yield the items that ``parse`` reads from each file; an error names the file."""
    for path in files:
        try:
            yield from parse(path)
        except KeyError as error:
            raise ValueError(f"{path.name}: no {error}") from error
        except (ValueError, TypeError, AttributeError, csv.Error) as error:
            raise ValueError(f"{path.name}: {error}") from error


def _corpus(files: Iterable[Path], parse: Callable[[Path], Iterable[str]]) -> Iterator[str]:
    """Yield each distinct text once, with normalised white space, in an order fixed by the texts.

    The dialogues are sorted by domain in the raw files. Sorted by checksum, any part of the
    corpus is a random sample.
    """
    distinct = set(_each(files, lambda path: (" ".join(text.split()) for text in parse(path))))
    texts = (text for text in distinct if len(text) >= MIN_CHARS)
    yield from sorted(texts, key=lambda text: hashlib.sha256(text.encode()).digest())


def _lines(path: Path) -> list[str]:
    # Only \n ends a line; str.splitlines would also cut at U+2028.
    content = path.read_text(encoding="utf-8").removesuffix("\n")
    return [line.strip() for line in content.split("\n")] if content else []


def _tab_rows(path: Path) -> Iterator[list[str]]:
    return (line.split("\t") for line in _lines(path) if line)


def _checked(rows: Iterable[list[str]], num_fields: int) -> Iterator[list[str]]:
    for number, row in enumerate(rows, 1):
        if len(row) != num_fields:
            raise ValueError(f"row {number} has {len(row)} fields instead of {num_fields}")
        yield row


def _column(path: Path, name: str) -> Iterator[str]:
    rows = list(_tab_rows(path))
    if not rows or name not in rows[0]:
        raise ValueError(f"the first line does not name a column {name!r}")
    position = rows[0].index(name)
    for number, row in enumerate(rows[1:], 2):
        if len(row) <= position:
            raise ValueError(f"row {number} has no column {name!r}")
        yield row[position]


def _json(value: dict[str, object]) -> str:
    return json.dumps(value, ensure_ascii=False)
