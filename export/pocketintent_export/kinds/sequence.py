"""What the kinds share that read the words of a table in their order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from pocketintent.runtime.arrays import FloatArray, unit_rows
from pocketintent.runtime.encoders.sequence import MAX_TOKENS, SequenceEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.graphs.inputs import GraphInputs
from pocketintent.runtime.graphs.slots import Slots, TokenInputs
from pocketintent_export.kinds.contract import KindExport, how_to_compress, refuse_float_tables
from pocketintent_export.kinds.static import embed_slots

EncoderT = TypeVar("EncoderT", bound=SequenceEncoder)


class SequenceExport(KindExport[EncoderT]):
    """Numbered slots, and a network that reads the vectors of their tokens."""

    def check(self, source: str, is_bot: bool = False) -> None:
        """Check that the tables and the network are quantised."""
        table = self.encoder.table
        refuse_float_tables(source, is_bot, table.words, table.ngrams)
        if self.encoder.network.format == "float32":
            raise PocketIntentError(
                f"{source}: the weights of the network are float32, and an export contains int8; "
                f"{how_to_compress(source, is_bot)}"
            )

    def inputs(self, max_length: int | None = None, max_chars: int | None = None) -> GraphInputs:
        """The function from a text to the slots of its tokens, which are numbered."""
        encoder, ngrams = self.encoder, self.encoder.table.ngram_settings
        slots = TokenInputs(
            encoder.vocabulary, encoder.tokenizer_spec, ngrams, max_length, MAX_TOKENS
        )
        return GraphInputs(slots.tokenize, slots, None)

    def encode_slots(self, slots: Slots, tokens: Sequence[str]) -> FloatArray:
        """The vector of the tokens that have slots, float32 [dim]."""
        vectors = embed_slots(self.encoder.table, slots)
        if not len(vectors):
            return np.zeros(self.encoder.dim, np.float32)
        vector: FloatArray = unit_rows(self.encoder.reader.read_vectors(vectors)[None])[0]
        return vector
