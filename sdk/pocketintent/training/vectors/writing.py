"""Writing vectors: word2vec text and binary, StarSpace TSV, a model, or what a plug-in writes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.model_file import save_model
from pocketintent.training.corpora.reader import writing
from pocketintent.training.vectors.rows import write_binary_rows, write_text_rows
from pocketintent.training.vectors.table import HINT, TermVectors, installed_formats, to_encoder


def write_vectors(path: str | Path, vectors: TermVectors) -> None:
    """Write vectors atomically, in the format that the suffix selects.

    ========================= ====================================================
    ``.bin``                  word2vec binary
    ``.tsv``, ``.tsv.gz``     StarSpace TSV, in which terms keep their spaces
    ``.safetensors``          a pocketintent model, see :func:`to_encoder`
    that of a plug-in         the format of the plug-in, see :class:`VectorFormat`
    any other, also ``.gz``   word2vec text, which is also fastText's ``.vec``
    ========================= ====================================================

    Numbers in text have nine digits, from which float32 is read back bit for bit. In all formats
    but TSV, white space in a term becomes an underscore. It is a PocketIntentError
    if a term is empty, not valid Unicode, or then occurs twice, a vector contains NaN or infinity,
    or a plug-in cannot write them; and an OSError if the file cannot be written, which leaves the
    old one unchanged.
    """
    path = Path(path)
    name = path.name.removesuffix(".gz")
    for foreign in installed_formats():
        if foreign.write is not None and foreign.suffix and name.endswith(foreign.suffix):
            with writing(path) as file:
                foreign.write(file, path, vectors)
            return
    if name.endswith(".floret"):  # not to be mistaken for word2vec text
        raise PocketIntentError(f"{path}: this format cannot be written. {HINT}")
    terms = written_terms(path, vectors.terms)
    if name.endswith(".tsv"):
        bad = next((term for term in terms if re.search(r"[\t\r\n]", term)), None)
        if bad is not None:
            raise PocketIntentError(f"{path}: the term {bad!r} contains a tab or a line end")
    is_model = path.suffix == ".safetensors"
    if terms or not (is_model and vectors.subwords is not None):
        _check_rows(path, terms, vectors.vectors)
    if is_model:
        encoder = to_encoder(TermVectors(terms, vectors.vectors, vectors.subwords))
        save_model(path, *encoder.to_model_file_parts())
        return
    with writing(path) as file:
        if name.endswith(".bin"):
            write_binary_rows(file, terms, vectors.vectors)
        else:
            is_tsv = name.endswith(".tsv")
            write_text_rows(
                file, terms, vectors.vectors, separator="\t" if is_tsv else " ", header=not is_tsv
            )


def written_terms(path: str | Path, terms: Sequence[str]) -> list[str]:
    """Terms as a file of vectors has them: without white space, except in a TSV."""
    if Path(path).name.removesuffix(".gz").endswith(".tsv"):
        return list(terms)
    return ["_".join(term.split()) for term in terms]


def _check_rows(path: Path, terms: list[str], vectors: FloatArray) -> None:
    if not terms or not vectors.shape[1]:
        raise PocketIntentError(f"{path}: there are no vectors to write")
    rows: dict[str, int] = {}
    for number, term in enumerate(terms):
        if not term:
            raise PocketIntentError(f"{path}: term {number} is empty")
        if rows.setdefault(term, number) != number:
            raise PocketIntentError(
                f"{path}: terms {rows[term]} and {number} are both {term!r}; "
                "every term needs a row of its own"
            )
        try:
            term.encode()
        except UnicodeEncodeError as error:
            raise PocketIntentError(f"{path}: the term {term!r} is not valid Unicode") from error
    finite = np.isfinite(vectors).all(axis=1)
    if not finite.all():
        number = int(np.flatnonzero(~finite)[0])
        raise PocketIntentError(f"{path}: the vector of {terms[number]!r} is not finite")
