"""The kind ``transformer``: tokens, usually word pieces, that read each other by attention."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import pad

from pocketintent.runtime.encoders.sequence import PREFIX
from pocketintent.runtime.encoders.transformer.encoder import TransformerEncoder
from pocketintent.runtime.encoders.transformer.network import LAYERS
from pocketintent_export.kinds.static import SequenceExport, SequenceModule
from pocketintent_export.layers.codes import WholeMatrix, coded, vector
from pocketintent_export.layers.similarities import unit
from pocketintent_export.layers.transformer import Norm, TransformerLayers, mean_inside


class TransformerModule(SequenceModule):
    """From the slots of a text to unit vectors; table and network must be quantised."""

    def __init__(self, encoder: TransformerEncoder, file_format: str) -> None:
        super().__init__(encoder.table, file_format)
        weights = encoder.network.weights
        self.start = vector(weights, f"{PREFIX}.start")
        self.positions = WholeMatrix([coded(weights, f"{PREFIX}.positions")])
        self.norm = Norm(weights, f"{PREFIX}.norm")
        self.layers = TransformerLayers(weights, LAYERS, encoder.network, "post-norm gelu")

    def combine(self, x: Tensor, is_token: Tensor, zero: Tensor | None) -> Tensor:
        """Unit vectors; see :meth:`SequenceModule.combine`."""
        tokens = x + self.positions(zero)[: x.shape[1]]
        rows = torch.cat([self.start.expand(x.shape[0], 1, -1), tokens], 1)
        inside = pad(is_token.squeeze(-1), (1, 0), value=1.0) > 0
        states = self.layers(self.norm(rows), inside, zero)
        return unit(mean_inside(states, inside)) * is_token.amax(1)


class TransformerExport(SequenceExport[TransformerEncoder]):
    """Numbered slots, and the mean of their tokens' states after the last layer."""

    module = TransformerModule
