"""The graph ``encoder`` of the kind ``static``: rows of slots, added up."""

from __future__ import annotations

from itertools import groupby

import numpy as np
import torch
from torch import Tensor, nn

from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.quantization.matrices import QuantizedMatrix
from pocketintent_export.layers.codes import QuantizedRows, quantised_shape
from pocketintent_export.layers.lengths import unit


class StaticModule(nn.Module):
    """:class:`StaticEncoder`, from ids and weights to unit sentence vectors.

    Matrices whose quantisers have one shape, as words and n-grams have in the default model,
    are looked up together; others one after the other, each id in its own.

    Args:
        encoder: The encoder; its matrices are quantised.
    """

    def __init__(self, encoder: StaticEncoder) -> None:
        super().__init__()
        given = (encoder.words, encoder.ngrams)
        matrices = [matrix for matrix in given if isinstance(matrix, QuantizedMatrix)]
        groups = [list(group) for _, group in groupby(matrices, quantised_shape)]
        self.blocks = nn.ModuleList(QuantizedRows(group) for group in groups)
        sizes = [sum(len(matrix) for matrix in group) for group in groups]
        self.ends = np.cumsum(sizes).tolist()

    def forward(self, ids: Tensor, weights: Tensor) -> Tensor:
        """Sentence vectors.

        Args:
            ids: int32 [batch, length].
            weights: float32 [batch, length]; 0 for what only fills up.

        Returns:
            float32 [batch, dim], of unit length; zeros where the weighted rows sum to zero.
        """
        return unit(self.total(ids, weights))

    def total(self, ids: Tensor, weights: Tensor) -> Tensor:
        """The weighted sum of the rows, float32 [batch, dim]."""
        total, start = torch.zeros(()), 0
        for block, end in zip(self.blocks, self.ends, strict=True):
            own_ids, own_weights = ids, weights
            if len(self.ends) > 1:
                own = (ids >= start) & (ids < end)
                own_ids = torch.where(own, ids - start, 0)
                own_weights = torch.where(own, weights, 0.0)
            rows, norms = block(own_ids.reshape(-1))
            if norms is not None:
                own_weights = own_weights * norms.reshape(ids.shape)
            part = torch.matmul(own_weights.unsqueeze(1), rows.reshape(*ids.shape, -1)).squeeze(1)
            total = part if start == 0 else total + part
            start = end
        return total
