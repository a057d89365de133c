"""``SequenceEncoder``: the base of the kinds that read the words of a table in their order."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, ClassVar, Protocol

import numpy as np

from pocketintent.runtime.arrays import FloatArray, IndexArray, Parts, unit_rows
from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.encoders.word_cache import WordCache
from pocketintent.runtime.errors import ModelFileError

MAX_TOKENS = 256
"""Number of tokens of a text that are read; the longest utterance of BANKING77 has 84 words."""

PREFIX = "network"
"""Manifest entry of a network and, with a dot, prefix of its tensors."""

_TOKENS_AT_ONCE = 512  # from this number on, the texts of a batch are read together


class SequenceReader(Protocol):
    """A network that is ready to read the vectors of tokens."""

    dim: int
    """Size of the vectors of tokens."""
    word_size: int
    """Numbers that :meth:`read_word` returns."""

    def read_word(self, vector: FloatArray) -> FloatArray:
        """What a word contributes to any text, float32 [word_size], from its vector."""

    def read_text(self, words: Sequence[FloatArray]) -> FloatArray:
        """The vector of a text, not normalised, from at least one result of :meth:`read_word`."""

    def read_texts(self, words: Sequence[FloatArray], counts: IndexArray) -> FloatArray:
        """The vectors, [num_texts, dim], of texts of ``counts`` tokens each; see read_text."""

    def read_vectors(self, vectors: FloatArray) -> FloatArray:
        """The vector of a text, not normalised, from its tokens' [num_tokens, dim], at least 1."""
        return self.read_text([self.read_word(vector) for vector in vectors])


class SequenceEncoder(ModelEncoder):
    """A table of word vectors, and a network that reads the words of a text in their order.

    A derived class has the constructor parameters ``table`` and ``network``, and may have more. At
    most ``MAX_TOKENS`` tokens of a text that have a vector are read; the rest is ignored.

    The table, with n-grams or without, also gives the tokenizer, the counts, the manifest entries,
    the template codebook and the background; ``reader`` is the network, decoded. ModelFileError if
    words and network differ in dimensions, or if the n-grams have the weight 0.
    """

    part: ClassVar[str | None] = "table"

    network: Any
    """The stored network: its ``format`` is that of its matrices, such as ``"float32"``, and its
    ``to_parts()`` are the manifest's entry ``network`` and the tensors by name."""

    def __init__(self, table: StaticEncoder, network: Any, reader: SequenceReader) -> None:
        if table.dim != reader.dim:
            raise ModelFileError(
                f"the words have {table.dim} dimensions and the network reads {reader.dim}; a "
                "sub_dim of quantised words must divide the dimensions of the network"
            )
        if table.ngram_settings is not None and table.ngram_settings.weight == 0:
            raise ModelFileError(
                "the n-grams have the weight 0, with which a graph cannot tell an unknown word "
                "from padding; use a table without n-grams"
            )
        self.table = table
        self.network = network
        self.dim = table.dim
        self.vocabulary = table.vocabulary
        self.tokenizer_spec = table.tokenizer_spec
        self.tokenize = table.tokenize
        self.manifest = table.manifest
        self.template_quantizer = table.template_quantizer
        self.background = table.background
        self.reader = reader
        self._words = WordCache(self._read_words, reader.word_size)

    def encode(self, text: str) -> FloatArray:
        """The sentence vector of any string, float32 [dim]; zeros if no token has a vector."""
        tokens = readable_tokens(self.table, self.tokenize(text))
        if not tokens:
            return np.zeros(self.dim, np.float32)
        vector = self.reader.read_text(self._rows(tokens))
        vector /= math.sqrt(vector.dot(vector)) or 1.0
        return vector

    def encode_batch(self, texts: Sequence[str]) -> FloatArray:
        """The sentence vectors of several texts; see :meth:`ModelEncoder.encode_batch`."""
        return unit_rows(self.read_lists(map(self.tokenize, texts), len(texts)))

    def read_lists(self, token_lists: Iterable[Sequence[str]], num_texts: int) -> FloatArray:
        """The vectors of texts, float32 [num_texts, dim], not normalised; zeros without a word."""
        totals = np.zeros((num_texts, self.dim), np.float32)
        batch: dict[int, list[str]] = {}
        num_tokens = 0
        for number, all_tokens in enumerate(token_lists):
            if tokens := readable_tokens(self.table, all_tokens):
                batch[number] = tokens
                num_tokens += len(tokens)
            if num_tokens >= _TOKENS_AT_ONCE:
                totals[list(batch)] = self._read_batch(list(batch.values()))
                batch, num_tokens = {}, 0
        if batch:
            totals[list(batch)] = self._read_batch(list(batch.values()))
        return totals

    def _read_batch(self, token_lists: Sequence[Sequence[str]]) -> FloatArray:
        """The vectors of texts, float32 [num_texts, dim]; no text may be empty."""
        words = self._rows(list(chain.from_iterable(token_lists)))
        return self.reader.read_texts(words, np.array([len(t) for t in token_lists], np.intp))

    def _rows(self, words: Sequence[str]) -> list[FloatArray]:
        """What words contribute to any text, one after the other; new words are read together."""
        kept = self._words.vectors  # read once: another thread may replace it
        try:
            return [kept[word] for word in words]
        except KeyError:
            vectors = self._words(words)
            return [vectors[word] for word in words]

    def _read_words(self, words: Sequence[str]) -> list[FloatArray]:
        """What different words contribute to any text; each word has a vector."""
        return [self.reader.read_word(vector) for vector in self.table.embed_tokens(words)]

    def to_model_file_parts(self) -> Parts:
        """The manifest and the tensors by name, as :func:`save_model` takes them."""
        manifest, tensors = self.table.to_model_file_parts()
        entry, weights = self.network.to_parts()
        return manifest | {"kind": self.kind, "dim": self.dim, PREFIX: entry}, tensors | weights


def readable_tokens(table: StaticEncoder, tokens: Sequence[str]) -> list[str]:
    """The first ``MAX_TOKENS`` tokens that have a vector in a table."""
    if table.ngrams is not None:
        return list(tokens[:MAX_TOKENS])
    return [token for token in tokens if token in table.vocabulary][:MAX_TOKENS]
