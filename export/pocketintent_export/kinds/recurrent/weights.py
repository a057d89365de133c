"""The weights of a recurrent layer, with its gates in the order that a module needs."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.recurrent import RecurrentNetwork
from pocketintent.runtime.encoders.weights import Weights
from pocketintent_export.layers.codes import WholeMatrix, coded, reordered


class LayerWeights(nn.Module):
    """The weights of a recurrent layer, one direction after the other.

    ``gates`` has the numbers of the model's gates in the order of the module.
    """

    bias: Tensor
    recurrent_bias: Tensor

    def __init__(
        self, network: RecurrentNetwork, weights: Weights, number: int, gates: tuple[int, ...]
    ) -> None:
        super().__init__()
        prefixes = [f"layers.{number}.{direction}" for direction in network.directions]
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
