"""The attention of a combined encoder's unknown words over its table, as a torch module."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from pocketintent.runtime.arrays import row_lengths
from pocketintent.runtime.encoders.combined.attention import Attention, answering_rows
from pocketintent.runtime.quantization.matrices import Matrix, QuantizedMatrix
from pocketintent_export.layers.codes import QuantizedRows, row_numbers, unknown_zero
from pocketintent_export.layers.lengths import unit


class AttentionModule(nn.Module):
    """:class:`TableAttention` over a table of codes.

    Args:
        table: The table of words; must be quantised.
        settings: Settings of the attention.
        keep_codes: See :class:`~pocketintent_export.layers.recognizer.Scores`.
    """

    scales: Tensor

    def __init__(self, table: Matrix, settings: Attention, keep_codes: bool) -> None:
        super().__init__()
        table = answering_rows(table, settings)
        assert isinstance(table, QuantizedMatrix)
        self.rows = QuantizedRows([table])
        self.num_rows = len(table)
        self.settings, self.keep_codes = settings, keep_codes
        # The lengths of the rows without their norms, which cancel out.
        decoded = table.quantizer.decode_codes(table.codes)
        lengths = row_lengths(decoded)
        if table.norms is not None:
            lengths[table.norms == 0] = 0
        scales = np.divide(1, lengths, out=np.zeros_like(lengths), where=lengths > 0)
        self.register_buffer("scales", torch.from_numpy(scales / np.float32(settings.temperature)))

    def forward(self, queries: Tensor) -> Tensor:
        """Apply the attention to a batch of queries.

        Args:
            queries: float32 [batch, dim].

        Returns:
            float32 [batch, dim]; zeros for a query of zeros, and if the query and the table's
            answer cancel out.
        """
        zero = unknown_zero(queries) if self.keep_codes else None
        rows, norms = self.rows(row_numbers(self.num_rows, zero))
        weights = torch.softmax(torch.matmul(unit(queries), rows.t()) * self.scales, -1)
        if norms is not None:
            weights = weights * norms.reshape(-1)
        share = self.settings.share
        mixed = torch.matmul(weights, rows) * share + queries * (1 - share)
        lengths = torch.sqrt((queries * queries).sum(-1, keepdim=True))
        # A query of zeros gets an answer too, but the factor of its length is 0.
        return unit(mixed) * (lengths * self.settings.weight)
