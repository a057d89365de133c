"""The LSTM and the GRU as torch modules: ONNX's own operators, or a loop in a TFLite graph."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import embedding

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.charemb.encoder import CharEncoder
from pocketintent.runtime.encoders.recurrent import GATES, RecurrentNetwork
from pocketintent.runtime.encoders.weights import Weights
from pocketintent_export.layers.codes import WholeMatrix, coded, unknown_zero
from pocketintent_export.loops import Values, repeat


class RecurrentReader(nn.Module):
    """The last states of an LSTM or a GRU over the characters of a text.

    ``length`` is the number of characters that a TFLite graph takes, which reads one text; None
    for ONNX. In torch, a module for ONNX gives zeros.
    """

    def __init__(self, encoder: CharEncoder, length: int | None) -> None:
        super().__init__()
        network, weights = encoder.network, encoder.weights
        self.embedding = WholeMatrix([coded(weights, "embedding")])
        self.layers = (
            OnnxLayers(network, weights) if length is None else LoopLayers(network, weights, length)
        )
        self.length = length

    def forward(self, characters: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor | None]:
        """The last states of all directions, side by side, float32 [batch, state].

        ``characters``, int32 [batch, length], is cut off at ``lengths``, int32 [batch]. The states
        of a text of length 0 are any. Also returns an unknown zero, None for ONNX.
        """
        batch, length = characters.shape
        if self.length is None:
            inside = torch.arange(length, dtype=torch.int32) < lengths.unsqueeze(1)
            numbers = torch.where(inside, characters, 0)
            _, last = self.layers(embedding(numbers.t(), self.embedding(None)), lengths)
            return last.transpose(0, 1).reshape(batch, -1), None
        count = torch.clamp(lengths, 0, self.length)
        zero = unknown_zero(lengths)
        # The first layer's inputs are projected once for each character of the vocabulary.
        numbers = characters.reshape(-1, 1).to(torch.float32)  # exact, and a table for look-ups
        zero, last, _ = self.layers(self.embedding(zero), numbers, count, zero)
        return last.reshape(1, -1), zero


class _Layer(nn.Module):
    """The weights of a layer, one direction after the other."""

    gate_order: ClassVar[dict[str, tuple[int, ...]]]
    """The numbers of the model's gates in the order of the module, by cell."""

    def __init__(self, network: RecurrentNetwork, weights: Weights, number: int) -> None:
        super().__init__()
        self.network = network
        prefixes = [f"layers.{number}.{direction}" for direction in network.directions]
        gates = self.gate_order[network.cell]
        order = np.arange(len(gates) * network.hidden).reshape(len(gates), -1)[list(gates)].ravel()

        def matrix(name: str) -> WholeMatrix:
            return WholeMatrix([coded(weights, f"{prefix}.{name}", order) for prefix in prefixes])

        def vector(name: str) -> FloatArray:
            return np.stack([weights.vectors[f"{prefix}.{name}"] for prefix in prefixes])

        self.inputs, self.recurrent = matrix("input"), matrix("recurrent")
        self.bias = nn.Buffer(torch.from_numpy(vector("bias")[:, order]))
        if network.cell == "gru":
            self.recurrent_bias = nn.Buffer(torch.from_numpy(vector("recurrent_bias")))

    @classmethod
    def of_network(cls, network: RecurrentNetwork, weights: Weights) -> Any:
        """All layers of a network, in a ``ModuleList``."""
        return nn.ModuleList(cls(network, weights, number) for number in range(network.layers))


