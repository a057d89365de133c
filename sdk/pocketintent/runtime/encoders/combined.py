"""``CombinedEncoder``: a table of word vectors, and a character network for unknown words.

Attention over the table may move the network's vector of an unknown word towards similar words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import chain
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import MAX_NUMBERS, FloatArray, row_lengths, unit_rows, unit_vector
from pocketintent.runtime.encoders.charemb.encoder import CharEncoder
from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.encoders.parts import manifest_entry
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.encoders.word_cache import WordCache
from pocketintent.runtime.errors import ModelFileError, PocketIntentError
from pocketintent.runtime.files.model_file import ModelFile
from pocketintent.runtime.quantization.matrices import Matrix
from pocketintent.runtime.text.characters import limit_unknown_words

PART = "charemb"
"""Manifest entry of the character network and, with a dot, prefix of its tensors."""

_SHARED = ("kind", "dim", "tokenizer")  # entries that the model and its network share
_TEXTS_AT_ONCE = 256
_MAX_SCORE_GAP = np.float32(17)
"""Words are skipped if their weight is below exp(-17), 4e-8, of the nearest word's weight: of a
model of 10,000 words they had 2e-6 of the answer. The exported graphs sum up all words."""

_MAX_SINGLE_QUERIES = 8  # up to this number, BLAS is faster with one product for each query
_QUERIES_AT_ONCE = 1024  # whose scores are in memory at once

_MIN_TEMPERATURE = 1e-6  # float32 cannot divide by much smaller ones
_FRACTIONS = ("share", "temperature", "weight")  # above 0 and at most 1


@dataclass(frozen=True)
class Attention:
    """Settings of the attention, as stored in a model file."""

    share: float = 0.6
    """Share of the table's answer in the result; the rest is the query's."""
    temperature: float = 0.02
    """Divisor of the cosines before the softmax: the smaller it is, the fewer words answer."""
    weight: float = 0.85
    """Factor on the query's length: how much an unknown word counts relative to known words."""
    words: int | None = None
    """Number of words that answer, from the start of the table, where the most frequent words are;
    None for all words. The time for an unknown word grows with this number."""

    def __post_init__(self) -> None:
        if self.words is not None and (type(self.words) is not int or self.words < 1):
            raise ModelFileError(f"attention: words must be 1 or more, not {self.words!r}")
        for name in _FRACTIONS:
            value, allowed = getattr(self, name), "above 0 and at most 1"
            is_fraction = type(value) in (int, float) and 0 < value <= 1
            if is_fraction and name == "temperature":
                is_fraction, allowed = value >= _MIN_TEMPERATURE, f"at least {_MIN_TEMPERATURE:g}"
            if not is_fraction:
                raise ModelFileError(f"attention: {name} must be {allowed}, not {value!r}")

    @classmethod
    def from_manifest(cls, entry: object) -> Attention:
        """The settings in the manifest's entry ``attention``, checked."""
        if not isinstance(entry, Mapping) or entry.keys() - {"words"} != set(_FRACTIONS):
            raise ModelFileError(f"the manifest's attention must have {', '.join(_FRACTIONS)}")
        return cls(**entry)

    def to_manifest(self) -> dict[str, Any]:
        """The settings as the manifest's entry ``attention``."""
        return {name: value for name, value in asdict(self).items() if value is not None}


DEFAULT_ATTENTION = Attention(words=10_000)
"""Default settings, chosen on the ``valid`` splits; see lab/docs/charemb_figures.md."""


def answering_rows(table: Matrix, settings: Attention) -> Matrix:
    """The rows of the words that answer: the first ``settings.words`` rows of a table."""
    return table if settings.words is None else table.select(slice(settings.words))


class TableAttention:
    """Scaled dot-product attention (Vaswani et al. 2017) with one table as keys and values.

    The keys are the directions of the table's rows, and the values are the rows, so that the query
    of a misspelt word turns towards the correct word. The length of the result is the query's,
    times ``weight``. The table is decoded at the first query; one without rows, or with more than
    memory is meant for, is a ModelFileError.
    """

    def __init__(self, table: Matrix, settings: Attention) -> None:
        self.settings = settings
        self._table = answering_rows(table, settings)
        if not 1 <= len(self._table) * self._table.dim <= MAX_NUMBERS:
            raise ModelFileError(
                f"attention: the table has {len(self._table)} words of {self._table.dim} "
                f"dimensions; it needs at least one word, and at most {MAX_NUMBERS} numbers are "
                "decoded: limit the words that answer (attention_words of the settings)"
            )

    def __call__(self, queries: FloatArray) -> FloatArray:
        """The answers to queries, float32 [num_queries, dim]; zeros for a query of zeros.

        An answer has the direction of ``share`` times the table's and ``1 - share`` times the
        query; it is zeros if these cancel out.
        """
        results = np.empty_like(queries)
        for start in range(0, len(queries), _QUERIES_AT_ONCE):
            block = slice(start, start + _QUERIES_AT_ONCE)
            results[block] = self._answer(queries[block])
        return results

    def _answer(self, queries: FloatArray) -> FloatArray:
        """Apply the attention to queries whose scores fit into memory."""
        rows, scales = self._decoded
        share = np.float32(self.settings.share)
        units = unit_rows(queries)
        if len(units) <= _MAX_SINGLE_QUERIES:
            scores = np.stack([rows @ unit for unit in units])
        else:
            scores = units @ rows.T
        scores *= scales / np.float32(self.settings.temperature)
        scores -= scores.max(axis=1, keepdims=True)
        results = np.float32(1 - self.settings.share) * queries
        lengths = row_lengths(queries)
        many = []  # queries that many words answer: their answers are one product
        for index in np.flatnonzero(queries.any(axis=1)).tolist():
            near = np.flatnonzero(scores[index] > -_MAX_SCORE_GAP)
            # Reading all rows in place is faster than gathering many of them.
            if len(near) > len(rows) // 8:
                many.append(index)
            else:
                weights = np.exp(scores[index, near])
                weights *= share / weights.sum()
                results[index] += weights @ rows[near]
        step = 1 if len(many) <= _MAX_SINGLE_QUERIES else len(many)
        for start in range(0, len(many), step):
            block = many[start : start + step]
            weights = np.exp(scores[block])
            weights *= share / weights.sum(axis=1, keepdims=True)
            results[block] += weights @ rows
        vectors = unit_rows(results)
        vectors *= (np.float32(self.settings.weight) * lengths)[:, None]
        return vectors

    @cached_property
    def _decoded(self) -> tuple[FloatArray, FloatArray]:
        """The table's rows, and the factors that bring them to unit length; 0 for zeros."""
        rows = self._table.decode()
        norms = row_lengths(rows)
        return rows, np.divide(1, norms, out=np.zeros_like(norms), where=norms > 0)


