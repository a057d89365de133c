"""The weights of a recurrent layer in the order of its steps, and the steps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pocketintent.runtime.arrays import FloatArray, IndexArray
from pocketintent.runtime.encoders.recurrent.network import GATES, RecurrentNetwork
from pocketintent.runtime.encoders.weights import Parameters

_WIDE = 256
"""From this size of the state on, a layer is wide; see :attr:`Layer.wide`."""


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
    wide: bool
    """Whether the states are the right factor of the product. BLAS is then two to three times
    faster for two texts or more; up to a million multiplications in a step it has fast code for
    states as the left factor."""

    def propagate(self, states: FloatArray) -> FloatArray:
        """The states' share of the gates of the next step.

        Args:
            states: ``[directions, texts, hidden]``.

        Returns:
            ``[directions, texts, gates * hidden]``.
        """
        product: FloatArray
        if self.wide:
            product = np.matmul(self.recurrent, states.transpose(0, 2, 1)).transpose(0, 2, 1)
        else:
            product = np.matmul(states, self.recurrent)
        return product


def lstm_step(
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


def gru_step(
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


def make_layer(network: RecurrentNetwork, parameters: Parameters, number: int) -> Layer:
    """The weights of a layer, in the order of the steps."""
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
    return Layer(
        np.ascontiguousarray(np.concatenate(get("input")).T),
        np.concatenate(biases),
        recurrent if wide else np.ascontiguousarray(recurrent.transpose(0, 2, 1)),
        recurrent_bias,
        wide,
    )


def _gate_order(network: RecurrentNetwork) -> tuple[IndexArray, FloatArray]:
    """The rows of the weights in the order of the steps' gates, and a factor for each row."""
    gates = GATES[network.cell]
    blocks: IndexArray = np.arange(gates * network.hidden).reshape(gates, network.hidden)
    if network.cell == "lstm":
        blocks = blocks[[0, 1, 3, 2]]
    scale = np.full(blocks.shape, 0.5, np.float32)
    scale[-1] = 1.0
    return blocks.reshape(-1), scale.reshape(-1)
