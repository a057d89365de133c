"""Writing files of terms, which ``pocketintent.training.corpora.terms`` reads."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pocketintent.training.corpora.reader import writing
from pocketintent.training.corpora.terms import HEADER, Term


def save_terms(path: str | Path, terms: Iterable[Term]) -> None:
    """Write terms atomically as tab-separated text, one on each line, below :data:`HEADER`.

    A file whose name ends in ``.gz`` is packed. Raises OSError if the file cannot be written.
    """
    lines = [HEADER, *(f"{term.term}\t{term.score:.6g}\t{term.count}" for term in terms)]
    with writing(path) as file:
        file.write(("\n".join(lines) + "\n").encode())
