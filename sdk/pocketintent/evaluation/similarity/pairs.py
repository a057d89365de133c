"""Pairs of texts with scores, from any CSV or JSON lines: does cosine follow the score?"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pocketintent.evaluation.records import ScoredPair, read_objects
from pocketintent.evaluation.similarity.sts import correlate
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.errors import PocketIntentError


class Columns(NamedTuple):
    """The columns of a file of pairs."""

    a: str
    b: str
    score: str


KNOWN_COLUMNS = (
    Columns("a", "b", "score"),
    Columns("anchor", "target", "score"),
    Columns("sentence1", "sentence2", "score"),
)
"""Columns that are found without being named: those of this project's files, of Patent Phrase
Similarity, and of the usual tables of the STS Benchmark."""


def read_pairs(
    path: str | Path, *, a: str | None = None, b: str | None = None, score: str | None = None
) -> tuple[list[ScoredPair], Columns]:
    """Read the pairs of a CSV or TSV with a head line, or of JSON lines.

    A file that begins with ``{`` is JSON lines. Else it is a table, separated by tabs where
    its head has one, by commas otherwise; fields may be quoted as RFC 4180 has it, and hold
    line ends then.

    Args:
        path: The file, in UTF-8.
        a: The column of the first texts; with ``b`` and ``score`` found among
            :data:`KNOWN_COLUMNS` when None.
        b: The column of the second texts.
        score: The column of the scores, any finite numbers; JSON's true is 1 and its false 0.

    Returns:
        The pairs in order, and the columns that they were read from.

    Raises:
        PocketIntentError: The file cannot be read or has no rows, a column is missing, or a
            row is bad; the message names the file and the line.
    """
    path = Path(path)
    rows = _read_rows(path)
    first = next(rows, None)
    if first is None:
        raise PocketIntentError(f"{path}: no pairs; expected JSON lines, or a head line and rows")
    columns = _find_columns(path, list(first[1]), (a, b, score))
    pairs = [_pair(*first, columns)]
    pairs.extend(_pair(place, row, columns) for place, row in rows)
    return pairs, columns


def evaluate_pairs(
    encoder: Encoder,
    path: str | Path,
    *,
    a: str | None = None,
    b: str | None = None,
    score: str | None = None,
) -> dict[str, Any]:
    """Correlate the cosine of text pairs with their scores.

    A pair with a text that the encoder knows nothing of has a cosine of 0.

    Args:
        encoder: Any encoder.
        path: The file, see :func:`read_pairs`.
        a: The column of the first texts; None as in :func:`read_pairs`.
        b: The column of the second texts.
        score: The column of the scores.

    Returns:
        ``{"pearson", "spearman", "pairs", "columns"}``, the last one a list of three names. A
        correlation is NaN when all cosines or all scores are equal.

    Raises:
        PocketIntentError: As :func:`read_pairs`, or the file has fewer than two pairs.
    """
    pairs, columns = read_pairs(path, a=a, b=b, score=score)
    return {**correlate(encoder, pairs, path), "columns": list(columns)}


def _read_rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The rows of a file by column, each with its place for messages."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise PocketIntentError(f"{path}: cannot be read: {error.strerror or error}") from error
    if content.lstrip().startswith(b"{"):
        return read_objects(path)
    try:
        return _read_table(path, content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise PocketIntentError(f"{path}, line {line}: is not UTF-8 ({error.reason})") from error


def _read_table(path: Path, text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    delimiter = "\t" if "\t" in text.lstrip().partition("\n")[0] else ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    head: list[str] = []
    line = 1
    try:
        for fields in reader:
            place, line = f"{path}, line {line}", reader.line_num + 1
            if not fields:
                continue
            if not head:
                head = [name.strip() for name in fields]
                continue
            if len(fields) != len(head):
                raise PocketIntentError(
                    f"{place}: {len(fields)} fields under a head of {len(head)}; "
                    "quote a field that holds the separator"
                )
            yield place, dict(zip(head, fields, strict=True))
    except csv.Error as error:
        raise PocketIntentError(f"{path}, line {line}: no valid row ({error})") from error


def _find_columns(path: Path, found: Sequence[str], named: Sequence[str | None]) -> Columns:
    """The columns that are named, the others from the first known kind of file that fits."""
    for known in KNOWN_COLUMNS:
        columns = Columns(*(name or usual for name, usual in zip(named, known, strict=True)))
        if set(columns) <= set(found):
            return columns
    missing = [name for name in named if name is not None and name not in found]
    problem = f"no column {missing[0]!r}" if missing else "it is not known which columns to read"
    raise PocketIntentError(
        f"{path}: {problem}; there are {', '.join(map(repr, found))}; name those of the two "
        "texts and of the score: --a, --b, --score"
    )


def _pair(place: str, row: dict[str, Any], columns: Columns) -> ScoredPair:
    texts = [row.get(columns.a), row.get(columns.b)]
    for name, text in zip(columns, texts, strict=False):
        if not isinstance(text, str):
            raise PocketIntentError(f'{place}: "{name}" must be a text, found {text!r}')
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
    return ScoredPair(str(texts[0]), str(texts[1]), score)
