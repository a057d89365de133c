"""Reading corpora, one text at a time: plain text and JSON lines; and files packed by gzip."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

import orjson

from pocketintent.records import numbered_lines
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.atomic import replacing
from pocketintent.runtime.files.regular import open_regular

_GZIP = b"\x1f\x8b"
_BUFFER = 1 << 18


@dataclass(frozen=True)
class Text:
    """One line of a corpus, with its intent where the corpus has one."""

    text: str
    label: str | None = None


class CorpusTexts:
    """The texts of :func:`read_corpus`, read from the beginning each time they are iterated."""

    def __init__(self, paths: Iterable[str | Path]) -> None:
        self.paths = list(paths)

    def __iter__(self) -> Iterator[str]:
        return read_texts(self.paths)


def read_corpus(paths: Iterable[str | Path]) -> Iterator[Text]:
    """Stream the texts of several files, in order.

    Each line of a ``.jsonl`` file is an object with ``text`` and, optionally, ``intent``; a
    ``.json`` file is rejected; any other file has one text on each line. With a further ``.gz``
    the file is unpacked as it is read. Empty lines are skipped.

    A file that is missing, a ``.json``, not UTF-8 or a broken gzip, or a line of a ``.jsonl`` file
    that is not such an object, is a PocketIntentError, which names file and line.
    """
    for path in map(Path, paths):
        name = path.name.lower().removesuffix(".gz")
        if name.endswith(".json"):
            raise PocketIntentError(
                f"{path}: a .json file is not a corpus; write a .txt file with one utterance on "
                'each line, or a .jsonl file with an object with "text" on each line'
            )
        is_json = name.endswith(".jsonl")
        number = 0
        try:
            with (
                open_regular(path) as plain,
                _unpacked(plain, path.suffix.lower() == ".gz") as file,
            ):
                for number, line in numbered_lines(file, path):
                    if line.strip():
                        yield _parse_json(line, f"{path}, line {number}") if is_json else Text(line)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise PocketIntentError(f"{path}: broken gzip after line {number}: {error}") from error
        except OSError as error:
            raise PocketIntentError(f"{path}: cannot be read: {error.strerror or error}") from error


def read_texts(paths: Iterable[str | Path]) -> Iterator[str]:
    """Stream the texts of :func:`read_corpus` without their labels."""
    return (item.text for item in read_corpus(paths))


def check_known_words(encoder: Encoder, paths: Sequence[str | Path]) -> None:
    """Raise PocketIntentError if a corpus, where there is one, has no word that the model knows."""
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


def _unpacked(file: BinaryIO, packed: bool) -> BinaryIO:
    """The file, or what is packed in it."""
    return cast(BinaryIO, gzip.open(file)) if packed else file


def _parse_json(line: str, place: str) -> Text:
    try:
        item: Any = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise PocketIntentError(f"{place}: not JSON: {error}") from error
    if not isinstance(item, dict) or not isinstance(item.get("text"), str):
        raise PocketIntentError(f'{place}: each line must be an object with a string "text"')
    label = item.get("intent")
    if label is not None and not isinstance(label, str):
        raise PocketIntentError(f'{place}: "intent" must be a string or null')
    return Text(item["text"], label)


@contextmanager
def reading(path: str | Path) -> Iterator[tuple[BinaryIO, bool]]:
    """Open a file, unpacked if it is a gzip, whatever its name; yields it and whether it is packed.

    A file that cannot be read, or a broken gzip, is a PocketIntentError, also inside the block.
    """
    try:
        with open_regular(path, _BUFFER) as file:
            packed = file.read(2) == _GZIP
            file.seek(0)
            with _unpacked(file, packed) as unpacked:
                yield unpacked, packed
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise PocketIntentError(f"{path}: broken gzip: {error}") from error
    except OSError as error:
        raise PocketIntentError(f"{path}: cannot be read: {error.strerror or error}") from error


@contextmanager
def writing(path: str | Path) -> Iterator[BinaryIO]:
    """Replace a file by what the block writes, packed if its name ends in ``.gz``; OSError."""
    with replacing(path) as temporary, temporary.open("wb", buffering=_BUFFER) as file:
        if Path(path).suffix != ".gz":
            yield file
            return
        # Without a name and a time in the header, so that equal content gives equal files.
        with gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0) as archive:
            yield cast(BinaryIO, archive)
