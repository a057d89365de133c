"""The weights of a recurrent layer, with its gates in the order that a module needs."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor, nn

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.recurrent import RecurrentNetwork
from pocketintent.runtime.encoders.weights import Weights
from pocketintent_export.layers.codes import WholeMatrix, coded, reordered


class LayerWeights(nn.Module):
    """The weights of a recurrent layer, one direction after the other."""

    gate_order: ClassVar[dict[str, tuple[int, ...]]]
    """The numbers of the model's gates in the order of the module, by cell."""
    bias: Tensor
    recurrent_bias: Tensor

    def __init__(self, network: RecurrentNetwork, weights: Weights, number: int) -> None:
        super().__init__()
        self.network = network
        prefixes = [f"layers.{number}.{direction}" for direction in network.directions]
        gates = self.gate_order[network.cell]
        order = np.arange(len(gates) * network.hidden).reshape(len(gates), -1)[list(gates)].ravel()

        def matrix(name: str) -> WholeMatrix:
            directions = [coded(weights, f"{prefix}.{name}") for prefix in prefixes]
            return WholeMatrix([reordered(direction, order) for direction in directions])

        def vector(name: str) -> FloatArray:
            return np.stack([weights.vectors[f"{prefix}.{name}"] for prefix in prefixes])

        self.inputs, self.recurrent = matrix("input"), matrix("recurrent")
        self.register_buffer("bias", torch.from_numpy(vector("bias")[:, order]))
        if network.cell == "gru":
            self.register_buffer("recurrent_bias", torch.from_numpy(vector("recurrent_bias")))

    @classmethod
    def of_network(cls, network: RecurrentNetwork, weights: Weights) -> Any:
        """All layers of a network, in a ``ModuleList``."""
        return nn.ModuleList(cls(network, weights, number) for number in range(network.layers))
