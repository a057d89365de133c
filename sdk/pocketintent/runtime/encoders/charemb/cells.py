"""What reads the characters of a character encoder, in numpy: LSTM, GRU and transformer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pocketintent.runtime.arrays import FloatArray, IndexArray
from pocketintent.runtime.encoders.charemb.network import GATES, CharNetwork

Parameters = Mapping[str, FloatArray]

_NORM_EPSILON = 1e-5
_WIDE = 256  # states; see _Layer.wide


@dataclass(frozen=True, eq=False)
class _Layer:
    """The weights of one recurrent layer, all directions beside each other."""

    inputs: FloatArray
    """``[inputs, directions * gates * hidden]``."""
    bias: FloatArray
    """``[directions * gates * hidden]``."""
    recurrent: FloatArray
    """``[directions, hidden, gates * hidden]``; of a wide layer the last two axes change places."""
    recurrent_bias: FloatArray | None
    """GRU: ``[directions, 1, hidden]``."""
    wide: bool
    """Whether BLAS is faster with the states as the right factor, two to three times so for
    two texts and more; up to a million products in a step it has fast code for the left one."""

    def propagate(self, states: FloatArray) -> FloatArray:
        """What the states ``[directions, texts, hidden]`` add to the gates of the next step."""
        product: FloatArray
        if self.wide:
            product = np.matmul(self.recurrent, states.transpose(0, 2, 1)).transpose(0, 2, 1)
        else:
            product = np.matmul(states, self.recurrent)
        return product


class RecurrentReader:
    """Last states of an LSTM or a GRU.

    Both directions run in step: the state of all texts and directions is one array, so that
    a step is one product. What a layer makes of its input alone is computed before the steps,
    and in the first layer once for each character of the vocabulary, so that a step begins
    with a look-up of rows.

    Args:
        network: The sizes.
        parameters: The weights, float32, by the names of :meth:`CharNetwork.shapes`.
    """

    def __init__(self, network: CharNetwork, parameters: Parameters) -> None:
        self._network = network
        self._layers = [_layer(network, parameters, n) for n in range(network.layers)]
        first = self._layers[0]
        self._table = self._project(first, parameters["embedding"])

    def read(self, texts: Sequence[Sequence[int]]) -> FloatArray:
        """The last states of each direction, side by side.

        Args:
            texts: Numbers of the characters; none of the texts is empty.

        Returns:
            float32 ``[num_texts, state]``.
        """
        order = sorted(range(len(texts)), key=lambda number: -len(texts[number]))
        lengths = np.array([len(texts[number]) for number in order])
        chars = np.concatenate([texts[number] for number in order]).astype(np.intp)
        steps = self._steps(lengths)
        num_directions = len(self._network.directions)
        directions = np.arange(num_directions)[:, None]
        rows = [chars[step] * num_directions + directions for step in steps]
        table = self._table
        places = [step * num_directions + directions for step in steps]
        for number, layer in enumerate(self._layers):
            last = number == len(self._layers) - 1
            outputs = None
            if not last:
                outputs = np.empty((len(chars) * num_directions, self._network.hidden), np.float32)
            states = self._run(layer, table, rows, outputs, places)
            if outputs is not None:
                table, rows = self._project(layer=self._layers[number + 1], inputs=outputs), places
        result = np.empty((len(texts), self._network.state), np.float32)
        result[order] = states.transpose(1, 0, 2).reshape(len(texts), -1)
        return result

    def _steps(self, lengths: IndexArray) -> list[IndexArray]:
        """The place of the character that each text is at, ``[directions, active]`` a step.

        Texts come from the longest to the shortest, so those not yet read are the first ones.
        """
        starts = np.cumsum(lengths) - lengths
        steps = []
        for step in range(int(lengths[0])):
            active = int(np.searchsorted(-lengths, -step))
            forward = starts[:active] + step
            backward = starts[:active] + lengths[:active] - 1 - step
            steps.append(np.stack([forward, backward][: len(self._network.directions)]))
        return steps

    def _project(self, layer: _Layer, inputs: FloatArray) -> FloatArray:
        """What a layer makes of its inputs, a row for each place and direction."""
        projected = inputs.reshape(-1, len(layer.inputs)) @ layer.inputs
        projected += layer.bias
        rows: FloatArray = projected.reshape(-1, GATES[self._network.cell] * self._network.hidden)
        return rows

    def _run(
        self,
        layer: _Layer,
        table: FloatArray,
        rows: Sequence[IndexArray],
        outputs: FloatArray | None,
        places: Sequence[IndexArray],
    ) -> FloatArray:
        """The last states ``[directions, num_texts, hidden]``; all states go to ``outputs``."""
        hidden = self._network.hidden
        shape = (*rows[0].shape, hidden)
        state, memory = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
        for step, row in enumerate(rows):
            active = row.shape[1]
            now = state[:, :active]
            recurrent = layer.propagate(now)
            gates = table.take(row, axis=0)
            if layer.recurrent_bias is None:
                _lstm_step(gates, recurrent, now, memory[:, :active])
            else:
                _gru_step(gates, recurrent, now, layer.recurrent_bias)
            if outputs is not None:
                outputs[places[step]] = now
        return state


def _lstm_step(
    gates: FloatArray, recurrent: FloatArray, state: FloatArray, memory: FloatArray
) -> None:
    """One step of an LSTM (Hochreiter and Schmidhuber 1997), in place.

    The gates come as input, forget, output, cell, and the first three halved: then one tanh
    serves all four, since the logistic function of x is (1 + tanh(x / 2)) / 2.
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
    """One step of a GRU (Cho et al. 2014, with the reset after the product), in place.

    The gates come as reset, update, new, and the first two halved, as in the LSTM.
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


def _layer(network: CharNetwork, parameters: Parameters, number: int) -> _Layer:
    order, scale = _gate_order(network)
    prefixes = [f"layers.{number}.{direction}" for direction in network.directions]

    def get(name: str) -> list[FloatArray]:
        return [parameters[f"{p}.{name}"][order] * scale[:, None] for p in prefixes]

    biases = [parameters[f"{p}.bias"][order] * scale for p in prefixes]
    recurrent_bias = None
    if network.cell == "gru":
        recurrent_bias = np.stack([parameters[f"{p}.recurrent_bias"] for p in prefixes])[:, None]
    recurrent = np.stack(get("recurrent"))
    wide = network.hidden >= _WIDE
    return _Layer(
        np.ascontiguousarray(np.concatenate(get("input")).T),
        np.concatenate(biases),
        recurrent if wide else np.ascontiguousarray(recurrent.transpose(0, 2, 1)),
        recurrent_bias,
        wide,
    )


def _gate_order(network: CharNetwork) -> tuple[IndexArray, FloatArray]:
    """Rows in the order in which a step wants them, and their factors."""
    gates = GATES[network.cell]
    blocks: IndexArray = np.arange(gates * network.hidden).reshape(gates, network.hidden)
    if network.cell == "lstm":
        blocks = blocks[[0, 1, 3, 2]]
    scale = np.full(blocks.shape, 0.5, np.float32)
    scale[-1] = 1.0
    return blocks.reshape(-1), scale.reshape(-1)


class TransformerReader:
    """The mean over the characters of what a transformer makes of them (Vaswani et al. 2017).

    Normalised before each part, ReLU, learnt positions. Texts of equal length are read
    together, so that nothing has to be masked.

    Args:
        network: The sizes.
        parameters: The weights, float32, by the names of :meth:`CharNetwork.shapes`.
    """

    def __init__(self, network: CharNetwork, parameters: Parameters) -> None:
        self._network = network
        self._parameters = parameters

    def read(self, texts: Sequence[Sequence[int]]) -> FloatArray:
        """As :meth:`RecurrentReader.read`."""
        lengths = np.array([len(text) for text in texts])
        result = np.empty((len(texts), self._network.state), np.float32)
        for length in np.unique(lengths):
            numbers = np.flatnonzero(lengths == length)
            result[numbers] = self._read_equal(np.array([texts[number] for number in numbers]))
        return result

    def _read_equal(self, chars: IndexArray) -> FloatArray:
        parameters = self._parameters
        x = parameters["embedding"][chars] + parameters["positions"][: chars.shape[1]]
        for layer in range(self._network.layers):
            prefix = f"layers.{layer}"
            x = x + self._attend(self._normalise(x, f"{prefix}.norm.0"), f"{prefix}.attention")
            wide = self._linear(self._normalise(x, f"{prefix}.norm.1"), f"{prefix}.feedforward.0")
            np.maximum(wide, 0.0, out=wide)
            x = x + self._linear(wide, f"{prefix}.feedforward.1")
        mean: FloatArray = self._normalise(x, "norm").mean(axis=1)
        return mean

    def _attend(self, x: FloatArray, prefix: str) -> FloatArray:
        num_texts, length, width = x.shape
        heads = self._network.heads
        parts = self._linear(x, f"{prefix}.input").reshape(num_texts, length, 3, heads, -1)
        query, key, value = parts.transpose(2, 0, 3, 1, 4)  # each [texts, heads, length, size]
        scores = np.matmul(query, key.transpose(0, 1, 3, 2))
        scores *= np.float32((width // heads) ** -0.5)
        scores -= scores.max(axis=-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=-1, keepdims=True)
        mixed = np.matmul(scores, value).transpose(0, 2, 1, 3).reshape(num_texts, length, width)
        return self._linear(mixed, f"{prefix}.output")

    def _linear(self, x: FloatArray, prefix: str) -> FloatArray:
        result: FloatArray = x @ self._parameters[f"{prefix}.weight"].T
        result += self._parameters[f"{prefix}.bias"]
        return result

    def _normalise(self, x: FloatArray, prefix: str) -> FloatArray:
        centred = x - x.mean(axis=-1, keepdims=True)
        variance = np.square(centred).mean(axis=-1, keepdims=True)
        centred /= np.sqrt(variance + np.float32(_NORM_EPSILON))
        result: FloatArray = centred * self._parameters[f"{prefix}.weight"]
        result += self._parameters[f"{prefix}.bias"]
        return result
