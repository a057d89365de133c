"""Reading corpora: plain text, gzip and JSON lines, one text at a time, never a whole file."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

import orjson

from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.regular import numbered_lines, open_regular


@dataclass(frozen=True)
class Text:
    """One line of a corpus.

    Attributes:
        text: The utterance, sentence or paragraph.
        label: Its intent where the corpus has one, else None.
    """

    text: str
    label: str | None = None


class CorpusTexts:
    """The texts of corpus files, read from the beginning each time they are iterated.

    Args:
        paths: Files as :func:`read_corpus` reads them.
    """

    def __init__(self, paths: Iterable[str | Path]) -> None:
        self.paths = list(paths)

    def __iter__(self) -> Iterator[str]:
        return read_texts(self.paths)


def read_corpus(paths: Iterable[str | Path]) -> Iterator[Text]:
    """Stream the texts of several files, in order.

    Each line of a ``.jsonl`` file is an object with ``text`` and, optionally, ``intent``; a
    ``.json`` file is rejected; any other file has one text on each line. With a further ``.gz``
    the file is unpacked as it is read. Empty lines are skipped.

    Args:
        paths: Files to read.

    Yields:
        One :class:`Text` for each non-empty line.

    Raises:
        PocketIntentError: A file is missing, a ``.json``, not UTF-8 or a broken gzip, or a line
            of a ``.jsonl`` file is not an object with a string ``text``; the message names file
            and line.
    """
    for path in map(Path, paths):
        name = path.name.lower().removesuffix(".gz")
        if name.endswith(".json"):
            raise PocketIntentError(
                f"{path}: a .json file is not a corpus; write a .txt file with one utterance on "
                'each line, or a .jsonl file with an object with "text" on each line'
            )
        parse = _parse_json if name.endswith(".jsonl") else _parse_plain
        number = 0
        try:
            with _open(path) as file:
                for number, line in numbered_lines(file, path):
                    if line.strip():
                        yield parse(line, path, number)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise PocketIntentError(f"{path}: broken gzip after line {number}: {error}") from error
        except OSError as error:
            raise PocketIntentError(f"{path}: cannot be read: {error.strerror or error}") from error


def read_texts(paths: Iterable[str | Path]) -> Iterator[str]:
    """Stream the texts of :func:`read_corpus` without their labels."""
    return (item.text for item in read_corpus(paths))


def check_known_words(encoder: Encoder, paths: Sequence[str | Path]) -> None:
    """Check that a corpus can serve a model, before a training after which it is needed.

    Args:
        encoder: The model, which reads lines up to the first with a word that it knows.
        paths: Files of :func:`read_corpus`; without any there is nothing to check.

    Raises:
        PocketIntentError: The files have no text, or no line has a word that the model knows.
    """
    if not paths:
        return
    names = ", ".join(map(str, paths))
    if next(read_texts(paths), None) is None:
        raise PocketIntentError(f"{names}: no line has text; give a corpus of texts")
    if not any(encoder.encode(text).any() for text in read_texts(paths)):
        raise PocketIntentError(
            f"{names}: no line has a word that the model knows; give a corpus in the language of "
            "the model"
        )


@contextmanager
def _open(path: Path) -> Iterator[BinaryIO]:
    """Open a file, unpacked if its name ends in ``.gz``."""
    with open_regular(path) as file:
        if path.suffix.lower() == ".gz":
            with gzip.open(file) as unpacked:
                yield cast(BinaryIO, unpacked)
        else:
            yield file


def _parse_plain(line: str, path: Path, number: int) -> Text:
    return Text(line)


def _parse_json(line: str, path: Path, number: int) -> Text:
    try:
        item: Any = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise PocketIntentError(f"{path}, line {number}: not JSON: {error}") from error
    if not isinstance(item, dict) or not isinstance(item.get("text"), str):
        raise PocketIntentError(
            f'{path}, line {number}: each line must be an object with a string "text"'
        )
    label = item.get("intent")
    if label is not None and not isinstance(label, str):
        raise PocketIntentError(f'{path}, line {number}: "intent" must be a string or null')
    return Text(item["text"], label)
