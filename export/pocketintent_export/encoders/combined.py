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
    """:class:`CombinedEncoder`, whose unknown words come spelt out.

    Args:
        encoder: The encoder; its table is quantised.
    """

    def __init__(self, encoder: CombinedEncoder) -> None:
        super().__init__()
        self.words = StaticModule(encoder.words)

    def forward(self, ids: Tensor, weights: Tensor, spelt: Tensor) -> Tensor:
        """Sentence vectors, as :meth:`StaticModule.forward` gives them.

        Args:
            ids: int32 [batch, length].
            weights: float32 [batch, length].
            spelt: float32 [batch, dim], the sum of the vectors that the graph ``characters``
                gives for the unknown words.
        """
        return unit(self.words.total(ids, weights) + spelt)


class AttendedCharacters(nn.Module):
    """A character network whose vectors attend to the table of words.

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
