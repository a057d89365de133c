"""The LSTM and the GRU of a character network as torch modules, one for each file format."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import embedding

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.charemb.encoder import CharEncoder
from pocketintent.runtime.encoders.charemb.network import GATES, CharNetwork
from pocketintent_export.layers.codes import WholeMatrix, coded, reordered, unknown_zero
from pocketintent_export.writers.loops import Values, repeat

ONNX_GATES = {"lstm": (0, 3, 1, 2), "gru": (1, 0, 2)}
"""The model's gates in the order of ONNX: input, output, forget, cell; update, reset, new."""

LOOP_GATES = {"lstm": (0, 1, 3, 2), "gru": (0, 1, 2)}
"""The order of a step: those with a logistic function first."""


class LayerWeights(nn.Module):
    """The weights of one recurrent layer, a direction after the other.

    Args:
        encoder: The encoder.
        number: Of the layer.
        gates: The gates in the order that is wanted.
    """

    bias: Tensor
    recurrent_bias: Tensor

    def __init__(self, encoder: CharEncoder, number: int, gates: tuple[int, ...]) -> None:
        super().__init__()
        network, weights = encoder.network, encoder.weights
        prefixes = [f"layers.{number}.{direction}" for direction in network.directions]
        order = np.arange(len(gates) * network.hidden).reshape(len(gates), -1)[list(gates)].ravel()

        def matrix(name: str) -> WholeMatrix:
            found = [coded(weights, f"{prefix}.{name}") for prefix in prefixes]
            return WholeMatrix([reordered(part, order) for part in found])

        def vector(name: str) -> FloatArray:
            return np.stack([weights.vectors[f"{prefix}.{name}"] for prefix in prefixes])

        self.inputs, self.recurrent = matrix("input"), matrix("recurrent")
        self.register_buffer("bias", torch.from_numpy(vector("bias")[:, order]))
        if network.cell == "gru":
            self.register_buffer("recurrent_bias", torch.from_numpy(vector("recurrent_bias")))


