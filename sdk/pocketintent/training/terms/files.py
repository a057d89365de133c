"""Files of terms."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.atomic import write_atomically

HEADER = "term\tscore\tcount"
"""The first line of a file of terms."""


@dataclass(frozen=True)
class Term:
    """A term and what the corpus says of it."""

    term: str
    """Lower-case words separated by single spaces."""
    score: float
    """C-value times a power of the cohesion; 0 or more, of use only for comparison."""
    count: int
    """Occurrences, those inside longer terms too."""


def save_terms(path: str | Path, terms: Iterable[Term]) -> None:
    """Write terms as tab-separated text, one a line, below :data:`HEADER`; atomically.

    Raises:
        OSError: The file cannot be written.
    """
    lines = [HEADER, *(f"{term.term}\t{term.score:.6g}\t{term.count}" for term in terms)]
    write_atomically(path, ("\n".join(lines) + "\n").encode())


def load_terms(path: str | Path) -> list[Term]:
    """Read what :func:`save_terms` wrote, or a list of one's own in the same form.

    Raises:
        PocketIntentError: The file is missing, not UTF-8 or not of this form; the message names
            file and line.
    """
    try:
        lines = Path(path).read_bytes().split(b"\n")
    except OSError as error:
        raise PocketIntentError(f"{path}: cannot be read: {error.strerror or error}") from error
    terms: dict[str, Term] = {}
    for number, line in enumerate(lines, 1):
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8").strip("\r")
            if number == 1:
                _check_header(text)
            elif text:
                term = _parse_term(text)
                if term.term in terms:
                    raise ValueError(f"{term.term!r} is there twice; remove one")
                terms[term.term] = term
        except UnicodeDecodeError as error:
            raise PocketIntentError(
                f"{path}, line {number}: not UTF-8 ({error.reason}); convert the file to UTF-8"
            ) from error
        except ValueError as error:
            raise PocketIntentError(f"{path}, line {number}: {error}") from error
    return list(terms.values())


def _check_header(text: str) -> None:
    if text != HEADER:
        raise ValueError(f"no file of terms; its first line must be {HEADER!r}, tab-separated")


def _parse_term(text: str) -> Term:
    fields = text.split("\t")
    if len(fields) != 3:
        raise ValueError(f"wanted 3 fields separated by tabs (term, score, count), not {text!r}")
    term, score, count = fields
    if not term or term != " ".join(term.split()):
        raise ValueError(f"a term is words separated by single spaces, not {term!r}")
    try:
        parsed = Term(term, float(score), int(count))
    except ValueError:
        parsed = Term(term, math.nan, 0)
    if not math.isfinite(parsed.score) or parsed.count < 1:
        raise ValueError(f"wanted a finite score and a count of 1 or more, not {text!r}")
    return parsed
