"""Scored pairs of texts from any CSV or JSON lines, and the correlation of cosine with them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pocketintent.evaluation.records import ScoredPair
from pocketintent.evaluation.similarity.sts import correlate_cosines, pair_cosines, separate
from pocketintent.records import read_rows, string_field
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.errors import PocketIntentError


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


def evaluate_pairs(
    encoder: Encoder,
    path: str | Path,
    *,
    a: str | None = None,
    b: str | None = None,
    score: str | None = None,
) -> dict[str, Any]:
    """Correlate the cosine of text pairs with their scores.

    If either text of a pair has no known word, its cosine is 0.

    Args:
        encoder: Any encoder.
        path: The file, see :func:`read_pairs`.
        a: The column of the first texts, see :func:`read_pairs`.
        b: The column of the second texts.
        score: The column of the scores.

    Returns:
        ``{"pearson", "spearman", "kendall_b", "kendall_c", "pairs", "columns"}``, the last a list
        of three names. A correlation is NaN if all cosines or all scores are equal. If the
        scores are the labels 0 and 1, also the fields of :func:`separate`.

    Raises:
        PocketIntentError: See :func:`read_pairs`; also if the file has fewer than two pairs.
    """
    pairs, columns = read_pairs(path, a=a, b=b, score=score)
    cosines = pair_cosines(encoder, pairs, path)
    report = {**correlate_cosines(cosines, pairs), "columns": list(columns)}
    if {pair.score for pair in pairs} == {0.0, 1.0}:
        report |= separate(cosines, pairs)
    return report


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
