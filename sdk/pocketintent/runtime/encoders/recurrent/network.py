"""The settings of recurrent layers, and the names and shapes of their parameters."""

from __future__ import annotations

from typing import Protocol

from pocketintent.runtime.encoders.weights import Shapes

GATES = {"lstm": 4, "gru": 3}
"""Number of gates: input, forget, cell, output of an LSTM; reset, update, new of a GRU."""


class RecurrentNetwork(Protocol):
    """The settings of recurrent layers."""

    @property
    def cell(self) -> str:
        """``"lstm"`` or ``"gru"``."""
        ...

    @property
    def hidden(self) -> int:
        """Size of the state of one direction."""
        ...

    @property
    def layers(self) -> int:
        """Number of stacked layers."""
        ...

    @property
    def directions(self) -> tuple[str, ...]:
        """The directions, as the parameters' names contain them."""
        ...


def recurrent_shapes(network: RecurrentNetwork, inputs: int) -> Shapes:
    """Names and shapes of the parameters of recurrent layers.

    Args:
        network: The settings.
        inputs: Size of an input of the first layer.
    """
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
