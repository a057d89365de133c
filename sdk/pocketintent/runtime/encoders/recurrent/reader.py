"""The LSTM and the GRU in numpy: sequences of any lengths, step by step."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pocketintent.runtime.arrays import FloatArray, IndexArray
from pocketintent.runtime.encoders.recurrent.layers import (
    Layer,
    gru_step,
    lstm_step,
    make_layer,
)
from pocketintent.runtime.encoders.recurrent.network import GATES, RecurrentNetwork
from pocketintent.runtime.encoders.weights import Parameters


class RecurrentReader:
    """An LSTM or a GRU that is ready to read sequences.

    Both directions run in parallel: the states of all texts and directions are one array, so that
    a step needs one matrix product. The product of a layer's weights and its inputs is computed
    before the steps; in the first layer the caller computes it by :meth:`project`, once for each
    different input. A step then begins with a look-up of rows.

    Args:
        network: The settings.
        parameters: The weights, float32, by the names of :func:`recurrent_shapes`.
    """

    def __init__(self, network: RecurrentNetwork, parameters: Parameters) -> None:
        self._network = network
        self._layers = [make_layer(network, parameters, n) for n in range(network.layers)]

    def project(self, inputs: FloatArray) -> FloatArray:
        """The table of inputs that :meth:`last_states` and :meth:`largest_states` read.

        Args:
            inputs: float32 ``[num_inputs, size]``: characters or words.

        Returns:
            Their share of the first layer's gates, float32 ``[num_inputs * directions,
            gates * hidden]``.
        """
        return self._project(self._layers[0], inputs)

    def last_states(self, table: FloatArray, texts: Sequence[Sequence[int]]) -> FloatArray:
        """The last states of all directions, side by side.

        Args:
            table: The inputs, see :meth:`project`.
            texts: Numbers of the inputs of each text; no text may be empty.

        Returns:
            float32 ``[num_texts, directions * hidden]``.
        """
        order, numbers, steps = self._arrange(texts)
        states, _ = self._read(table, numbers, steps, keep_all=False)
        result = np.empty((len(texts), states.shape[0] * states.shape[2]), np.float32)
        result[order] = states.transpose(1, 0, 2).reshape(len(texts), -1)
        return result

    def largest_states(self, table: FloatArray, texts: Sequence[Sequence[int]]) -> FloatArray:
        """The largest value of each number of the states over all steps of a text.

        Args:
            table: The inputs, see :meth:`project`.
            texts: Numbers of the inputs of each text; no text may be empty.

        Returns:
            float32 ``[num_texts, directions * hidden]``.
        """
        order, numbers, steps = self._arrange(texts)
        _, outputs = self._read(table, numbers, steps, keep_all=True)
        assert outputs is not None
        states = outputs.reshape(len(numbers), -1)
        lengths = np.array([len(texts[number]) for number in order])
        result = np.empty((len(texts), states.shape[1]), np.float32)
        result[order] = np.maximum.reduceat(states, np.cumsum(lengths) - lengths)
        return result

    def _arrange(
        self, texts: Sequence[Sequence[int]]
    ) -> tuple[list[int], IndexArray, list[IndexArray]]:
        """Concatenate texts, the longest first.

        Returns:
            The numbers of the texts in this order; the numbers of all inputs, text after text; and
            the positions among them that each step reads, see :meth:`_steps`.
        """
        order = sorted(range(len(texts)), key=lambda number: -len(texts[number]))
        lengths = np.array([len(texts[number]) for number in order])
        numbers = np.concatenate([texts[number] for number in order]).astype(np.intp)
        return order, numbers, self._steps(lengths)

    def _read(
        self, table: FloatArray, numbers: IndexArray, steps: list[IndexArray], *, keep_all: bool
    ) -> tuple[FloatArray, FloatArray | None]:
        """Run all layers.

        Returns:
            The last states, ``[directions, num_texts, hidden]``; and the states after all steps of
            the last layer, ``[len(numbers) * directions, hidden]``, None without ``keep_all``.
        """
        num_directions = len(self._network.directions)
        directions = np.arange(num_directions)[:, None]
        rows = [numbers[step] * num_directions + directions for step in steps]
        output_rows = [step * num_directions + directions for step in steps]
        last, outputs = len(self._layers) - 1, None
        for number, layer in enumerate(self._layers):
            if number:
                assert outputs is not None
                table, rows = self._project(layer, outputs), output_rows
            outputs = None
            if keep_all or number < last:
                shape = (len(numbers) * num_directions, self._network.hidden)
                outputs = np.empty(shape, np.float32)
            states = self._run(layer, table, rows, outputs, output_rows)
        return states, outputs

    def _steps(self, lengths: IndexArray) -> list[IndexArray]:
        """The positions of the inputs that each step reads, ``[directions, active]``.

        Texts are sorted from the longest to the shortest, so that the active texts of a step,
        which have not ended yet, are the first ones.

        Args:
            lengths: Number of inputs of each text.

        Returns:
            Positions in the concatenated texts, one array for each step.
        """
        starts = np.cumsum(lengths) - lengths
        steps = []
        for step in range(int(lengths[0])):
            active = int(np.searchsorted(-lengths, -step))
            forward = starts[:active] + step
            backward = starts[:active] + lengths[:active] - 1 - step
            steps.append(np.stack([forward, backward][: len(self._network.directions)]))
        return steps

    def _project(self, layer: Layer, inputs: FloatArray) -> FloatArray:
        """The inputs' share of a layer's gates, one row for each position and direction."""
        projected = inputs.reshape(-1, len(layer.inputs)) @ layer.inputs
        projected += layer.bias
        rows: FloatArray = projected.reshape(-1, GATES[self._network.cell] * self._network.hidden)
        return rows

    def _run(
        self,
        layer: Layer,
        table: FloatArray,
        rows: Sequence[IndexArray],
        outputs: FloatArray | None,
        output_rows: Sequence[IndexArray],
    ) -> FloatArray:
        """Run all steps of a layer.

        Args:
            layer: The weights.
            table: The result of :meth:`_project`.
            rows: The rows of the table that each step reads.
            outputs: Array for the states after all steps, or None.
            output_rows: The rows of ``outputs`` that each step writes.

        Returns:
            The last states, ``[directions, num_texts, hidden]``.
        """
        hidden = self._network.hidden
        shape = (*rows[0].shape, hidden)
        state, memory = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
        for step, row in enumerate(rows):
            active = row.shape[1]
            current = state[:, :active]
            recurrent = layer.propagate(current)
            gates = table.take(row, axis=0)
            if layer.recurrent_bias is None:
                lstm_step(gates, recurrent, current, memory[:, :active])
            else:
                gru_step(gates, recurrent, current, layer.recurrent_bias)
            if outputs is not None:
                outputs[output_rows[step]] = current
        return state
