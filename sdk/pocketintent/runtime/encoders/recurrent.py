"""The LSTM and the GRU in numpy: sequences of any lengths, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from pocketintent.runtime.arrays import FloatArray, IndexArray
from pocketintent.runtime.encoders.weights import Parameters, Shapes

GATES = {"lstm": 4, "gru": 3}
"""Number of gates: input, forget, cell, output of an LSTM; reset, update, new of a GRU."""

_WIDE = 256
"""From this size of the state on, a layer is wide; see :attr:`Layer.wide`."""


class RecurrentNetwork(Protocol):
    """The settings of recurrent layers."""

    @property
    def cell(self) -> str:
        """``"lstm"`` or ``"gru"``."""

    @property
    def hidden(self) -> int:
        """Size of the state of one direction."""

    @property
    def layers(self) -> int:
        """Number of stacked layers."""

    @property
    def directions(self) -> tuple[str, ...]:
        """The directions, as the parameters' names contain them."""


def recurrent_shapes(network: RecurrentNetwork, inputs: int) -> Shapes:
    """Names and shapes of the parameters of layers of which the first has ``inputs`` inputs."""
    rows = GATES[network.cell] * network.hidden
    shapes: Shapes = {}
    for layer in range(network.layers):
        for direction in network.directions:
            prefix = f"layers.{layer}.{direction}"
            shapes[f"{prefix}.input"] = (rows, inputs)
            shapes[f"{prefix}.recurrent"] = (rows, network.hidden)
            shapes[f"{prefix}.bias"] = (rows,)
            if network.cell == "gru":  # the recurrent part of the new state has a second bias
                shapes[f"{prefix}.recurrent_bias"] = (network.hidden,)
        inputs = network.hidden * len(network.directions)
    return shapes


class RecurrentReader:
    """An LSTM or a GRU that is ready to read sequences.

    The states of all texts and directions are one array, so that a step needs one matrix product.
    The product of a layer's weights and its inputs is computed before the steps; in the first layer
    by :meth:`project`, once for each different input. ``parameters`` are those of
    :func:`recurrent_shapes`.
    """

    def __init__(self, network: RecurrentNetwork, parameters: Parameters) -> None:
        self._hidden, self._directions = network.hidden, len(network.directions)
        self._layers = [_make_layer(network, parameters, n) for n in range(network.layers)]

    def project(self, inputs: FloatArray) -> FloatArray:
        """The share of inputs, float32 ``[num_inputs, size]``, in the gates of the first layer.

        It is float32 ``[num_inputs * directions, gates * hidden]``, the table of other methods.
        """
        return self._layers[0].project(inputs)

    def last_states(self, table: FloatArray, texts: Sequence[Sequence[int]]) -> FloatArray:
        """The last states of all directions, float32 ``[num_texts, directions * hidden]``.

        Args:
            table: The inputs, see :meth:`project`.
            texts: Numbers of the inputs of each text; no text may be empty.
        """
        order = longest_first(texts)
        states, _ = self.read(table, [texts[number] for number in order])
        result = np.empty((len(texts), states.shape[0] * states.shape[2]), np.float32)
        result[order] = states.transpose(1, 0, 2).reshape(len(texts), -1)
        return result

    def read(
        self, table: FloatArray, texts: Sequence[Sequence[int]], *, keep_all: bool = False
    ) -> tuple[FloatArray, FloatArray | None]:
        """Run all layers over texts, the longest first; see :meth:`last_states`.

        Returns:
            The last states, ``[directions, num_texts, hidden]``; and the states after all steps of
            the last layer, ``[num_inputs * directions, hidden]``, None without ``keep_all``.
        """
        numbers = np.concatenate(texts).astype(np.intp)
        steps = self._steps(np.array([len(text) for text in texts]))
        directions = np.arange(self._directions)[:, None]
        rows = [numbers[step] * self._directions + directions for step in steps]
        output_rows = [step * self._directions + directions for step in steps]
        outputs = None
        for number, layer in enumerate(self._layers):
            if number:
                assert outputs is not None
                table, rows = layer.project(outputs), output_rows
            outputs = None
            if keep_all or layer is not self._layers[-1]:
                outputs = np.empty((len(numbers) * self._directions, self._hidden), np.float32)
            states = layer.run(table, rows, outputs, output_rows)
        return states, outputs

    def _steps(self, lengths: IndexArray) -> list[IndexArray]:
        """The positions in the concatenated texts that each step reads, ``[directions, active]``.

        The active texts, which have not ended yet, are the first ones, since they are the longest.
        """
        starts = np.cumsum(lengths) - lengths
        steps = []
        for step in range(int(lengths[0])):
            active = int(np.searchsorted(-lengths, -step))
            forward = starts[:active] + step
            backward = starts[:active] + lengths[:active] - 1 - step
            steps.append(np.stack([forward, backward][: self._directions]))
        return steps


