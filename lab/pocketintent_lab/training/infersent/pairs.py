"""Files of labelled pairs: SNLI's JSON lines, and any CSV or JSON lines with labels or scores."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pocketintent.records import read_rows, string_field
from pocketintent.runtime.errors import PocketIntentError, shorten

TEXT_COLUMNS = (
    ("a", "b"),
    ("sentence1", "sentence2"),
    ("anchor", "target"),
    ("premise", "hypothesis"),
)
"""Columns of the two sentences that are recognised."""

QUESTIONS = {"gold_label": "label", "label": "label", "same": "same", "score": "score"}
"""Columns of labels and scores that are recognised, the first that a file has, and the question
that each of them answers."""

LARGEST_SCORE = 5
"""Scores are from 0 to this number."""

_NO_LABEL = "-"
"""The label of a pair whose annotators did not agree, in SNLI."""


@dataclass(frozen=True)
class Columns:
    """Names of columns; None for a column that is recognised."""

    a: str | None = None
    """The first sentence."""
    b: str | None = None
    """The second sentence."""
    label: str | None = None
    """The label: any words or whole numbers, each a class."""
    score: str | None = None
    """The score, a number from 0 to 5."""


USUAL_COLUMNS = Columns()
"""Columns that are all recognised."""


@dataclass(frozen=True)
class LabelledPair:
    """Two sentences with a label or a score."""

    place: str
    """The file and the line, for messages."""
    a: str
    """The first sentence."""
    b: str
    """The second sentence."""
    question: str
    """``"label"`` and ``"same"`` are answered by a class, ``"score"`` by a number."""
    answer: str | float
    """The class or the number."""


def read_labelled_pairs(
    path: str | Path, columns: Columns = USUAL_COLUMNS
) -> tuple[list[LabelledPair], int]:
    """Read the pairs of JSON lines, or of a CSV or TSV with a header.

    Whether the answers are classes or scores is decided by the name of their column: a score is in
    ``score``, or in the column that ``columns`` names as such; a class is in any other.

    Args:
        path: The file, see :func:`read_rows`.
        columns: Names of columns that are not recognised.

    Returns:
        The pairs in order, and the number of rows that were skipped because their label is "-".

    Raises:
        PocketIntentError: The file cannot be read or has no pairs, a column is missing, or a row
            is malformed; the message names the file and the line.
    """
    path = Path(path)
    pairs: list[LabelledPair] = []
    names: _Names | None = None
    skipped = 0
    for place, row in read_rows(path):
        names = names or _find_names(path, list(row), columns)
        if row.get(names.answer) == _NO_LABEL and names.question != "score":
            skipped += 1
            continue
        read = _score if names.question == "score" else _label
        a, b = (string_field(row, name, place) for name in (names.a, names.b))
        answer = read(row, names.answer, place)
        pairs.append(LabelledPair(place, a, b, names.question, answer))
    if not pairs:
        raise PocketIntentError(
            f"{path}: no labelled pairs; expected JSON lines, or a header and rows, with two "
            "sentences and a label or a score"
        )
    return pairs, skipped


@dataclass(frozen=True)
class _Names:
    """The columns of a file."""

    a: str
    b: str
    answer: str
    question: str


def _find_names(path: Path, header: Sequence[str], columns: Columns) -> _Names:
    """The columns of a file with this header."""
    for option in ("a", "b", "label", "score"):
        name = getattr(columns, option)
        if name is not None and name not in header:
            raise PocketIntentError(
                f"{path}: no column {name!r}; {_describe(header)}; name one of them: --{option}"
            )
    for usual in TEXT_COLUMNS:
        a, b = columns.a or usual[0], columns.b or usual[1]
        if a in header and b in header:
            break
    else:
        raise PocketIntentError(
            f"{path}: unknown columns of the two sentences; {_describe(header)}; name them: "
            "--a, --b"
        )
    if columns.label is not None or columns.score is not None:
        question = "label" if columns.score is None else "score"
        return _Names(a, b, columns.label or str(columns.score), question)
    for name, question in QUESTIONS.items():
        if name in header:
            return _Names(a, b, name, question)
    raise PocketIntentError(
        f"{path}: no column with a label or a score; {_describe(header)}; name it: --label for "
        "classes, --score for numbers from 0 to 5"
    )


def _describe(header: Sequence[str]) -> str:
    return f"the file has {', '.join(map(repr, header))}"


def _label(row: Mapping[str, Any], name: str, place: str) -> str:
    """A class as text; JSON's true, and "true" in any case, are one class."""
    value = row.get(name)
    if isinstance(value, bool | int):
        return str(value).lower()
    if not isinstance(value, str) or not value.strip():
        found = f"found {shorten(value)}" if name in row else "but it is missing"
        hint = "; a number with a fraction is a score: --score" if isinstance(value, float) else ""
        raise PocketIntentError(
            f'{place}: "{name}" must be a label, a word or a whole number, {found}{hint}'
        )
    label = value.strip()
    return label.lower() if label.lower() in ("true", "false") else label


def _score(row: Mapping[str, Any], name: str, place: str) -> float:
    value = row.get(name)
    try:
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise ValueError
        score = float(value)
    except (ValueError, OverflowError):
        score = math.nan
    if not 0 <= score <= LARGEST_SCORE:
        found = f"found {shorten(value)}" if name in row else "but it is missing"
        raise PocketIntentError(
            f'{place}: "{name}" must be a number from 0 to {LARGEST_SCORE}, {found}'
        )
    return score