class CombinedEncoder(ModelEncoder):
    """A table of word vectors, with a character network for words outside the table.

    The vector of a text is the sum of its words' vectors at unit length. The network was trained on
    the table's vectors and predicts direction and length of a word's vector, so that a misspelt
    word counts about as much as the correct one. With ``attention`` the prediction is moved towards
    similar words: see :class:`TableAttention`. At most ``MAX_UNKNOWN_WORDS`` different unknown
    words of a text are read.

    Args:
        words: The table, without n-grams; also the tokenizer, template codebook, background and
            manifest entries. ModelFileError if the network's dimensions or tokenizer differ.
        characters: The network. It reads unknown words one by one, whatever its ``reads``.
        attention: Settings of the attention over the table; None for no attention.
    """

    kind: ClassVar[str] = "combined"
    part: ClassVar[str | None] = "words"

    def __init__(
        self, words: StaticEncoder, characters: CharEncoder, attention: Attention | None = None
    ) -> None:
        if words.dim != characters.dim:
            sizes = f"{words.dim} dimensions and the character network has {characters.dim}"
            raise ModelFileError(f"the words have {sizes}")
        spec, other_spec = words.tokenizer_spec, characters.tokenizer_spec
        if spec != other_spec:
            raise ModelFileError(
                f"the words have the tokenizer {spec}, and the character network has {other_spec}"
            )
        if words.ngrams is not None:
            raise ModelFileError(
                "a combined encoder can have no n-grams, since its character network embeds "
                "unknown words; use a table without n-grams"
            )
        self.words = words
        self.characters = characters
        self.attention = attention
        self.dim = words.dim
        self.vocabulary = words.vocabulary
        self.tokenizer_spec = words.tokenizer_spec
        self.tokenize = words.tokenize
        self.template_quantizer = words.template_quantizer
        self.background = words.background
        self.manifest = words.manifest
        self._attend = None if attention is None else TableAttention(words.words, attention)
        self._unknown_vectors = WordCache(self.embed_unknown, self.dim)

    def encode_batch(self, texts: Sequence[str]) -> FloatArray:
        """The sentence vectors of several texts; see :meth:`ModelEncoder.encode_batch`."""
        vectors = np.empty((len(texts), self.dim), np.float32)
        for start in range(0, len(texts), _TEXTS_AT_ONCE):
            token_lists = [
                limit_unknown_words(self.tokenize(text), self.vocabulary)
                for text in texts[start : start + _TEXTS_AT_ONCE]
            ]
            unknown = self._unknown_vectors(
                self.vocabulary.unknown(chain.from_iterable(token_lists))
            )
            for row, tokens in enumerate(token_lists, start):
                ids = self.vocabulary.ids(tokens)
                total = self.words.words.weighted_sum(np.array(ids, np.intp))
                if len(ids) < len(tokens):
                    for token in self.vocabulary.unknown(tokens):
                        total += unknown[token]
                vectors[row] = unit_vector(total)
        return vectors

    def embed_unknown(self, words: Sequence[str]) -> FloatArray:
        """The vectors of words that are treated as unknown, even if the table has them.

        They are float32 [num_words, dim], not normalised; zeros without known characters.
        """
        vectors = self.characters.embed_terms(words)
        return vectors if self._attend is None else self._attend(vectors)

    def to_model_file_parts(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """The manifest and the tensors by name, as :func:`save_model` takes them."""
        manifest, tensors = self.words.to_model_file_parts()
        entry, weights = self.characters.to_model_file_parts()
        for key in _SHARED:
            del entry[key]
        manifest |= {"kind": self.kind, PART: entry}
        manifest.pop("attention", None)  # from the file that the words were loaded from
        if self.attention is not None:
            manifest["attention"] = self.attention.to_manifest()
        return manifest, tensors | {f"{PART}.{name}": array for name, array in weights.items()}

    @classmethod
    def from_model_file(cls, model: ModelFile) -> CombinedEncoder:
        """The encoder of a model file of kind ``combined``."""
        words = StaticEncoder.from_model_file(model)
        entry = manifest_entry(model.manifest, PART)
        manifest = {**entry, **{key: model.manifest[key] for key in _SHARED}}
        prefix = f"{PART}."
        tensors = {
            name.removeprefix(prefix): tensor
            for name, tensor in model.tensors.items()
            if name.startswith(prefix)
        }
        try:
            network = ModelFile(model.path, manifest, tensors)
            characters = CharEncoder.from_model_file(network)
        except PocketIntentError as error:
            raise ModelFileError(f"{PART}: {error}") from error
        settings = model.manifest.get("attention")
        attention = None if settings is None else Attention.from_manifest(settings)
        return cls(words, characters, attention)
