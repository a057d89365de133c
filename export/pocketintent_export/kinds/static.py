"""Tables of words: the kind ``static``, and the base of kinds that read words in their order."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import ClassVar, TypeVar

import numpy as np
import torch
from torch import Tensor, nn

from pocketintent.runtime.arrays import FloatArray, unit_rows, unit_vector
from pocketintent.runtime.encoders.sequence import MAX_TOKENS, SequenceEncoder
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.graphs.inputs import GraphInputs, Slots
from pocketintent.runtime.quantization.matrices import QuantizedMatrix
from pocketintent_export.formats import Format
from pocketintent_export.kinds.contract import KindExport, how_to_compress, refuse_float_tables
from pocketintent_export.layers.codes import QuantizedRows, storage, unknown_zero
from pocketintent_export.layers.similarities import unit


class StaticExport(KindExport[StaticEncoder]):
    """Slots of words and n-grams, and the graph ``encoder``."""

    def check(self, source: str, is_bot: bool = False) -> None:
        """Check that the tables are quantised."""
        refuse_float_tables(source, is_bot, self.encoder.words, self.encoder.ngrams)

    def inputs(self, max_length: int | None = None, max_chars: int | None = None) -> GraphInputs:
        """The function from a text to the slots of its words and n-grams."""
        encoder = self.encoder
        return GraphInputs(
            encoder.tokenizer_spec, encoder.vocabulary, encoder.ngram_settings, max_length
        )

    def modules(self, file_format: Format, max_chars: int | None) -> Mapping[str, nn.Module]:
        """The graph ``encoder``: the weighted sum of the slots' rows, at unit length."""
        return {"encoder": StaticModule(self.encoder)}

    def encode_slots(self, slots: Slots, tokens: Sequence[str]) -> FloatArray:
        """The weighted sum of the slots' rows, float32 [dim], of unit length or zeros."""
        return unit_vector(sum_slots(self.encoder, slots))


EncoderT = TypeVar("EncoderT", bound=SequenceEncoder)


class SequenceExport(KindExport[EncoderT]):
    """Numbered slots, and a network that reads the vectors of their tokens in order."""

    module: ClassVar[type[nn.Module]]
    """Module of the graph ``encoder``, made of the encoder and the format."""

    def check(self, source: str, is_bot: bool = False) -> None:
        """Check that the tables and the network are quantised."""
        table = self.encoder.table
        refuse_float_tables(source, is_bot, table.words, table.ngrams)
        if self.encoder.network.format == "float32":
            raise PocketIntentError(
                f"{source}: the weights of the network are float32, and an export contains int8 "
                f"or codes; {how_to_compress(source, is_bot)}"
            )

    def inputs(self, max_length: int | None = None, max_chars: int | None = None) -> GraphInputs:
        """The function from a text to the slots of its tokens, which are numbered."""
        spec, table = self.encoder.tokenizer_spec, self.encoder.table
        return GraphInputs(spec, table.vocabulary, table.ngram_settings, max_length, MAX_TOKENS)

    def modules(self, file_format: Format, max_chars: int | None) -> Mapping[str, nn.Module]:
        """The graph ``encoder``: the network over the tokens' vectors."""
        return {"encoder": self.module(self.encoder, file_format)}

    def encode_slots(self, slots: Slots, tokens: Sequence[str]) -> FloatArray:
        """The vector of the tokens that have slots, float32 [dim]."""
        vectors = embed_slots(self.encoder.table, slots)
        if not len(vectors):
            return np.zeros(self.encoder.dim, np.float32)
        vector: FloatArray = unit_rows(self.encoder.reader.read_vectors(vectors)[None])[0]
        return vector


def sum_slots(table: StaticEncoder, slots: Slots) -> FloatArray:
    """The weighted sum of the rows of slots, float32 [dim]."""
    ids, weights = slots.ids.astype(np.intp), slots.weights
    total, start = np.zeros(table.dim, np.float32), 0
    for matrix in (table.words, table.ngrams):
        if matrix is not None:
            inside = (ids >= start) & (ids < start + len(matrix))
            total = total + weights[inside] @ matrix.rows(ids[inside] - start)
            start += len(matrix)
    return total


