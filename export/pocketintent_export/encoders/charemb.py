"""The graphs of the kind ``charemb``, which reads a text as a whole or word by word."""

from __future__ import annotations

from torch import Tensor, nn

from pocketintent.runtime.encoders.charemb.encoder import CharEncoder
from pocketintent_export.encoders.characters import CharactersModule
from pocketintent_export.formats import Format
from pocketintent_export.layers.lengths import unit


def charemb_modules(
    encoder: CharEncoder, file_format: Format, max_chars: int | None
) -> dict[str, nn.Module]:
    """The graph ``encoder`` and, for an encoder that reads words, ``characters``.

    See :meth:`ModelEncoder.graph_modules`.
    """
    characters = CharactersModule(encoder, file_format, max_chars)
    if encoder.reads == "text":
        return {"encoder": TextModule(characters)}
    return {"encoder": SpeltModule(), "characters": characters}


class SpeltModule(nn.Module):
    """A :class:`CharEncoder` that reads words; the graph ``characters`` embeds each word."""

    def forward(self, spelt: Tensor) -> Tensor:
        """Sentence vectors.

        Args:
            spelt: float32 [batch, dim], the sum of the words' vectors.

        Returns:
            float32 [batch, dim], of unit length or zeros.
        """
        return unit(spelt)


class TextModule(nn.Module):
    """A :class:`CharEncoder` that reads a text as a whole.

    Args:
        characters: The module of the network.
    """

    def __init__(self, characters: CharactersModule) -> None:
        super().__init__()
        self.characters = characters

    def forward(self, characters: Tensor, lengths: Tensor) -> Tensor:
        """Sentence vectors; see :meth:`CharactersModule.forward`."""
        return unit(self.characters(characters, lengths))
