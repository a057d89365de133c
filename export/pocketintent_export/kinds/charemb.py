"""The kind ``charemb``: a character network that reads a text as a whole or word by word."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding

from pocketintent.runtime.encoders.charemb.encoder import CharEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.graphs.inputs import GraphInputs
from pocketintent.runtime.text.characters import CharVocabulary
from pocketintent_export.formats import Format
from pocketintent_export.kinds.contract import KindExport
from pocketintent_export.kinds.recurrent import RecurrentReader
from pocketintent_export.layers.codes import Linear, WholeMatrix, coded, unknown_zero
from pocketintent_export.layers.similarities import unit
from pocketintent_export.layers.transformer import Norm, TransformerLayers, mean_inside

_MAX_LOG_LENGTH = 20.0
"""Limit of the logarithm of a vector's length, as in the runtime."""


class CharembExport(KindExport[CharEncoder]):
    """Characters of each word or of the whole text, and the graphs that read them."""

    def check(self, source: str, is_bot: bool = False) -> None:
        """Check that the network's weights are quantised."""
        if self.encoder.weights.format == "float32":
            raise PocketIntentError(
                f"{source}: the weights of the character network are float32, and an export "
                "contains int8 weights or codes; train the network with `pocketintent train "
                "charemb --weights int8`, or quantise it without training with quantise_charemb of "
                "pocketintent.compression.quantise"
            )

    def inputs(self, max_length: int | None = None, max_chars: int | None = None) -> GraphInputs:
        """The function from a text to the characters of each word, or of the whole text."""
        encoder = self.encoder
        limit = encoder.max_chars if max_chars is None else min(encoder.max_chars, max_chars)
        characters = CharVocabulary(encoder.vocabulary.characters, limit)
        spec = None if encoder.reads == "text" else encoder.tokenizer_spec
        return GraphInputs(spec, characters=characters)

    def modules(self, file_format: Format, max_chars: int | None) -> Mapping[str, nn.Module]:
        """The graph ``encoder`` and, if the encoder reads words, ``characters``."""
        characters = CharactersModule(self.encoder, file_format, max_chars)
        if self.encoder.reads == "text":
            return {"encoder": UnitModule(characters)}
        # The graph "characters" embeds each word, and the other one gets their sum.
        return {"encoder": UnitModule(nn.Identity()), "characters": characters}

    def limit_characters(self, max_chars: int) -> CharembExport:
        """The export of a copy with a limit; its weights, positions included, are the same."""
        return CharembExport(self.encoder.replace(max_chars=max_chars))


class UnitModule(nn.Module):
    """The vectors of another module, float32 [batch, dim], at unit length; zeros stay zeros."""

    def __init__(self, characters: nn.Module) -> None:
        super().__init__()
        self.characters = characters

    def forward(self, *inputs: Tensor) -> Tensor:
        """Unit vectors, or zeros; the inputs are those of the other module."""
        return unit(self.characters(*inputs))


class CharactersModule(nn.Module):
    """From the characters of words or texts to vectors that are not normalised.

    ``length`` is the number of characters that a TFLite graph takes, which reads one text; None for
    ONNX. A module for TFLite also runs in torch; one for ONNX with an LSTM or a GRU does not.
    """

    def __init__(self, encoder: CharEncoder, file_format: Format, length: int | None) -> None:
        super().__init__()
        assert (length is None) == (file_format == "onnx")
        network, weights = encoder.network, encoder.weights
        reads = TransformerReader if network.cell == "transformer" else RecurrentReader
        self.reader: nn.Module = reads(encoder, length)
        self.inner, self.outer = Linear(weights, "mlp.0"), Linear(weights, "mlp.1")
        self.dim, self.norm = network.dim, network.norm

    def forward(self, characters: Tensor, lengths: Tensor) -> Tensor:
        """Vectors, float32 [batch, dim]; zeros for texts of length 0.

        ``characters``, int32 [batch, length], is cut off at ``lengths``, int32 [batch].
        """
        states, zero = self.reader(characters, lengths)
        out = self.outer(torch.relu(self.inner(states, zero)), zero)
        factor = (lengths > 0).to(torch.float32).unsqueeze(1)
        if self.norm:
            log_lengths = torch.clamp(out[:, self.dim :], -_MAX_LOG_LENGTH, _MAX_LOG_LENGTH)
            factor = factor * torch.exp(log_lengths)
        return unit(out[:, : self.dim]) * factor


class TransformerReader(nn.Module):
    """The mean of a transformer's outputs over characters; see :class:`RecurrentReader`."""

    def __init__(self, encoder: CharEncoder, length: int | None) -> None:
        super().__init__()
        network, weights = encoder.network, encoder.weights
        self.length = length
        self.embedding = WholeMatrix([coded(weights, "embedding")])
        self.positions = WholeMatrix([coded(weights, "positions", slice(length))])
        self.layers = TransformerLayers(weights, "layers", network, "pre-norm relu")
        self.norm = Norm(weights, "norm")

    def forward(self, characters: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor | None]:
        """The means, float32 [batch, hidden], and a zero for :class:`WholeMatrix`, None for ONNX.

        ``characters`` is int32 [batch, length], ``lengths`` int32 [batch]; 0 is treated as 1.
        """
        zero = None if self.length is None else unknown_zero(lengths)
        positions = torch.arange(characters.shape[1], dtype=torch.int32)
        inside = positions < torch.clamp(lengths, 1, self.length).unsqueeze(1)
        numbers = torch.where(positions < lengths.unsqueeze(1), characters, 0).reshape(-1)
        x = embedding(numbers, self.embedding(zero)).reshape(*characters.shape, -1)
        x = x + self.positions(zero)[: characters.shape[1]]
        return mean_inside(self.norm(self.layers(x, inside, zero)), inside), zero