def embed_slots(table: StaticEncoder, slots: Slots) -> FloatArray:
    """The vectors of numbered tokens from their slots, float32 [num_tokens, dim]."""
    numbers = slots.token_numbers
    assert numbers is not None
    vectors = np.zeros((int(numbers.max(initial=-1)) + 1, table.dim), np.float32)
    for number, vector in enumerate(vectors):
        chosen = numbers == number
        vector[:] = sum_slots(table, Slots(slots.ids[chosen], slots.weights[chosen]))
    return vectors


class StaticModule(nn.Module):
    """From ids and weights to unit sentence vectors; the tables must be quantised.

    An id is a row number in the concatenated tables, the words before the n-grams. Tables whose
    quantisers have the same shape are one block, whose rows are looked up together; otherwise each
    block looks up the ids in its range.
    """

    def __init__(self, encoder: StaticEncoder) -> None:
        super().__init__()
        tables = encoder.tables().values()
        matrices = [matrix for matrix in tables if isinstance(matrix, QuantizedMatrix)]
        blocks = [QuantizedRows(list(group)) for _, group in groupby(matrices, storage)]
        self.blocks = nn.ModuleList(blocks)
        self.ends = np.cumsum([block.num_rows for block in blocks]).tolist()

    def forward(self, ids: Tensor, weights: Tensor) -> Tensor:
        """Unit vectors, float32 [batch, dim], or zeros.

        ``ids`` is int32 [batch, length], ``weights`` float32 [batch, length] with 0 for padding.
        """
        return unit(self.sums(ids, weights.unsqueeze(1)).squeeze(1))

    def tokens(self, ids: Tensor, weights: Tensor, token_numbers: Tensor) -> tuple[Tensor, Tensor]:
        """The vectors of tokens, float32 [batch, num_tokens, dim], in order.

        The second result, float32 [batch, num_tokens, 1], is 1 for a token and 0 for padding. A
        slot has the number of its token in ``token_numbers``, int32 [batch, length], below
        ``MAX_TOKENS``; no text has more tokens than slots.
        """
        numbers = torch.arange(ids.shape[1], dtype=torch.int32)[:MAX_TOKENS]
        belongs = token_numbers.unsqueeze(1) == numbers.reshape(1, -1, 1)
        shares = torch.where(belongs, weights.unsqueeze(1), 0.0)
        is_token = (shares != 0).to(torch.float32).amax(-1, keepdim=True)
        return self.sums(ids, shares), is_token

    def sums(self, ids: Tensor, weights: Tensor) -> Tensor:
        """Weighted sums of the rows of ``ids``, float32 [batch, num_sums, dim].

        ``weights`` is float32 [batch, num_sums, length].
        """
        total, start = torch.zeros(()), 0
        for block, end in zip(self.blocks, self.ends, strict=True):
            block_ids, block_weights = ids, weights
            if len(self.ends) > 1:
                in_block = (ids >= start) & (ids < end)
                block_ids = torch.where(in_block, ids - start, 0)
                block_weights = torch.where(in_block.unsqueeze(1), weights, 0.0)
            rows, norms = block(block_ids.reshape(-1))
            if norms is not None:
                block_weights = block_weights * norms.reshape(ids.shape).unsqueeze(1)
            block_total = torch.matmul(block_weights, rows.reshape(*ids.shape, -1))
            total = block_total if start == 0 else total + block_total
            start = end
        return total


class SequenceModule(nn.Module, ABC):
    """From the numbered slots of a text to unit vectors; the table must be quantised."""

    def __init__(self, table: StaticEncoder, file_format: str) -> None:
        super().__init__()
        self.table = StaticModule(table)
        self.keep_codes = file_format == "tflite"

    def forward(self, ids: Tensor, weights: Tensor, token_numbers: Tensor) -> Tensor:
        """Unit vectors, float32 [batch, dim], or zeros; see :meth:`StaticModule.tokens`."""
        zero = unknown_zero(ids) if self.keep_codes else None
        return self.combine(*self.table.tokens(ids, weights, token_numbers), zero)

    @abstractmethod
    def combine(self, x: Tensor, is_token: Tensor, zero: Tensor | None) -> Tensor:
        """Unit vectors, float32 [batch, dim], from the results of :meth:`StaticModule.tokens`.

        Zeros for a text without tokens. For ``zero`` see :class:`WholeMatrix`.
        """
