"""The export of the kind ``infersent``: a BiLSTM over tokens, pooled by the maximum."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from pocketintent.runtime.encoders.sequence import MAX_TOKENS
from pocketintent_export.kinds.recurrent import LoopLayers, OnnxLayers
from pocketintent_export.kinds.static import SequenceExport, StaticModule
from pocketintent_export.layers.codes import unknown_zero
from pocketintent_export.layers.similarities import unit
from pocketintent_lab.encoders.infersent.encoder import InferSentEncoder

_BELOW_ALL_STATES = -2.0
"""The state of padding: those of an LSTM are between -1 and 1."""


class InferSentModule(nn.Module):
    """:class:`InferSentEncoder`, from the slots of a text to unit sentence vectors.

    A module for ``"tflite"`` reads one text and also runs in torch. A module for ``"onnx"`` can
    only be exported.

    Args:
        encoder: The encoder; its tables and its network must be quantised.
        file_format: ``"onnx"`` or ``"tflite"``.
    """

    def __init__(self, encoder: InferSentEncoder, file_format: str) -> None:
        super().__init__()
        self.table = StaticModule(encoder.table)
        sizes, weights = encoder.network.sizes, encoder.network.weights
        self.loop = self.layers = None
        if file_format == "tflite":
            self.loop = LoopLayers(sizes, weights, MAX_TOKENS, keeps_all=True)
        else:
            self.layers = OnnxLayers(sizes, weights)

    def forward(self, ids: Tensor, weights: Tensor, token_numbers: Tensor) -> Tensor:
        """Sentence vectors; for the arguments see :meth:`StaticModule.tokens`.

        Returns:
            float32 [batch, dim], of unit length or zeros.
        """
        x, is_token = self.table.tokens(ids, weights, token_numbers)
        lengths = is_token.sum(1).reshape(-1).to(torch.int32)
        if self.loop is not None:
            _, _, states = self.loop(x[0], None, lengths, unknown_zero(ids))
            states = states.unsqueeze(0)
        else:
            assert self.layers is not None
            states = self.layers(x.transpose(0, 1), lengths)[0].transpose(0, 1)
        largest = torch.where(is_token > 0, states, _BELOW_ALL_STATES).amax(1)
        return unit(largest * is_token.amax(1))


class InferSentExport(SequenceExport[InferSentEncoder]):
    """Numbered slots, and the largest states of the LSTM over their tokens."""

    module = InferSentModule
