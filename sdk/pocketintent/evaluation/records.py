"""Readers of the evaluation files, with errors that name the file and the line."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from pocketintent.records import read_objects, read_rows, string_field
from pocketintent.runtime.errors import PocketIntentError


@dataclass(frozen=True)
class ScoredPair:
    """Two texts and their gold similarity."""

    a: str
    b: str
    score: float


@dataclass(frozen=True)
class Utterance:
    """A text and its intent; ``None`` if it is out of scope."""

    text: str
    intent: str | None


class Columns(NamedTuple):
    """The names of the columns of a file of pairs."""

    a: str
    b: str
    score: str


KNOWN_COLUMNS = (
    Columns("a", "b", "score"),
    Columns("anchor", "target", "score"),
    Columns("sentence1", "sentence2", "score"),
    Columns("a", "b", "same"),
)
"""Columns that are recognised by default: the columns of this project's files, of Patent Phrase
Similarity, of the usual tables of the STS Benchmark, and of this project's MRPC."""


def read_pairs(
    path: str | Path, *, a: str | None = None, b: str | None = None, score: str | None = None
) -> tuple[list[ScoredPair], Columns]:
    """Read the pairs of a CSV or TSV with a header, or of JSON lines.

    A file that begins with ``{`` is read as JSON lines. Otherwise it is a table, separated by
    tabs if its header has a tab, else by commas; fields may be quoted as in RFC 4180, and quoted
    fields may contain line ends.

    Args:
        path: The file, in UTF-8.
        a: The column of the first texts; None for a column of :data:`KNOWN_COLUMNS`.
        b: The column of the second texts; None as for ``a``.
        score: The column of the scores, any finite numbers; JSON's true is 1 and false is 0.
            None as for ``a``.

    Returns:
        The pairs in order, and the columns that were read.

    Raises:
        PocketIntentError: The file cannot be read or has no rows, a column is missing, or a row
            is malformed; the message names the file and the line.
    """
    path = Path(path)
    rows = read_rows(path)
    first = next(rows, None)
    if first is None:
        raise PocketIntentError(f"{path}: no pairs; expected JSON lines, or a header and rows")
    columns = _find_columns(path, list(first[1]), (a, b, score))
    pairs = [_pair(*first, columns)]
    pairs.extend(_pair(place, row, columns) for place, row in rows)
    return pairs, columns


def read_utterances(path: str | Path, *, out_of_scope: bool = False) -> list[Utterance]:
    """Read lines of ``{"text": text, "intent": name}``.

    Args:
        path: The file.
        out_of_scope: Whether the utterances are out of scope: ``intent`` is null or absent.

    Raises:
        PocketIntentError: The file is empty, or a line is malformed; the message names the file
            and the line.
    """
    utterances = []
    for place, value in read_objects(path):
        intent = value.get("intent")
        if out_of_scope and intent is not None:
            raise PocketIntentError(f'{place}: "intent" must be null in an out-of-scope file')
        if not out_of_scope and (not isinstance(intent, str) or not intent):
            raise PocketIntentError(
                f'{place}: "intent" must be a non-empty string, found {intent!r}'
            )
        utterances.append(Utterance(string_field(value, "text", place), intent))
    if not utterances:
        raise PocketIntentError(f'{path}: no utterances; expected lines of {{"text", "intent"}}')
    return utterances


def read_outside_texts(path: str | Path) -> list[str]:
    """Read out-of-scope texts, lines of ``{"text"}`` whose ``intent`` is null or absent.

    Raises:
        PocketIntentError: The file cannot be read, is empty, or a line is malformed.
    """
    return [utterance.text for utterance in read_utterances(path, out_of_scope=True)]


def _find_columns(path: Path, header: Sequence[str], named: Sequence[str | None]) -> Columns:
    """Return the named columns, completed from the first entry of KNOWN_COLUMNS that fits."""
    for known in KNOWN_COLUMNS:
        columns = Columns(*(name or usual for name, usual in zip(named, known, strict=True)))
        if set(columns) <= set(header):
            return columns
    missing = [name for name in named if name is not None and name not in header]
    problem = f"no column {missing[0]!r}" if missing else "unknown columns"
    raise PocketIntentError(
        f"{path}: {problem}; the file has {', '.join(map(repr, header))}; name the columns of the "
        "two texts and of the score: --a, --b, --score"
    )


def _pair(place: str, row: dict[str, Any], columns: Columns) -> ScoredPair:
    a, b = string_field(row, columns.a, place), string_field(row, columns.b, place)
    value = row.get(columns.score)
    try:
        if not isinstance(value, int | float | str):
            raise ValueError
        score = float(value)
        if not math.isfinite(score):
            raise ValueError
    except (ValueError, OverflowError):
        raise PocketIntentError(
            f'{place}: "{columns.score}" must be a number, found {value!r}'
        ) from None
    return ScoredPair(a, b, score)


def own_outside_file(folder: Path, split: str) -> Path:
    """The file of out-of-scope texts in a folder.

    Raises:
        PocketIntentError: The folder has none.
    """
    path = folder / f"oos_{split}.jsonl"
    if not path.is_file():
        raise PocketIntentError(
            f"{folder} has no {path.name}; give out-of-scope texts by --outside FILE, lines of "
            '{"text": "…"}'
        )
    return path
