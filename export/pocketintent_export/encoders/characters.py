"""The graph that reads characters: from their numbers to the vector of a word or a text."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from pocketintent.runtime.encoders.charemb.encoder import CharEncoder
from pocketintent_export.encoders.recurrent import LoopReader, OnnxReader
from pocketintent_export.encoders.transformer import TransformerReader
from pocketintent_export.formats import Format
from pocketintent_export.layers.codes import WholeMatrix, coded
from pocketintent_export.layers.lengths import unit

_LONGEST = 20.0  # logarithm of a vector's length, as in the runtime


class CharactersModule(nn.Module):
    """:meth:`CharEncoder.embed_terms`, from characters to vectors that are not normalised.

    Args:
        encoder: The encoder; its weights are int8 or codes.
        file_format: The format of the graph; only an ``"onnx"`` graph can compute an LSTM or a
            GRU of it, ``"tflite"`` modules run in torch too.
        length: Characters of the input of a TFLite graph, which reads one text; None for ONNX.
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
        """The vectors.

        Args:
            characters: int32 [batch, length]; past the end of a text any numbers.
            lengths: int32 [batch], characters of each text.

        Returns:
            float32 [batch, dim]; zeros where the length is 0.
        """
        states, zero = self.reader(characters, lengths)
        middle = torch.relu(self._linear(0, states, zero))
        out = self._linear(1, middle, zero)
        factor = (lengths > 0).to(torch.float32).unsqueeze(1)
        if self.norm:
            factor = factor * torch.exp(torch.clamp(out[:, self.dim :], -_LONGEST, _LONGEST))
        return unit(out[:, : self.dim]) * factor

    def _linear(self, number: int, x: Tensor, zero: Tensor | None) -> Tensor:
        weight = self.matrices[number](zero)
        return torch.matmul(x, weight.t()) + self.get_buffer(f"bias{number}")
