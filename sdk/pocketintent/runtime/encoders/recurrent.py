"""The LSTM and the GRU in numpy: sequences of any lengths, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from pocketintent.runtime.arrays import FloatArray, IndexArray
from pocketintent.runtime.encoders.weights import Parameters, Shapes

GATES = {"lstm": 4, "gru": 3}
"""Number of gates: input, forget, cell, output of an LSTM; reset, update, new of a GRU."""

_WIDE = 256
"""From this size of the state on, the states are the right factor of the product with the weights:
BLAS is then two to three times faster for two texts or more. Up to a million multiplications in a
step it has fast code for states as the left factor."""


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
        self._layers = [_Layer(network, parameters, n) for n in range(network.layers)]

    def project(self, inputs: FloatArray) -> FloatArray:
        """The share of inputs, float32 ``[num_inputs, size]``, in the gates of the first layer.

        It is float32 ``[num_inputs * directions, gates * hidden]``, the table of :meth:`read`.
        """
        return self._layers[0].project(inputs)

    def read(
        self, table: FloatArray, texts: Sequence[Sequence[int]], *, keep_all: bool = False
    ) -> tuple[FloatArray, FloatArray | None]:
        """Run all layers over texts, which are numbers of inputs; no text may be empty.

        Gives the last states of all directions, float32 ``[num_texts, directions * hidden]``; and
        the states after all steps of the last layer, ``[num_numbers * directions, hidden]``, text
        after text, None without ``keep_all``.
        """
        numbers = np.concatenate(texts).astype(np.intp)
        lengths = np.array([len(text) for text in texts])
        # The longest texts first: those that a step reads are then the first ones.
        order = np.argsort(-lengths, kind="stable")
        steps = self._steps((np.cumsum(lengths) - lengths)[order], lengths[order])
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
        last = np.empty((len(texts), self._directions * self._hidden), np.float32)
        last[order] = states.transpose(1, 0, 2).reshape(len(texts), -1)
        return last, outputs

    def _steps(self, starts: IndexArray, lengths: IndexArray) -> list[IndexArray]:
        """The positions in the concatenated texts that each step reads, ``[directions, active]``.

        The active texts are those that have not ended yet.
        """
        steps = []
        for step in range(int(lengths[0])):
            active = int(np.searchsorted(-lengths, -step))
            forward = starts[:active] + step
            backward = starts[:active] + lengths[:active] - 1 - step
            steps.append(np.stack([forward, backward][: self._directions]))
        return steps


class _Layer:
    """A recurrent layer, with its directions side by side, and its gates in the steps' order."""

    def __init__(self, network: RecurrentNetwork, parameters: Parameters, number: int) -> None:
        self._hidden, num_gates = network.hidden, GATES[network.cell]
        blocks = np.arange(num_gates * network.hidden).reshape(num_gates, -1)
        order = (blocks[[0, 1, 3, 2]] if network.cell == "lstm" else blocks).reshape(-1)
        # All gates but the last are halved, as the steps expect them.
        factors = np.array([0.5] * (num_gates - 1) + [1.0], np.float32)
        scale = np.repeat(factors, network.hidden)
        prefixes = [f"layers.{number}.{direction}" for direction in network.directions]
        inputs = [parameters[f"{p}.input"][order] * scale[:, None] for p in prefixes]
        self._inputs = np.ascontiguousarray(np.concatenate(inputs).T)
        self._bias = np.concatenate([parameters[f"{p}.bias"][order] * scale for p in prefixes])
        # [directions, gates * hidden, hidden]; in a layer that is not wide [.., hidden, gates * ..]
        recurrent = [parameters[f"{p}.recurrent"][order] * scale[:, None] for p in prefixes]
        self._wide, self._recurrent = network.hidden >= _WIDE, np.stack(recurrent)
        if not self._wide:
            self._recurrent = np.ascontiguousarray(self._recurrent.transpose(0, 2, 1))
        self._recurrent_bias: FloatArray | None = None
        if network.cell == "gru":
            biases = [parameters[f"{p}.recurrent_bias"] for p in prefixes]
            self._recurrent_bias = np.stack(biases)[:, None]

    def project(self, inputs: FloatArray) -> FloatArray:
        """The inputs' share of the gates, one row for each position and direction."""
        projected = inputs.reshape(-1, len(self._inputs)) @ self._inputs
        projected += self._bias
        rows: FloatArray = projected.reshape(-1, self._recurrent.shape[1 if self._wide else 2])
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
        shape = (*rows[0].shape, self._hidden)
        state, memory = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
        for step, row in enumerate(rows):
            active = row.shape[1]
            current = state[:, :active]
            if self._wide:
                product = np.matmul(self._recurrent, current.transpose(0, 2, 1)).transpose(0, 2, 1)
            else:
                product = np.matmul(current, self._recurrent)
            gates = table.take(row, axis=0)
            if self._recurrent_bias is None:
                _lstm_step(gates, product, current, memory[:, :active])
            else:
                _gru_step(gates, product, current, self._recurrent_bias)
            if outputs is not None:
                outputs[output_rows[step]] = current
        return state


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