@dataclass(frozen=True, eq=False)
class Layer:
    """The weights of a recurrent layer, with its directions side by side."""

    inputs: FloatArray
    """``[inputs, directions * gates * hidden]``."""
    bias: FloatArray
    """``[directions * gates * hidden]``."""
    recurrent: FloatArray
    """``[directions, hidden, gates * hidden]``; in a wide layer the last two axes are swapped."""
    recurrent_bias: FloatArray | None
    """``[directions, 1, hidden]`` for a GRU, None for an LSTM."""
    hidden: int
    """Size of the state of one direction."""
    wide: bool
    """Whether the states are the right factor of the product. BLAS is then two to three times
    faster for two texts or more; up to a million multiplications in a step it has fast code for
    states as the left factor."""

    def project(self, inputs: FloatArray) -> FloatArray:
        """The inputs' share of the gates, one row for each position and direction."""
        projected = inputs.reshape(-1, len(self.inputs)) @ self.inputs
        projected += self.bias
        gates = GATES["lstm" if self.recurrent_bias is None else "gru"]
        rows: FloatArray = projected.reshape(-1, gates * self.hidden)
        return rows

    def run(
        self,
        table: FloatArray,
        rows: Sequence[IndexArray],
        outputs: FloatArray | None,
        output_rows: Sequence[IndexArray],
    ) -> FloatArray:
        """Run all steps, and return the last states, ``[directions, num_texts, hidden]``.

        Each step reads ``rows`` of the ``table`` that :meth:`project` returned, ``[directions,
        active]``, and writes ``output_rows`` of ``outputs``, the states after all steps, if given.
        """
        shape = (*rows[0].shape, self.hidden)
        state, memory = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
        for step, row in enumerate(rows):
            active = row.shape[1]
            current = state[:, :active]
            if self.wide:
                product = np.matmul(self.recurrent, current.transpose(0, 2, 1)).transpose(0, 2, 1)
            else:
                product = np.matmul(current, self.recurrent)
            gates = table.take(row, axis=0)
            if self.recurrent_bias is None:
                _lstm_step(gates, product, current, memory[:, :active])
            else:
                _gru_step(gates, product, current, self.recurrent_bias)
            if outputs is not None:
                outputs[output_rows[step]] = current
        return state


def longest_first(texts: Sequence[Sequence[int]]) -> list[int]:
    """The numbers of the texts in the order that :meth:`RecurrentReader.read` needs."""
    return sorted(range(len(texts)), key=lambda number: -len(texts[number]))


def _lstm_step(
    gates: FloatArray, recurrent: FloatArray, state: FloatArray, memory: FloatArray
) -> None:
    """Run a step of an LSTM (Hochreiter and Schmidhuber 1997) in place.

    The order of the gates is input, forget, output, cell. The first three are halved, so that one
    call of tanh serves all four: the logistic function of x is (1 + tanh(x / 2)) / 2.
    """
    gates += recurrent
    np.tanh(gates, out=gates)
    hidden = state.shape[2]
    logistic = gates[:, :, : 3 * hidden]
    logistic += 1.0
    logistic *= 0.5
    memory *= gates[:, :, hidden : 2 * hidden]
    memory += gates[:, :, :hidden] * gates[:, :, 3 * hidden :]
    np.tanh(memory, out=state)
    state *= gates[:, :, 2 * hidden : 3 * hidden]


def _gru_step(
    gates: FloatArray, recurrent: FloatArray, state: FloatArray, recurrent_bias: FloatArray
) -> None:
    """Run a step of a GRU (Cho et al. 2014, with the reset after the product) in place.

    The order of the gates is reset, update, new. The first two are halved, as in the LSTM.
    """
    hidden = state.shape[2]
    logistic = gates[:, :, : 2 * hidden]
    logistic += recurrent[:, :, : 2 * hidden]
    np.tanh(logistic, out=logistic)
    logistic += 1.0
    logistic *= 0.5
    new = recurrent[:, :, 2 * hidden :]
    new += recurrent_bias
    new *= gates[:, :, :hidden]
    new += gates[:, :, 2 * hidden :]
    np.tanh(new, out=new)
    state -= new
    state *= gates[:, :, hidden : 2 * hidden]
    state += new


def _make_layer(network: RecurrentNetwork, parameters: Parameters, number: int) -> Layer:
    """The weights of a layer, with the gates in the order of the steps."""
    blocks: IndexArray = np.arange(GATES[network.cell] * network.hidden)
    blocks = blocks.reshape(-1, network.hidden)
    if network.cell == "lstm":
        blocks = blocks[[0, 1, 3, 2]]
    order = blocks.reshape(-1)
    halves = np.full(blocks.shape, 0.5, np.float32)
    halves[-1] = 1.0
    scale = halves.reshape(-1)
    prefixes = [f"layers.{number}.{direction}" for direction in network.directions]

    def get(name: str) -> list[FloatArray]:
        return [parameters[f"{p}.{name}"][order] * scale[:, None] for p in prefixes]

    biases = [parameters[f"{p}.bias"][order] * scale for p in prefixes]
    recurrent_bias = None
    if network.cell == "gru":
        recurrent_bias = np.stack([parameters[f"{p}.recurrent_bias"] for p in prefixes])[:, None]
    recurrent = np.stack(get("recurrent"))
    wide = network.hidden >= _WIDE
    return Layer(
        np.ascontiguousarray(np.concatenate(get("input")).T),
        np.concatenate(biases),
        recurrent if wide else np.ascontiguousarray(recurrent.transpose(0, 2, 1)),
        recurrent_bias,
        network.hidden,
        wide,
    )
