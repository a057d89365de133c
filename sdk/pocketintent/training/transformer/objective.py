"""The objective of transformer encoders: how the texts of a batch are read."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from pocketintent.runtime.arrays import IndexArray, IntArray
from pocketintent.runtime.encoders.transformer.encoder import TransformerEncoder
from pocketintent.training.corpora.encoded import ragged_ranges
from pocketintent.training.loop.devices import Precision, Workers
from pocketintent.training.teachers.batches import Batch
from pocketintent.training.teachers.distillation import Distillation
from pocketintent.training.teachers.targets import TextData
from pocketintent.training.transformer.model import TransformerModel
from pocketintent.training.transformer.settings import TransformerSettings

# Texts, the shorter ones apart from the longer ones: little padding, or on a GPU few kernels.
_PADDED_TOGETHER = {"cpu": 64, "cuda": 1024}


class TransformerTraining(Distillation):
    """Trains the words and the network of a transformer encoder, a copy."""

    unit = "pieces"
    model: TransformerModel

    def __init__(
        self,
        data: TextData,
        settings: TransformerSettings,
        encoder: TransformerEncoder,
        *,
        device: str = "cpu",
        workers: Workers | None = None,
        precision: Precision = "auto",
    ) -> None:
        place = torch.device(device)
        model = TransformerModel(encoder, place)
        trained = [part for part in model.parameters() if part.requires_grad]
        groups = [{"params": trained, "weight_decay": 0.0}]
        super().__init__(
            data, settings, model, groups, device=place, workers=workers, precision=precision
        )

    def encode(self, batch: Batch) -> Tensor:
        """The vectors of a batch's texts, float32 [num_texts, dim]."""
        lengths = batch.lengths
        order = np.argsort(lengths, kind="stable")
        starts = np.cumsum(lengths) - lengths
        together = _PADDED_TOGETHER.get(self.device.type, _PADDED_TOGETHER["cuda"])
        groups = np.array_split(order, -(-len(order) // together))
        # The rows are read once: each reading has gradients of the size of the whole table.
        distinct, tokens = np.unique(batch.ids, return_inverse=True)
        rows = self.model.words.take(distinct)
        with self.autocast():
            parts = [self.model(rows, *_pad(tokens, starts[own], lengths[own])) for own in groups]
        places = self.to_device(np.argsort(order, kind="stable"))
        return torch.cat(parts).float().index_select(0, places)


def _pad(ids: IntArray, starts: IndexArray, lengths: IntArray) -> tuple[IntArray, IntArray]:
    """Texts as the rows of an array, [num_texts, longest], with zeros at their ends; lengths."""
    padded = np.zeros((len(lengths), int(lengths.max())), np.int64)
    inside = np.arange(padded.shape[1]) < lengths[:, None]
    padded[inside] = ids[ragged_ranges(starts, lengths)]
    return padded, lengths
