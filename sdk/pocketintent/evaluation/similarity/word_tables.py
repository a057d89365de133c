"""A table of vectors as an encoder of sentences, terms of several words looked up as one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.text.tokenizer import SIMPLE_SPEC, get_tokenizer
from pocketintent.training.terms.joiner import TermJoiner
from pocketintent.training.vectors.table import TermVectors, to_encoder


def table_encoder(
    vectors: TermVectors,
    tokenizer_spec: Mapping[str, Any] = SIMPLE_SPEC,
    *,
    join_terms: bool = True,
) -> StaticEncoder:
    """The mean of word vectors, with the terms of the table joined in each text first.

    «we use machine learning» is the sum of ``we``, ``use`` and ``machine_learning``, where the
    table has that term, at unit length: the longest term first, from left to right, as
    ``train words --terms`` joins them in its corpus. Parts of a joined term do not count.

    Args:
        vectors: Words and terms; a term of several words has underscores or spaces between
            them. Of terms that are equal with underscores the first counts.
        tokenizer_spec: The tokenizer that gave the words, as a manifest has it.
        join_terms: False leaves terms of several words out, as a saved model does.

    Returns:
        The encoder. A file that it is saved to does not join terms.
    """
    rows: dict[str, int] = {}
    for row, term in enumerate(vectors.terms):
        rows.setdefault("_".join(term.split()), row)
    names = list(rows)
    kept = vectors.vectors if names == vectors.terms else vectors.vectors[list(rows.values())]
    encoder = to_encoder(TermVectors(names, kept), tokenizer_spec=tokenizer_spec)
    if join_terms:
        # Others, such as «__init__», would be joined to what has no row.
        plain, joiner = encoder.tokenize, TermJoiner([name for name in names if _is_term(name)])
        encoder.tokenize = lambda text: joiner.join(plain(text))
    return encoder


def has_terms(vectors: TermVectors) -> bool:
    """Whether a table has a term of several words."""
    return any(_is_term("_".join(term.split())) for term in vectors.terms)


def read_tokenizer_spec(path: str | Path) -> Mapping[str, Any]:
    """The tokenizer of a table that is a model of word vectors, else the simple one."""
    with Path(path).open("rb") as file:
        head = file.read(9)  # safetensors: the header's length in eight bytes, then its JSON
    is_model = head[8:] == b"{" and int.from_bytes(head[:8], "little") < 1 << 32
    return load_encoder(path).tokenizer_spec if is_model else SIMPLE_SPEC


def known_tokens(encoder: ModelEncoder, texts: Iterable[str]) -> float | None:
    """The share of the tokens of texts that are in the vocabulary, those of joined terms too.

    Returns:
        From 0 to 1; 0 where there is no token. None for an encoder without a table of words.
    """
    table = encoder.word_table
    if table is None:
        return None
    tokenize = get_tokenizer(encoder.tokenizer_spec)
    total = unknown = 0
    for text in texts:
        total += len(tokenize(text))
        unknown += sum(token not in table.vocabulary for token in encoder.tokenize(text))
    return (total - unknown) / total if total else 0.0


def _is_term(name: str) -> bool:
    """Whether a name is of several words with one underscore between any two."""
    return "_" in name and all(name.split("_"))