class OnnxReader(nn.Module):
    """Last states by ONNX's own LSTM and GRU, which know the lengths of texts.

    Args:
        encoder: The encoder; its weights are coded.
    """

    def __init__(self, encoder: CharEncoder) -> None:
        super().__init__()
        self.network = encoder.network
        gates = ONNX_GATES[self.network.cell]
        self.embedding = WholeMatrix([coded(encoder.weights, "embedding")])
        layers = [LayerWeights(encoder, number, gates) for number in range(self.network.layers)]
        self.layers: Any = nn.ModuleList(layers)

    def forward(self, characters: Tensor, lengths: Tensor) -> tuple[Tensor, None]:
        """The last states of each direction, side by side; only a graph computes them.

        Args:
            characters: int32 [batch, length].
            lengths: int32 [batch], at most ``length``; 0 is taken as 1.

        Returns:
            float32 [batch, state], and no zero.
        """
        batch, length = characters.shape
        inside = torch.arange(length, dtype=torch.int32) < lengths.unsqueeze(1)
        numbers = torch.where(inside, characters, 0)
        lengths = torch.clamp(lengths, min=1)
        x = embedding(numbers.t(), self.embedding(None))
        last = x
        for layer in self.layers:
            states, last = self._run(layer, x, lengths)
            x = states.transpose(1, 2).reshape(length, batch, -1)
        return last.transpose(0, 1).reshape(batch, -1), None

    def _run(self, layer: LayerWeights, x: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """All states [length, directions, batch, hidden], and the last ones."""
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
            parts = torch.zeros(directions, rows - hidden), layer.recurrent_bias
            recurrent_bias = torch.cat(parts, dim=1)
        inputs = (
            x,
            layer.inputs(None).reshape(directions, rows, -1),
            layer.recurrent(None).reshape(directions, rows, -1),
            torch.cat([layer.bias, recurrent_bias], dim=1),
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


class LoopReader(nn.Module):
    """Last states by a loop over the characters of one text, from the last one to the first.

    What the first layer makes of a character is computed once for each character of the
    vocabulary, as in :class:`RecurrentReader`. Round ``n``
    reads the characters of place ``n - 1`` from either end, one for each direction.

    Args:
        encoder: The encoder; its weights are coded.
        length: Characters of the input.
    """

    places: Tensor
    directions: Tensor

    def __init__(self, encoder: CharEncoder, length: int) -> None:
        super().__init__()
        self.network = encoder.network
        gates = LOOP_GATES[self.network.cell]
        self.embedding = WholeMatrix([coded(encoder.weights, "embedding")])
        layers = [LayerWeights(encoder, number, gates) for number in range(self.network.layers)]
        self.layers: Any = nn.ModuleList(layers)
        self.length = length
        self.register_buffer("places", torch.arange(length, dtype=torch.int32))

    def forward(self, characters: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """The last states of each direction, side by side.

        Args:
            characters: int32 [1, length].
            lengths: int32 [1]; what is beyond ``length`` is cut off.

        Returns:
            float32 [1, state], zeros when the text is empty; and a zero that the loop gives.
        """
        count = torch.clamp(lengths, 0, self.length)
        flipped = torch.clamp(count - 1 - self.places, min=0)
        zero = unknown_zero(lengths)
        numbers = characters.reshape(-1, 1).to(torch.float32)  # exact, and can be looked up
        table = self._project(self.layers[0], self.embedding(zero), zero)
        rows = self._rows(embedding(flipped, numbers), numbers)
        last = x = numbers
        for number, layer in enumerate(self.layers):
            if number:
                table = self._project(layer, x, zero)
                rows = self._rows(flipped.unsqueeze(1), self.places.unsqueeze(1))
            loop = _Loop(self.network, layer, self.places, number + 1 < self.network.layers)
            zero, last, x = loop.run(count, rows, table, zero)
            if number + 1 < self.network.layers:
                x = self._in_order(x, flipped)
        return last.reshape(1, -1), zero

    def _project(self, layer: LayerWeights, x: Tensor, zero: Tensor) -> Tensor:
        """What a layer makes of inputs alone, a row for each input and direction."""
        projected = torch.matmul(x, layer.inputs(zero).t()) + layer.bias.reshape(-1)
        return projected.reshape(-1, layer.bias.shape[1])

    def _in_order(self, states: Tensor, flipped: Tensor) -> Tensor:
        """The states of all rounds in the order of the text, float32 [length, state]."""
        hidden = self.network.hidden
        forward = embedding(flipped, states[:, :hidden].contiguous())
        if len(self.network.directions) == 1:
            return forward
        return torch.cat([forward, states[:, hidden:]], dim=1)

    def _rows(self, forward: Tensor, backward: Tensor) -> Tensor:
        """The rows of the table that a round reads, float32 [length, directions]."""
        if len(self.network.directions) == 1:
            return forward.to(torch.float32)
        both = torch.cat([forward * 2, backward * 2 + 1], dim=1)
        return both.to(torch.float32)


class _Loop:
    """The rounds of one layer."""

    def __init__(
        self, network: CharNetwork, layer: LayerWeights, places: Tensor, keeps_all: bool
    ) -> None:
        self.network, self.layer, self.places = network, layer, places
        self.keeps_all = keeps_all
        self.num_directions = len(network.directions)

    def run(
        self, count: Tensor, rows: Tensor, table: Tensor, zero: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """A zero, the last states, and those after each round if they are wanted.

        A round notes the state that it is given; the last one is noted behind the loop.
        """
        recurrent = self.layer.recurrent(zero)
        recurrent = recurrent.reshape(self.num_directions, -1, self.network.hidden)
        nothing = zero.to(torch.float32)
        state = torch.zeros(self.num_directions, 1, self.network.hidden) + nothing
        states = (state, state) if self.network.cell == "lstm" else (state,)
        noted: Values = ()
        if self.keeps_all:
            width = self.num_directions * self.network.hidden
            noted = (torch.zeros(len(self.places), width) + nothing,)
        left, *values = repeat(self._step, (count, *states, *noted), (rows, table, recurrent))
        last = self._state(values)
        every = self._note(left, last, values[-1]) if self.keeps_all else last
        return unknown_zero(left), last, every

    def _step(self, *values: Tensor) -> Values:
        left, *states, rows, table, recurrent = values
        state = self._state(states)
        noted: Values = ()
        if self.keeps_all:
            noted = (self._note(left, state, states.pop()),)
        place = left - 1
        numbers = embedding(place, rows).reshape(-1).to(torch.int32)
        gates = embedding(numbers, table).unsqueeze(1)
        product = torch.matmul(state, recurrent.transpose(1, 2))
        if self.network.cell == "lstm":
            return place, *self._lstm(gates + product, states[1]), *noted
        return place, self._gru(gates, product, state), *noted

    def _state(self, states: Values | list[Tensor]) -> Tensor:
        """The state; an LSTM's comes as output gate and memory, so that both are read."""
        if self.network.cell == "lstm":
            return states[0] * torch.tanh(states[1])
        return states[0]

    def _note(self, left: Tensor, state: Tensor, noted: Tensor) -> Tensor:
        here = (self.places == left).unsqueeze(1)
        return torch.where(here, state.reshape(1, -1), noted)

    def _lstm(self, gates: Tensor, memory: Tensor) -> Values:
        hidden = self.network.hidden
        keys = torch.sigmoid(gates[:, :, : 3 * hidden])
        write, keep, out = torch.chunk(keys, 3, -1)
        return out, keep * memory + write * torch.tanh(gates[:, :, 3 * hidden :])

    def _gru(self, gates: Tensor, product: Tensor, state: Tensor) -> Tensor:
        hidden = self.network.hidden
        keys = torch.sigmoid(gates[:, :, : 2 * hidden] + product[:, :, : 2 * hidden])
        reset, keep = torch.chunk(keys, 2, -1)
        bias = self.layer.recurrent_bias.unsqueeze(1)
        new = torch.tanh(gates[:, :, 2 * hidden :] + reset * (product[:, :, 2 * hidden :] + bias))
        after: Tensor = new + keep * (state - new)
        return after
