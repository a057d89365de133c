"""``SequenceEncoder``: the base of the kinds that read the words of a table in their order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import signature
from itertools import chain
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np

from pocketintent.runtime.arrays import FloatArray, IndexArray, unit_rows
from pocketintent.runtime.encoders.contract import ModelEncoder, WordTable
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.encoders.word_cache import WordCache
from pocketintent.runtime.errors import ModelFileError, PocketIntentError
from pocketintent.runtime.quantization.matrices import Matrix
from pocketintent.runtime.text.vocabulary import Vocabulary

MAX_TOKENS = 256
"""Number of tokens of a text that are read; the longest utterance of BANKING77 has 84 words."""

_TOKENS_AT_ONCE = 512
"""Number of tokens from which the texts of a batch are read together."""

EncoderT = TypeVar("EncoderT", bound="SequenceEncoder")


class SequenceReader(Protocol):
    """A network that is ready to read the vectors of tokens."""

    @property
    def word_size(self) -> int:
        """Numbers that :meth:`read_word` returns."""
        ...

    def read_word(self, vector: FloatArray) -> FloatArray:
        """What a word contributes to any text, float32 [size], from its vector."""
        ...

    def read_text(self, words: Sequence[FloatArray]) -> FloatArray:
        """The vector of a text, not normalised.

        Args:
            words: What :meth:`read_word` returned for each token, at least one.
        """
        ...

    def read_vectors(self, vectors: FloatArray) -> FloatArray:
        """The vector of a text from the vectors of its tokens, at least one; not normalised."""
        ...

    def read_texts(self, words: Sequence[FloatArray], counts: IndexArray) -> FloatArray:
        """The vectors of several texts, float32 [num_texts, dim], not normalised.

        Args:
            words: What :meth:`read_word` returned for each token, text after text.
            counts: intp [num_texts]: number of tokens of each text, at least 1.
        """
        ...


class Network(Protocol):
    """The stored network of a sequence encoder."""

    @property
    def format(self) -> str:
        """Storage format of the matrices; ``"float32"`` if they are not quantised."""
        ...

    def quantise(self) -> Any:
        """The network with int8 matrices; the network itself if it has them already."""
        ...

    def rotate(self, rotation: FloatArray) -> Any:
        """The network that reads vectors multiplied by an orthogonal matrix, in float32."""
        ...


class SequenceEncoder(ModelEncoder):
    """A table of word vectors, and a network that reads the words of a text in their order.

    A derived class has the constructor parameters ``table`` and ``network``, and may have more. At
    most ``MAX_TOKENS`` tokens of a text that have a vector are read; the rest is ignored.

    Args:
        table: The words, with n-grams or without. The model takes its tokenizer, its counts and
            its manifest entries from the table.
        network: The network.
        reader: The same network, decoded.
        cached_words: Number of words whose results of ``reader.read_word`` are kept.

    Raises:
        ModelFileError: The n-grams have the weight 0.
    """

    rotatable: ClassVar[bool] = True
    paddable: ClassVar[bool] = False  # the network reads as many numbers as a word has

    network: Network

    def __init__(
        self, table: StaticEncoder, network: Network, reader: SequenceReader, cached_words: int
    ) -> None:
        if table.ngram_settings is not None and table.ngram_settings.weight == 0:
            raise ModelFileError(
                "the n-grams have the weight 0, with which a graph cannot tell an unknown word "
                "from padding; use a table without n-grams"
            )
        self.table = table
        self.network = network
        self.vocabulary = table.vocabulary
        self.tokenizer_spec = table.tokenizer_spec
        self.tokenize = table.tokenize
        self.counts = table.counts
        self.compact_counts = table.compact_counts
        self.manifest = table.manifest
        self.reader = reader
        self._words = WordCache(self._read_words, cached_words, size=reader.word_size)

    def encode(self, text: str) -> FloatArray:
        """The sentence vector of a text.

        Args:
            text: Any string.

        Returns:
            float32 [dim], of unit length; zeros if no token has a vector.
        """
        tokens = readable_tokens(self.table, self.tokenize(text))
        if not tokens:
            return np.zeros(self.dim, np.float32)
        total = self.reader.read_text(self._gather(tokens))
        norm = float(total.dot(total)) ** 0.5
        if norm > 0.0:
            total /= norm
        return total

    def encode_batch(self, texts: Sequence[str]) -> FloatArray:
        """The sentence vectors of several texts, float32 [num_texts, dim].

        They equal those of :meth:`encode` up to the rounding of products of other sizes.
        """
        return unit_rows(self._read_lists([self.tokenize(text) for text in texts]))

    def _read_lists(self, token_lists: Sequence[Sequence[str]]) -> FloatArray:
        """The vectors of texts, float32 [num_texts, dim], not normalised; zeros without a word."""
        totals = np.zeros((len(token_lists), self.dim), np.float32)
        numbers: list[int] = []
        batch: list[list[str]] = []
        num_tokens = 0
        for number, all_tokens in enumerate(token_lists):
            tokens = readable_tokens(self.table, all_tokens)
            if not tokens:
                continue
            numbers.append(number)
            batch.append(tokens)
            num_tokens += len(tokens)
            if num_tokens >= _TOKENS_AT_ONCE:
                totals[numbers] = self._read_batch(batch)
                numbers, batch, num_tokens = [], [], 0
        if numbers:
            totals[numbers] = self._read_batch(batch)
        return totals

    def _read_batch(self, token_lists: Sequence[Sequence[str]]) -> FloatArray:
        """The vectors of texts, float32 [num_texts, dim]; no text may be empty."""
        words = self._gather(list(chain.from_iterable(token_lists)))
        return self.reader.read_texts(words, np.array([len(t) for t in token_lists], np.intp))

    def _gather(self, tokens: Sequence[str]) -> list[FloatArray]:
        """What each token contributes to any text; all have a vector."""
        return self._words.rows(tokens)

    def _read_words(self, words: Sequence[str]) -> list[FloatArray]:
        """What words contribute to any text; each word has a vector."""
        return [self.reader.read_word(vector) for vector in self.table.embed_tokens(words)]

    @property
    def embeds_unknown_words(self) -> bool:
        """Whether a word outside the vocabulary has a vector: if the table has n-grams."""
        return self.table.embeds_unknown_words

    @property
    def known_words(self) -> Vocabulary | None:
        """The words of the table; None with another tokenizer than ``simple``."""
        return self.table.known_words

    @property
    def word_table(self) -> WordTable:
        """The words and their vectors, which the network has not read."""
        return self.table.word_table

    def tables(self) -> Mapping[str, Matrix]:
        """``words`` and, if the table has n-grams, ``ngrams``."""
        return self.table.tables()

    def select_words(self: EncoderT, ids: IndexArray) -> EncoderT:
        """A copy with some of the words; the n-grams, if any, embed the other words."""
        return self.replace(table=self.table.select_words(ids))

    def replace(self: EncoderT, **changes: Any) -> EncoderT:
        """A copy with other constructor arguments of the class or of its table.

        Args:
            changes: Parameters of the class, otherwise of :class:`StaticEncoder`.

        Raises:
            ModelFileError: The parts do not fit each other.
            TypeError: There is no such parameter.
        """
        parameters = signature(type(self)).parameters
        own = {name: changes.pop(name) for name in parameters if name in changes}
        if changes:
            own["table"] = own.get("table", self.table).replace(**changes)
        return super().replace(**own)

    def quantise_network(self: EncoderT) -> EncoderT:
        """A copy whose network is stored as int8; the encoder itself if it is."""
        network = self.network.quantise()
        return self if network is self.network else self.replace(network=network)

    def rotate_network(self: EncoderT, rotation: FloatArray) -> EncoderT:
        """A copy whose network expects rotated tables; its matrices are float32."""
        dim = self.table.dim
        if rotation.shape != (dim, dim):
            raise PocketIntentError(
                f"the network cannot read {len(rotation)} dimensions; sub_dim must divide the "
                f"{dim} dimensions of the words"
            )
        return self.replace(network=self.network.rotate(rotation))


def readable_tokens(table: StaticEncoder, tokens: Sequence[str]) -> list[str]:
    """The first ``MAX_TOKENS`` tokens that have a vector in a table."""
    if table.embeds_unknown_words:
        return list(tokens[:MAX_TOKENS])
    return [token for token in tokens if token in table.vocabulary][:MAX_TOKENS]
