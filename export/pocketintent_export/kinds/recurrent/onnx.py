"""The recurrent layers of an ONNX graph: ONNX's own LSTM and GRU."""

from __future__ import annotations

from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding

from pocketintent.runtime.encoders.charemb.encoder import CharEncoder
from pocketintent.runtime.encoders.recurrent import GATES, RecurrentNetwork
from pocketintent.runtime.encoders.weights import Weights
from pocketintent_export.kinds.recurrent.weights import LayerWeights
from pocketintent_export.layers.codes import WholeMatrix, coded


class OnnxReader(nn.Module):
    """The last states of ONNX's LSTM or GRU over the characters of a text."""

    def __init__(self, encoder: CharEncoder) -> None:
        super().__init__()
        self.embedding = WholeMatrix([coded(encoder.weights, "embedding")])
        self.layers = OnnxLayers(encoder.network, encoder.weights)

    def forward(self, characters: Tensor, lengths: Tensor) -> tuple[Tensor, None]:
        """The last states of all directions, side by side, float32 [batch, state]; and None.

        Only an ONNX graph computes them; in torch they are zeros. ``characters`` is int32 [batch,
        length], ``lengths`` int32 [batch]; 0 is treated as 1.
        """
        batch, length = characters.shape
        inside = torch.arange(length, dtype=torch.int32) < lengths.unsqueeze(1)
        numbers = torch.where(inside, characters, 0)
        x = embedding(numbers.t(), self.embedding(None))
        _, last = self.layers(x, lengths)
        return last.transpose(0, 1).reshape(batch, -1), None


class OnnxLayers(nn.Module):
    """ONNX's own LSTM or GRU, which takes the lengths of the sequences as an input."""

    def __init__(self, network: RecurrentNetwork, weights: Weights) -> None:
        super().__init__()
        self.layers = _Layer.of_network(network, weights)

    def forward(self, x: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """The states of the last layer; zeros in torch.

        ``x`` is float32 [length, batch, size], ``lengths`` int32 [batch]; 0 is treated as 1.

        Returns:
            The states after all steps, float32 [length, batch, state], zeros beyond the end of a
            sequence; and the last states, float32 [directions, batch, hidden].
        """
        length, batch, _ = x.shape
        lengths = torch.clamp(lengths, min=1)
        last = x
        for layer in self.layers:
            states, last = layer.run(x, lengths)
            x = states.transpose(1, 2).reshape(length, batch, -1)
        return x, last


class _Layer(LayerWeights):
    """A layer; ONNX orders the gates input, output, forget, cell, or update, reset, new."""

    gate_order: ClassVar = {"lstm": (0, 3, 1, 2), "gru": (1, 0, 2)}

    def run(self, x: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """The states of all steps, [length, directions, batch, hidden], and the last states."""
        network = self.network
        length, batch, _ = x.shape
        directions, hidden = len(network.directions), network.hidden
        rows = GATES[network.cell] * hidden
        recurrent_bias = torch.zeros(directions, rows)
        attributes: dict[str, Any] = {
            "hidden_size": hidden,
            "direction": "bidirectional" if directions == 2 else "forward",
        }
        if network.cell == "gru":
            attributes["linear_before_reset"] = 1
            parts = torch.zeros(directions, rows - hidden), self.recurrent_bias
            recurrent_bias = torch.cat(parts, dim=1)
        inputs = (
            x,
            self.inputs(None).reshape(directions, rows, -1),
            self.recurrent(None).reshape(directions, rows, -1),
            torch.cat([self.bias, recurrent_bias], dim=1),
            lengths,
        )
        states, last = torch.onnx.ops.symbolic_multi_out(
            network.cell.upper(),
            inputs,
            attributes,
            dtypes=(torch.float32, torch.float32),
            shapes=((length, directions, batch, hidden), (directions, batch, hidden)),
            version=14,
        )
        return states, last