class OnnxLayers(nn.Module):
    """ONNX's own LSTM or GRU, which takes the lengths of the sequences as an input."""

    def __init__(self, network: RecurrentNetwork, weights: Weights) -> None:
        super().__init__()
        self.layers = _OnnxLayer.of_network(network, weights)

    def forward(self, x: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """The states of the last layer after all steps, and the last ones; zeros in torch.

        They are float32 [length, batch, state], zeros beyond the end of a sequence, and float32
        [directions, batch, hidden], from ``x``, float32 [length, batch, size], and ``lengths``,
        int32 [batch], of which 0 is treated as 1.
        """
        length, batch, _ = x.shape
        lengths = torch.clamp(lengths, min=1)
        last = x
        for layer in self.layers:
            states, last = layer.run(x, lengths)
            x = states.transpose(1, 2).reshape(length, batch, -1)
        return x, last


class _OnnxLayer(_Layer):
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


class LoopLayers(nn.Module):
    """An LSTM or a GRU, by a loop over the steps of one sequence, at most ``length``.

    Rounds are counted down to 1. Round ``n`` reads the inputs at position ``n - 1`` from the end
    (forward) and from the start (backward). With ``keeps_all`` the states after all steps of the
    last layer are results, too.
    """

    def __init__(
        self, network: RecurrentNetwork, weights: Weights, length: int, *, keeps_all: bool = False
    ) -> None:
        super().__init__()
        self.is_forward, self.hidden = len(network.directions) == 1, network.hidden
        self.layers = _LoopLayer.of_network(network, weights)
        self.keeps_all = keeps_all
        self.positions = nn.Buffer(torch.arange(length, dtype=torch.int32))

    def forward(
        self, inputs: Tensor, numbers: Tensor | None, count: Tensor, zero: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """The states of the last layer.

        Args:
            inputs: A table of inputs, float32 [num_inputs, size].
            numbers: The input of each step, as whole numbers, float32 [steps, 1]; None if the
                table has one input for each step.
            count: Number of steps that are run, int32 [1].
            zero: See :func:`unknown_zero`.

        Returns:
            A new zero; the last states, float32 [directions, 1, hidden]; and with ``keeps_all``
            the states after all steps, float32 [steps, state], otherwise the last states again.
        """
        positions = self.positions[: len(inputs if numbers is None else numbers)]
        reversed_positions = torch.clamp(count - 1 - positions, min=0)
        last = x = inputs
        for number, layer in enumerate(self.layers):
            table = layer.project(x, zero)
            if number or numbers is None:
                rows = self._rows(reversed_positions.unsqueeze(1), positions.unsqueeze(1))
            else:
                rows = self._rows(embedding(reversed_positions, numbers), numbers)
            keeps_all = self.keeps_all or number + 1 < len(self.layers)
            zero, last, x = layer.run(count, rows, table, zero, positions if keeps_all else None)
            if keeps_all:  # the rounds of the forward direction count from the end
                forward = embedding(reversed_positions, x[:, : self.hidden].contiguous())
                x = forward if self.is_forward else torch.cat([forward, x[:, self.hidden :]], dim=1)
        return zero, last, x

    def _rows(self, forward: Tensor, backward: Tensor) -> Tensor:
        """The rows of the table that each round reads, float32 [length, directions]."""
        if self.is_forward:
            return forward.to(torch.float32)
        return torch.cat([forward * 2, backward * 2 + 1], dim=1).to(torch.float32)


class _LoopLayer(_Layer):
    """The rounds of one layer; gates with a logistic function come first."""

    gate_order: ClassVar = {"lstm": (0, 1, 3, 2), "gru": (0, 1, 2)}

    def project(self, x: Tensor, zero: Tensor) -> Tensor:
        """The inputs' share of the gates, one row for each input and direction."""
        projected = torch.matmul(x, self.inputs(zero).t()) + self.bias.reshape(-1)
        return projected.reshape(-1, self.bias.shape[1])

    def run(
        self, count: Tensor, rows: Tensor, table: Tensor, zero: Tensor, positions: Tensor | None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Run ``count`` rounds; the results are those of :meth:`LoopLayers.forward`.

        ``rows`` has the rows of ``table``, the result of :meth:`project`, that each round reads.
        ``positions``, int32 [length], are those of the input if all states are kept.
        """
        directions, hidden = len(self.network.directions), self.network.hidden
        recurrent = self.recurrent(zero).reshape(directions, -1, hidden)
        float_zero = zero.to(torch.float32)
        state = torch.zeros(directions, 1, hidden) + float_zero
        states: Values = (state, state) if self.network.cell == "lstm" else (state,)
        if positions is not None:
            states += (torch.zeros(len(positions), directions * hidden) + float_zero,)
        step = partial(self._step, positions)
        left, *values = repeat(step, (count, *states), (rows, table, recurrent))
        last = self._state(values)
        all_states = last if positions is None else _record(positions, left, last, values[-1])
        return unknown_zero(left), last, all_states

    def _step(self, positions: Tensor | None, *values: Tensor) -> Values:
        """One round, which records the state before it; :meth:`run` records the last state."""
        left, *states, rows, table, recurrent = values
        state = self._state(states)
        history: Values = ()
        if positions is not None:
            history = (_record(positions, left, state, states.pop()),)
        position = left - 1
        numbers = embedding(position, rows).reshape(-1).to(torch.int32)
        gates = embedding(numbers, table).unsqueeze(1)
        product = torch.matmul(state, recurrent.transpose(1, 2))
        if self.network.cell == "lstm":
            return position, *self._lstm(gates + product, states[1]), *history
        return position, self._gru(gates, product, state), *history

    def _state(self, states: list[Tensor]) -> Tensor:
        """The state; an LSTM carries its output gate and memory instead, so that both are read."""
        return states[0] * torch.tanh(states[1]) if self.network.cell == "lstm" else states[0]

    def _lstm(self, gates: Tensor, memory: Tensor) -> Values:
        hidden = self.network.hidden
        logistic = torch.sigmoid(gates[:, :, : 3 * hidden])
        write, keep, out = torch.chunk(logistic, 3, -1)
        return out, keep * memory + write * torch.tanh(gates[:, :, 3 * hidden :])

    def _gru(self, gates: Tensor, product: Tensor, state: Tensor) -> Tensor:
        hidden = self.network.hidden
        logistic = torch.sigmoid(gates[:, :, : 2 * hidden] + product[:, :, : 2 * hidden])
        reset, keep = torch.chunk(logistic, 2, -1)
        bias = self.recurrent_bias.unsqueeze(1)
        new = torch.tanh(gates[:, :, 2 * hidden :] + reset * (product[:, :, 2 * hidden :] + bias))
        result: Tensor = new + keep * (state - new)
        return result


def _record(positions: Tensor, left: Tensor, state: Tensor, history: Tensor) -> Tensor:
    """Write the state into the row ``left`` of the history, if there is such a row."""
    is_row = (positions == left).unsqueeze(1)
    return torch.where(is_row, state.reshape(1, -1), history)
