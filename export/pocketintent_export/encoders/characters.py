"""The graph of a character network: from character numbers to the vector of a word or a text."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from pocketintent.runtime.encoders.charemb.encoder import CharEncoder
from pocketintent_export.encoders.recurrent.onnx import OnnxReader
from pocketintent_export.encoders.recurrent.tflite import LoopReader
from pocketintent_export.encoders.transformer import TransformerReader
from pocketintent_export.formats import Format
from pocketintent_export.layers.codes import WholeMatrix, coded
from pocketintent_export.layers.lengths import unit

_MAX_LOG_LENGTH = 20.0
"""Limit of the logarithm of a vector's length, as in the runtime."""


class CharactersModule(nn.Module):
    """:meth:`CharEncoder.embed_terms`, from characters to vectors that are not normalised.

    A module for ``"tflite"`` also runs in torch. A module for ``"onnx"`` with an LSTM or a GRU can
    only be exported.

    Args:
        encoder: The encoder; its weights are int8 or codes.
        file_format: The format of the graph.
        length: Number of characters that a TFLite graph takes, which reads one text; None for ONNX.
    """

    def __init__(self, encoder: CharEncoder, file_format: Format, length: int | None) -> None:
        super().__init__()
        assert (length is None) == (file_format == "onnx")
        network, weights = encoder.network, encoder.weights
        self.reader: nn.Module
        if network.cell == "transformer":
            self.reader = TransformerReader(encoder, length)
        else:
            self.reader = OnnxReader(encoder) if length is None else LoopReader(encoder, length)
        matrices = [WholeMatrix([coded(weights, f"mlp.{number}.weight")]) for number in (0, 1)]
        self.matrices = nn.ModuleList(matrices)
        for number in (0, 1):
            bias = weights.vectors[f"mlp.{number}.bias"]
            self.register_buffer(f"bias{number}", torch.from_numpy(bias.copy()))
        self.dim, self.norm = network.dim, network.norm

    def forward(self, characters: Tensor, lengths: Tensor) -> Tensor:
        """The vectors of words or texts.

        Args:
            characters: int32 [batch, length]; any numbers beyond the end of a text.
            lengths: int32 [batch], number of characters of each text.

        Returns:
            float32 [batch, dim]; zeros for texts of length 0.
        """
        states, zero = self.reader(characters, lengths)
        hidden = torch.relu(self._linear(0, states, zero))
        out = self._linear(1, hidden, zero)
        factor = (lengths > 0).to(torch.float32).unsqueeze(1)
        if self.norm:
            log_lengths = torch.clamp(out[:, self.dim :], -_MAX_LOG_LENGTH, _MAX_LOG_LENGTH)
            factor = factor * torch.exp(log_lengths)
        return unit(out[:, : self.dim]) * factor

    def _linear(self, number: int, x: Tensor, zero: Tensor | None) -> Tensor:
        weight = self.matrices[number](zero)
        return torch.matmul(x, weight.t()) + self.get_buffer(f"bias{number}")
