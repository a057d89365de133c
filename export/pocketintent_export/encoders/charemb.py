"""The graphs of the kind ``charemb``, which reads whole texts or one word after the other."""

from __future__ import annotations

from torch import Tensor, nn

from pocketintent.runtime.encoders.charemb.encoder import CharEncoder
from pocketintent_export.encoders.characters import CharactersModule
from pocketintent_export.formats import Format
from pocketintent_export.layers.lengths import unit


def charemb_modules(
    encoder: CharEncoder, file_format: Format, max_chars: int | None
) -> dict[str, nn.Module]:
    """The graphs of an encoder; see :meth:`ModelEncoder.graph_modules`."""
    characters = CharactersModule(encoder, file_format, max_chars)
    if encoder.reads == "text":
        return {"encoder": TextModule(characters)}
    return {"encoder": SpeltModule(), "characters": characters}


class SpeltModule(nn.Module):
    """:class:`CharEncoder` that reads words: all of a text's words come spelt out."""

    def forward(self, spelt: Tensor) -> Tensor:
        """Sentence vectors, float32 [batch, dim], of the words' sums of equal shape."""
        return unit(spelt)


class TextModule(nn.Module):
    """:class:`CharEncoder` that reads a text as a whole.

    Args:
        characters: The module of its network.
    """

    def __init__(self, characters: CharactersModule) -> None:
        super().__init__()
        self.characters = characters

    def forward(self, characters: Tensor, lengths: Tensor) -> Tensor:
        """Sentence vectors; see :meth:`CharactersModule.forward`."""
        return unit(self.characters(characters, lengths))
