"""``ContextualEncoder``: word vectors that their neighbours change; docs/contextual.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import FloatArray, IndexArray, unit_rows
from pocketintent.runtime.encoders.contextual.network import (
    MAX_TOKENS,
    PREFIX,
    ContextNetwork,
    read_network,
)
from pocketintent.runtime.encoders.contextual.reader import ContextReader
from pocketintent.runtime.encoders.contract import ModelEncoder, WordTable
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.encoders.word_cache import WordCache
from pocketintent.runtime.errors import ModelFileError, PocketIntentError, require
from pocketintent.runtime.files.model_file import ModelFile
from pocketintent.runtime.graphs.inputs import GraphInputs
from pocketintent.runtime.graphs.slots import Slots, TokenInputs
from pocketintent.runtime.quantization.matrices import Matrix
from pocketintent.runtime.text.vocabulary import Vocabulary

_CACHED_WORDS = 2048
"""Number of words whose part in the first block is kept; 6 KB each with `default`."""
_TOKENS_AT_ONCE = 512
"""Number of tokens from which the texts of a batch are read together."""


class ContextualEncoder(ModelEncoder):
    """A table of word vectors that are changed by their neighbours before they are summed.

    The order of the words thus changes the vector of a text, unlike in :class:`StaticEncoder`,
    whose tokenizer, words and n-grams the encoder has. At most ``MAX_TOKENS`` tokens of a text that
    have a vector are read; the rest is ignored.

    Args:
        table: The words, with n-grams or without. The model takes its tokenizer, its template
            codebook, its background and its manifest entries from the table.
        network: The network, in float32 or int8.

    Raises:
        ModelFileError: The table and the network differ in dimensions, or the n-grams have the
            weight 0.
    """

    kind: ClassVar[str] = "contextual"
    rotatable: ClassVar[bool] = True

    def __init__(self, table: StaticEncoder, network: ContextNetwork) -> None:
        if table.dim != network.dim:
            raise ModelFileError(
                f"the words have {table.dim} dimensions and the network has {network.dim}; a "
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
        self.template_quantizer = table.template_quantizer
        self.background = table.background
        self.counts = table.counts
        self.compact_counts = table.compact_counts
        self.manifest = table.manifest
        self._reader = ContextReader(network)
        self._words = WordCache(self._read_words, _CACHED_WORDS)

    def encode(self, text: str) -> FloatArray:
        """The sentence vector of a text.

        Args:
            text: Any string.

        Returns:
            float32 [dim], of unit length; zeros if no token has a vector.
        """
        tokens = self._readable(self.tokenize(text))
        if not tokens:
            return np.zeros(self.dim, np.float32)
        words = self._words(tokens)
        rows = np.concatenate([words[token] for token in tokens]).reshape(len(tokens), -1)
        total = self._reader.sum_words(rows)
        norm = float(total.dot(total)) ** 0.5
        if norm > 0.0:
            total /= norm
        return total

    def encode_batch(self, texts: Sequence[str]) -> FloatArray:
        """The sentence vectors of several texts, float32 [num_texts, dim].

        They equal those of :meth:`encode` up to the rounding of products of other sizes.
        """
        totals = np.zeros((len(texts), self.dim), np.float32)
        numbers: list[int] = []
        token_lists: list[list[str]] = []
        num_tokens = 0
        for number, text in enumerate(texts):
            tokens = self._readable(self.tokenize(text))
            if not tokens:
                continue
            numbers.append(number)
            token_lists.append(tokens)
            num_tokens += len(tokens)
            if num_tokens >= _TOKENS_AT_ONCE:
                totals[numbers] = self._sum_texts(token_lists)
                numbers, token_lists, num_tokens = [], [], 0
        if numbers:
            totals[numbers] = self._sum_texts(token_lists)
        return unit_rows(totals)

    def embed_tokens(self, tokens: Sequence[str]) -> FloatArray:
        """The vectors of tokens in the table, in order, not normalised and without any context.

        Returns:
            float32 [num_embedded, dim]; without n-grams unknown words are left out.
        """
        return self.table.embed_tokens(tokens)

    def _read_words(self, words: Sequence[str]) -> list[FloatArray]:
        """What words contribute to any text; each word has a vector."""
        return [self._reader.read_word(vector) for vector in self.table.embed_tokens(words)]

    def _readable(self, tokens: Sequence[str]) -> list[str]:
        """The first ``MAX_TOKENS`` tokens that have a vector."""
        if self.table.embeds_unknown_words:
            return list(tokens[:MAX_TOKENS])
        return [token for token in tokens if token in self.vocabulary][:MAX_TOKENS]

    def _sum_texts(self, token_lists: Sequence[Sequence[str]]) -> FloatArray:
        """The sums of texts, float32 [num_texts, dim]; no text may be empty."""
        vectors = self.table.embed_tokens(list(chain.from_iterable(token_lists)))
        return self._reader.sum_texts(vectors, np.array([len(t) for t in token_lists], np.intp))

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
        """The words and their vectors, without any context."""
        return self.table.word_table

    def tables(self) -> Mapping[str, Matrix]:
        """``words`` and, if the table has n-grams, ``ngrams``."""
        return self.table.tables()

    def select_words(self, ids: IndexArray) -> ContextualEncoder:
        """A copy with some of the words; the n-grams, if any, embed the other words."""
        return self.replace(table=self.table.select_words(ids))

    def replace(self, **changes: Any) -> ContextualEncoder:
        """A copy with another table or network, or with other constructor arguments of the table.

        Args:
            changes: ``table`` and ``network``, or parameters of :class:`StaticEncoder`.

        Raises:
            ModelFileError: The parts do not fit each other.
            TypeError: There is no such parameter.
        """
        own = {name: changes.pop(name) for name in ("table", "network") if name in changes}
        if changes:
            own["table"] = own.get("table", self.table).replace(**changes)
        return super().replace(**own)

    def rotate_network(self, rotation: FloatArray) -> ContextualEncoder:
        """A copy whose network expects rotated tables; its matrices are float32."""
        if rotation.shape != (self.dim, self.dim):
            raise PocketIntentError(
                f"sub_dim must divide the {self.dim} dimensions of a contextual model, since its "
                "network cannot read padded vectors"
            )
        return self.replace(network=self.network.rotate(rotation))

    def quantise_network(self) -> ContextualEncoder:
        """A copy whose network is stored as int8; the encoder itself if it is."""
        network = self.network.quantise()
        return self if network is self.network else self.replace(network=network)

    def check_exportable(self, source: str) -> None:
        """Check that the tables and the network are quantised."""
        super().check_exportable(source)
        if self.network.format == "float32":
            raise PocketIntentError(
                f"{source}: the weights of the network are float32, and an export contains int8; "
                f"compress the model first: pocketintent compress {source} --out small.safetensors"
            )

    def graph_inputs(
        self, max_length: int | None = None, max_chars: int | None = None
    ) -> GraphInputs:
        """The function from a text to the slots of its tokens, which are numbered."""
        slots = TokenInputs(
            self.vocabulary,
            self.tokenizer_spec,
            self.table.ngram_settings,
            max_length,
            MAX_TOKENS,
        )
        return GraphInputs(slots.tokenize, slots, None)

    def graph_modules(self, file_format: str, max_chars: int | None) -> Mapping[str, Any]:
        """The graph ``encoder``: the tokens' vectors, changed by their neighbours and summed."""
        module = require("pocketintent_export.encoders.contextual", "export")
        return {"encoder": module.ContextualModule(self, file_format)}

    def encode_slots(self, slots: Slots, tokens: Sequence[str]) -> FloatArray:
        """The vector of slots, float32 [dim]; the last token may lack some of its n-grams."""
        numbers = slots.token_numbers
        assert numbers is not None
        if not len(numbers):
            return np.zeros(self.dim, np.float32)
        vectors = [
            self.table.sum_slots(Slots(slots.ids[chosen], slots.weights[chosen]), tokens)
            for chosen in (numbers == number for number in range(int(numbers[-1]) + 1))
        ]
        total = self._reader.sum_text(np.stack(vectors))
        vector: FloatArray = unit_rows(total[None])[0]
        return vector

    def to_model_file_parts(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """The manifest and the tensors by name, as :func:`save_model` takes them."""
        manifest, tensors = self.table.to_model_file_parts()
        entry, weights = self.network.to_parts()
        return manifest | {"kind": self.kind, PREFIX: entry}, tensors | weights

    @classmethod
    def from_model_file(cls, model: ModelFile) -> ContextualEncoder:
        """The encoder of a model file of kind ``contextual``.

        Raises:
            ModelFileError: A part is missing, or the parts do not fit each other.
        """
        table = StaticEncoder.from_model_file(model)
        return cls(table, read_network(model.manifest.get(PREFIX), model.tensors, table.dim))
