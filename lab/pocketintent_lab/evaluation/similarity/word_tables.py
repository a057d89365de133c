"""A table of vectors as a sentence encoder that looks up terms of several words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pocketintent.compression.kinds import table_of
from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.files.regular import open_regular
from pocketintent.runtime.text.tokenizer import SIMPLE_SPEC, get_tokenizer
from pocketintent.training.vectors.table import TermVectors, to_encoder
from pocketintent_lab.training.terms.joiner import TermJoiner


def table_encoder(
    vectors: TermVectors,
    tokenizer_spec: Mapping[str, Any] = SIMPLE_SPEC,
    *,
    join_terms: bool = True,
) -> StaticEncoder:
    """Build an encoder by the mean of word vectors that first joins the terms of the table.

    If the table has the term ``machine_learning``, "we use machine learning" is the sum of
    ``we``, ``use`` and ``machine_learning``, at unit length. Terms are joined from left to right,
    the longest first, as ``train words --terms`` joins them in its corpus. The parts of a joined
    term do not count.

    Args:
        vectors: Words and terms; the words of a term are separated by underscores or spaces. If
            terms differ only in the separator, the first counts.
        tokenizer_spec: The tokenizer of the words, as in a manifest.
        join_terms: Whether to join terms; False ignores terms of several words.

    Returns:
        The encoder. Joining is not saved: an encoder loaded from its file does not join terms.
    """
    rows: dict[str, int] = {}
    for row, term in enumerate(vectors.terms):
        rows.setdefault("_".join(term.split()), row)
    names = list(rows)
    table = vectors.vectors if names == vectors.terms else vectors.vectors[list(rows.values())]
    encoder = to_encoder(TermVectors(names, table), tokenizer_spec=tokenizer_spec)
    if join_terms:
        # Other names, such as "__init__", would be joined to names without a vector.
        plain, joiner = encoder.tokenize, TermJoiner([name for name in names if _is_term(name)])
        encoder.tokenize = lambda text: joiner.join(plain(text))
    return encoder


def has_terms(vectors: TermVectors) -> bool:
    """Whether a table has a term of several words."""
    return any(_is_term("_".join(term.split())) for term in vectors.terms)


def read_tokenizer_spec(path: str | Path) -> Mapping[str, Any]:
    """Return the tokenizer of a model of word vectors; of other tables the simple tokenizer."""
    with open_regular(path) as file:
        head = file.read(9)  # safetensors: the header's length in eight bytes, then its JSON
    is_model = head[8:] == b"{" and int.from_bytes(head[:8], "little") < 1 << 32
    return load_encoder(path).tokenizer_spec if is_model else SIMPLE_SPEC


def known_tokens(encoder: ModelEncoder, texts: Iterable[str]) -> float | None:
    """Return the share of tokens in the vocabulary, including the words of joined terms.

    Returns:
        From 0 to 1; 0 if there are no tokens. None for an encoder without a table of words.
    """
    table = table_of(encoder)
    if table is None:
        return None
    tokenize = get_tokenizer(encoder.tokenizer_spec, table.vocabulary)
    total = unknown = 0
    for text in texts:
        total += len(tokenize(text))
        unknown += sum(token not in table.vocabulary for token in encoder.tokenize(text))
    return (total - unknown) / total if total else 0.0


def _is_term(name: str) -> bool:
    """Whether a name has several words with a single underscore between each two."""
    return "_" in name and all(name.split("_"))
