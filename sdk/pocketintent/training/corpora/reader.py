"""Reading corpora: plain text, gzip and JSON lines, one text at a time, never a whole file."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

import orjson

from pocketintent.runtime.errors import PocketIntentError


@dataclass(frozen=True)
class Text:
    """One line of a corpus.

    Attributes:
        text: The utterance, sentence or paragraph.
        label: Its intent where the corpus has one, else None.
    """

    text: str
    label: str | None = None


def read_corpus(paths: Iterable[str | Path]) -> Iterator[Text]:
    """Stream the texts of several files, in order.

    A ``.jsonl`` file holds objects with ``text`` and, optionally, ``intent``; a ``.json`` file
    is refused; any other file holds one text a line. A further ``.gz`` is unpacked on the way.
    Empty lines are passed over.

    Args:
        paths: Files to read.

    Yields:
        One :class:`Text` for each non-empty line.

    Raises:
        PocketIntentError: A file is missing, a ``.json``, not UTF-8, a broken gzip, or a line of
            a ``.jsonl`` file is not an object with a string ``text``; file and line are named.
    """
    for path in map(Path, paths):
        name = path.name.removesuffix(".gz")
        if name.lower().endswith(".json"):
            raise PocketIntentError(
                f"{path}: a .json file is no corpus; write one utterance a line into a .txt file, "
                'or objects with "text", one a line, into a .jsonl file'
            )
        parse = _parse_json if name.endswith(".jsonl") else _parse_plain
        number = 0
        try:
            with _open(path) as lines:
                # Only \n ends a line of bytes; str.splitlines would also cut at U+2028.
                for number, line in enumerate(lines, 1):
                    text = _decode(line, path, number)
                    if text.strip():
                        yield parse(text, path, number)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise PocketIntentError(f"{path}: broken gzip after line {number}: {error}") from error
        except OSError as error:
            raise PocketIntentError(f"{path}: cannot be read: {error.strerror or error}") from error


def read_texts(paths: Iterable[str | Path]) -> Iterator[str]:
    """The texts of :func:`read_corpus` without their labels."""
    return (item.text for item in read_corpus(paths))


def _open(path: Path) -> BinaryIO:
    if path.suffix == ".gz":
        return cast(BinaryIO, gzip.open(path, "rb"))
    return path.open("rb")


def _decode(line: bytes, path: Path, number: int) -> str:
    try:
        return line.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        raise PocketIntentError(
            f"{path}, line {number}: not UTF-8 ({error.reason}); convert the file to UTF-8"
        ) from error


def _parse_plain(line: str, path: Path, number: int) -> Text:
    return Text(line.strip("\r\n"))


def _parse_json(line: str, path: Path, number: int) -> Text:
    try:
        item: Any = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise PocketIntentError(f"{path}, line {number}: not JSON: {error}") from error
    if not isinstance(item, dict) or not isinstance(item.get("text"), str):
        raise PocketIntentError(f'{path}, line {number}: wanted an object with a string "text"')
    label = item.get("intent")
    if label is not None and not isinstance(label, str):
        raise PocketIntentError(f'{path}, line {number}: "intent" must be a string or null')
    return Text(item["text"], label)
