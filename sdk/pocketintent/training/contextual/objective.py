"""The objective of contextual encoders: how the texts of a batch are read."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from pocketintent.runtime.encoders.contextual.encoder import ContextualEncoder
from pocketintent.training.contextual.data import ContextualData, rows_of
from pocketintent.training.contextual.model import ContextModel
from pocketintent.training.contextual.settings import ContextualSettings
from pocketintent.training.loop.devices import Precision, Workers
from pocketintent.training.loop.matrices import FloatRows, make_rows
from pocketintent.training.teachers.batches import Batch
from pocketintent.training.teachers.distillation import Distillation


class ContextualTraining(Distillation):
    """Trains the words, n-grams and network of a contextual encoder, each a copy, side by side."""

    unit = "words"
    data: ContextualData
    settings: ContextualSettings
    model: ContextModel

    def __init__(
        self,
        data: ContextualData,
        settings: ContextualSettings,
        encoder: ContextualEncoder,
        *,
        device: str = "cpu",
        workers: Workers | None = None,
        precision: Precision = "auto",
    ) -> None:
        place = torch.device(device)
        self.words, self.ngrams = (
            make_rows(encoder.table.tables()[name], place) for name in ("words", "ngrams")
        )
        model = ContextModel.from_network(encoder.network).to(place)
        network = list(model.parameters())
        rows: list[nn.Parameter] = []
        for table in (self.words, self.ngrams):
            trained = [tensor for tensor in table.parameters() if tensor.requires_grad]
            (rows if isinstance(table, FloatRows) else network).extend(trained)
        # The moments of a row fade while its word is absent, so that each occurrence of a rare
        # word moves its row several times as far as one of a frequent word.
        groups: list[dict[str, Any]] = [
            {"params": network},
            {"params": rows, "lr": settings.row_learning_rate, "weight_decay": 0.0},
        ]
        super().__init__(
            data, settings, model, groups, device=place, workers=workers, precision=precision
        )
        self.parts = {**self.parts, "words": self.words, "ngrams": self.ngrams}

    def encode(self, batch: Batch) -> Tensor:
        """The vectors of a batch's texts, float32 [num_texts, dim].

        In training a random share of the words is read by n-grams, else only strangers are.
        """
        share = self.settings.unknown if batch.rng else 0.0
        drawn = np.zeros(len(batch.ids)) if batch.rng is None else batch.rng.random(len(batch.ids))
        needed = rows_of(self.data, batch.ids, drawn < share)
        ngrams = self.ngrams.take(needed.buckets)
        if len(needed.words):
            words = self.words.take(needed.words)
            vectors = functional.embedding(self.to_device(needed.word_places), words)
        else:
            vectors = ngrams.new_zeros(len(batch.ids), ngrams.shape[1])
        if len(needed.spelt):
            places, starts = self.to_device(needed.bucket_places), self.to_device(needed.bags)
            bags = functional.embedding_bag(places, ngrams, starts)
            spelt = bags.index_select(0, self.to_device(needed.spelt_words))
            vectors = vectors.index_copy(0, self.to_device(needed.spelt), spelt)
        with self.autocast():
            encoded: Tensor = self.model(
                vectors, self.to_device(batch.owners()), len(batch.lengths)
            )
        return encoded
