"""The kind ``contextual``: tokens that their neighbours change."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from pocketintent.runtime.encoders.contextual.encoder import EPSILON, ContextualEncoder
from pocketintent.runtime.quantization.matrices import Int8Matrix
from pocketintent_export.kinds.static import SequenceExport, SequenceModule
from pocketintent_export.layers.codes import WholeMatrix
from pocketintent_export.layers.similarities import unit


class ContextualModule(SequenceModule):
    """From the slots of a text to unit vectors; tables and network must be quantised."""

    def __init__(self, encoder: ContextualEncoder, file_format: str) -> None:
        super().__init__(encoder.table, file_format)
        network = encoder.network
        self.width, self.gate_bias = network.width, network.gate_bias
        self.word_share = network.word_share
        assert isinstance(network.inner, Int8Matrix) and isinstance(network.outer, Int8Matrix)
        self.inner, self.outer = WholeMatrix([network.inner]), WholeMatrix([network.outer])
        self.inner_bias = nn.Buffer(torch.from_numpy(network.inner_bias.copy()))
        self.gate = nn.Buffer(torch.from_numpy(network.gate.copy()))
        self.hidden_gate = nn.Buffer(torch.from_numpy(network.hidden_gate.copy()))

    def combine(self, x: Tensor, is_token: Tensor, zero: Tensor | None) -> Tensor:
        """Unit vectors; see :meth:`SequenceModule.combine`."""
        words = x.sum(1)
        normed = x / torch.sqrt((x * x).mean(-1, keepdim=True) + EPSILON) * is_token
        hidden = self._hidden(normed, zero)
        scores = torch.matmul(normed, self.gate) + torch.matmul(hidden, self.hidden_gate)
        counts = torch.sigmoid(scores + self.gate_bias).unsqueeze(-1) * is_token
        changes = torch.matmul((counts * hidden).sum(1), self.outer(zero).t())
        total = (counts * x).sum(1) + changes
        return unit(unit(total) + self.word_share * unit(words)) if self.word_share else unit(total)

    def _hidden(self, normed: Tensor, zero: Tensor | None) -> Tensor:
        """The hidden layers of normed tokens, float32 [batch, num_tokens, hidden]."""
        reach, num_tokens = self.width // 2, normed.shape[1]
        padded = pad(normed, (0, 0, reach, reach))
        parts = [padded[:, place : place + num_tokens] for place in range(self.width)]
        hidden = torch.matmul(torch.cat(parts, -1), self.inner(zero).t()) + self.inner_bias
        return torch.relu(hidden)


class ContextualExport(SequenceExport[ContextualEncoder]):
    """Numbered slots, and their tokens changed by their neighbours and summed."""

    module = ContextualModule
