"""Files of terms."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from pocketintent.records import numbered_lines
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.corpora.reader import reading

HEADER = "term\tscore\tcount"
"""The first line of a file of terms."""


@dataclass(frozen=True)
class Term:
    """A term and its statistics in the corpus."""

    term: str
    """Lower-case words separated by single spaces."""
    score: float
    """C-value times a power of the cohesion; 0 or more, comparable only within one corpus."""
    count: int
    """Occurrences, including those inside longer terms."""


def load_terms(path: str | Path) -> list[Term]:
    """Read a file of ``train terms``, or one written by hand; a gzip is unpacked.

    If it is missing, a broken gzip, not UTF-8 or not of this form, PocketIntentError says where.
    """
    with reading(path) as (file, _):
        lines = file.read().split(b"\n")
    terms: dict[str, Term] = {}
    for number, text in numbered_lines(lines, path):
        try:
            if number == 1 and text != HEADER:
                raise ValueError(
                    f"not a file of terms; the first line must be {HEADER!r}, tab-separated"
                )
            if number > 1 and text:
                term = _parse_term(text)
                if term.term in terms:
                    raise ValueError(f"{term.term!r} occurs twice; remove one of the lines")
                terms[term.term] = term
        except ValueError as error:
            raise PocketIntentError(f"{path}, line {number}: {error}") from error
    return list(terms.values())


def _parse_term(text: str) -> Term:
    fields = text.split("\t")
    if len(fields) != 3:
        raise ValueError(
            f"a line has 3 fields separated by tabs (term, score, count), but this is {text!r}"
        )
    term, score, count = fields
    if not term or term != " ".join(term.split()):
        raise ValueError(f"a term is words separated by single spaces, not {term!r}")
    try:
        parsed = Term(term, float(score), int(count))
    except ValueError:
        parsed = Term(term, math.nan, 0)
    if not math.isfinite(parsed.score) or parsed.count < 1:
        raise ValueError(
            f"the score must be a finite number, the count a whole number of 1 or more: {text!r}"
        )
    return parsed
