"""The graphs of the kind ``combined``: a table, and a character network for unknown words."""

from __future__ import annotations

from torch import Tensor, nn

from pocketintent.runtime.encoders.combined.encoder import CombinedEncoder
from pocketintent_export.encoders.attention import AttentionModule
from pocketintent_export.encoders.characters import CharactersModule
from pocketintent_export.encoders.static import StaticModule
from pocketintent_export.formats import Format
from pocketintent_export.layers.lengths import unit


def combined_modules(
    encoder: CombinedEncoder, file_format: Format, max_chars: int | None
) -> dict[str, nn.Module]:
    """The graphs ``encoder`` and ``characters``; see :meth:`ModelEncoder.graph_modules`."""
    characters: nn.Module = CharactersModule(encoder.characters, file_format, max_chars)
    if encoder.attention is not None:
        attention = AttentionModule(
            encoder.words.words, encoder.attention, keep_codes=file_format == "tflite"
        )
        characters = AttendedCharacters(characters, attention)
    return {"encoder": CombinedModule(encoder), "characters": characters}


class CombinedModule(nn.Module):
    """:class:`CombinedEncoder`; the graph ``characters`` embeds each unknown word.

    Args:
        encoder: The encoder; its table must be quantised.
    """

    def __init__(self, encoder: CombinedEncoder) -> None:
        super().__init__()
        self.words = StaticModule(encoder.words)

    def forward(self, ids: Tensor, weights: Tensor, spelt: Tensor) -> Tensor:
        """Sentence vectors; see :meth:`StaticModule.forward`.

        Args:
            ids: int32 [batch, length].
            weights: float32 [batch, length].
            spelt: float32 [batch, dim], the sum of the unknown words' vectors.

        Returns:
            float32 [batch, dim], of unit length or zeros.
        """
        return unit(self.words.total(ids, weights) + spelt)


class AttendedCharacters(nn.Module):
    """The graph ``characters`` with attention: a network whose vectors attend to the table.

    Args:
        characters: The network.
        attention: The attention over the table.
    """

    def __init__(self, characters: nn.Module, attention: AttentionModule) -> None:
        super().__init__()
        self.characters, self.attention = characters, attention

    def forward(self, characters: Tensor, lengths: Tensor) -> Tensor:
        """Vectors of words; see :meth:`CharactersModule.forward`."""
        vectors: Tensor = self.attention(self.characters(characters, lengths))
        return vectors
