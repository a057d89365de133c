"""The kind ``combined``: a table of words, and a character network for unknown words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from torch import Tensor, nn

from pocketintent.runtime.arrays import FloatArray, row_lengths, unit_vector
from pocketintent.runtime.encoders.combined import Attention, CombinedEncoder, answering_rows
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.graphs.inputs import GraphInputs, Slots
from pocketintent.runtime.quantization.matrices import DenseMatrix, Matrix, QuantizedMatrix
from pocketintent.runtime.text.characters import limit_unknown_words
from pocketintent_export.formats import Format
from pocketintent_export.kinds.charemb import CharactersModule, CharembExport
from pocketintent_export.kinds.contract import KindExport
from pocketintent_export.kinds.static import StaticModule, sum_slots
from pocketintent_export.layers.codes import QuantizedRows, row_numbers, unknown_zero
from pocketintent_export.layers.similarities import unit


class CombinedExport(KindExport[CombinedEncoder]):
    """Slots of known words, characters of unknown words, and the graphs that read them."""

    def check(self, source: str, is_bot: bool = False) -> None:
        """Check that the table and the network's weights are quantised."""
        if isinstance(self.encoder.words.words, DenseMatrix):
            raise PocketIntentError(
                f"{source}: the model is not compressed, and an export contains codes; combine "
                "it again: pocketintent compress WORDS --characters CHAREMB --sub-dim 4 "
                "--codebook-size 256 --out FILE"
            )
        try:
            CharembExport(self.encoder.characters).check(source)
        except PocketIntentError as error:
            raise PocketIntentError(f"{error}, and combine it with the words again") from error

    def inputs(self, max_length: int | None = None, max_chars: int | None = None) -> GraphInputs:
        """The function from a text to slots of known words and characters of unknown words."""
        encoder = self.encoder
        characters = CharembExport(encoder.characters).inputs(max_chars=max_chars).characters
        return GraphInputs(
            encoder.tokenizer_spec, encoder.vocabulary, None, max_length, characters=characters
        )

    def modules(self, file_format: Format, max_chars: int | None) -> Mapping[str, nn.Module]:
        """The graph ``encoder`` over the table, and ``characters`` for unknown words."""
        encoder = self.encoder
        characters: nn.Module = CharactersModule(encoder.characters, file_format, max_chars)
        if encoder.attention is not None:
            keep_codes = file_format == "tflite"
            attention = AttentionModule(encoder.words.words, encoder.attention, keep_codes)
            characters = AttendedCharacters(characters, attention)
        return {"encoder": CombinedModule(encoder), "characters": characters}

    def limit_characters(self, max_chars: int) -> CombinedExport:
        """The export of a copy with a limit on the characters of an unknown word."""
        network = CharembExport(self.encoder.characters).limit_characters(max_chars).encoder
        return CombinedExport(self.encoder.replace(characters=network))

    def encode_slots(self, slots: Slots, tokens: Sequence[str]) -> FloatArray:
        """The sum of the slots' rows and the vectors of unknown words, at unit length."""
        encoder = self.encoder
        unknown = encoder.vocabulary.unknown(limit_unknown_words(tokens, encoder.vocabulary))
        total = sum_slots(encoder.words, slots) + encoder.embed_unknown(unknown).sum(axis=0)
        return unit_vector(total)


class CombinedModule(nn.Module):
    """The table, which must be quantised, and the sum of the words that are spelt out."""

    def __init__(self, encoder: CombinedEncoder) -> None:
        super().__init__()
        self.words = StaticModule(encoder.words)

    def forward(self, ids: Tensor, weights: Tensor, spelt: Tensor) -> Tensor:
        """Unit vectors, float32 [batch, dim], or zeros; see :meth:`StaticModule.forward`.

        ``spelt`` is float32 [batch, dim], the sum of the unknown words' vectors.
        """
        return unit(self.words.sums(ids, weights.unsqueeze(1)).squeeze(1) + spelt)


class AttendedCharacters(nn.Module):
    """A character network whose vectors attend to the table."""

    def __init__(self, characters: nn.Module, attention: AttentionModule) -> None:
        super().__init__()
        self.characters, self.attention = characters, attention

    def forward(self, characters: Tensor, lengths: Tensor) -> Tensor:
        """Vectors of words; see :meth:`CharactersModule.forward`."""
        vectors: Tensor = self.attention(self.characters(characters, lengths))
        return vectors


class AttentionModule(nn.Module):
    """Attention to a table of codes; see :class:`Scores` for ``keep_codes``."""

    def __init__(self, table: Matrix, settings: Attention, keep_codes: bool) -> None:
        super().__init__()
        table = answering_rows(table, settings)
        assert isinstance(table, QuantizedMatrix)
        self.rows = QuantizedRows([table])
        self.settings, self.keep_codes = settings, keep_codes
        # The lengths of the rows without their norms, which cancel out.
        decoded = table.quantizer.decode_codes(table.codes)
        lengths = row_lengths(decoded)
        if table.norms is not None:
            lengths[table.norms == 0] = 0
        scales = np.divide(1, lengths, out=np.zeros_like(lengths), where=lengths > 0)
        self.scales = nn.Buffer(torch.from_numpy(scales / np.float32(settings.temperature)))

    def forward(self, queries: Tensor) -> Tensor:
        """The answers to queries, float32 [batch, dim].

        Zeros for a query of zeros, and where the query and the table's answer cancel out.
        """
        zero = unknown_zero(queries) if self.keep_codes else None
        rows, norms = self.rows(row_numbers(self.rows.num_rows, zero))
        weights = torch.softmax(torch.matmul(unit(queries), rows.t()) * self.scales, -1)
        if norms is not None:
            weights = weights * norms.reshape(-1)
        share = self.settings.share
        mixed = torch.matmul(weights, rows) * share + queries * (1 - share)
        lengths = torch.sqrt((queries * queries).sum(-1, keepdim=True))
        # A query of zeros gets an answer too, but the factor of its length is 0.
        return unit(mixed) * (lengths * self.settings.weight)
