"""The recurrent layers of a TFLite graph: a loop over the characters of a text."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding

from pocketintent.runtime.encoders.charemb.encoder import CharEncoder
from pocketintent.runtime.encoders.recurrent import RecurrentNetwork
from pocketintent.runtime.encoders.weights import Weights
from pocketintent_export.kinds.recurrent.weights import LayerWeights
from pocketintent_export.layers.codes import WholeMatrix, coded, unknown_zero
from pocketintent_export.writers.loops import Values, repeat


class LoopReader(nn.Module):
    """The last states of an LSTM or a GRU, by a loop over the characters of one text.

    The product of the first layer's weights and its inputs is computed once for each character of
    the vocabulary. ``length`` is the number of characters of the input.
    """

    def __init__(self, encoder: CharEncoder, length: int) -> None:
        super().__init__()
        self.embedding = WholeMatrix([coded(encoder.weights, "embedding")])
        self.layers = LoopLayers(encoder.network, encoder.weights, length)
        self.length = length

    def forward(self, characters: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """The last states, float32 [1, state], zeros for an empty text; and an unknown zero.

        ``characters`` is int32 [1, length], ``lengths`` int32 [1]; what is beyond is cut off.
        """
        count = torch.clamp(lengths, 0, self.length)
        zero = unknown_zero(lengths)
        numbers = characters.reshape(-1, 1).to(torch.float32)  # exact, and a table for look-ups
        zero, last, _ = self.layers(self.embedding(zero), numbers, count, zero)
        return last.reshape(1, -1), zero


class LoopLayers(nn.Module):
    """An LSTM or a GRU, by a loop over the steps of one sequence, at most ``length``.

    Rounds are counted down to 1. Round ``n`` reads the inputs at position ``n - 1`` from the end
    (forward) and from the start (backward). With ``keeps_all`` the states after all steps of the
    last layer are results, too.
    """

    positions: Tensor

    def __init__(
        self, network: RecurrentNetwork, weights: Weights, length: int, *, keeps_all: bool = False
    ) -> None:
        super().__init__()
        self.is_forward, self.hidden = len(network.directions) == 1, network.hidden
        self.layers = _Layer.of_network(network, weights)
        self.keeps_all = keeps_all
        self.register_buffer("positions", torch.arange(length, dtype=torch.int32))

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


class _Layer(LayerWeights):
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
