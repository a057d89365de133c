"""The objective of contextual encoders: its loss, and the steps of its two optimisers."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.contextual.encoder import ContextualEncoder
from pocketintent.training.contextual.data import (
    ContextualData,
    TextBatch,
    TextBatches,
    make_batch,
)
from pocketintent.training.contextual.model import ContextModel
from pocketintent.training.contextual.settings import ContextualSettings
from pocketintent.training.corpora.encoded import cut
from pocketintent.training.loop.descent import Descent
from pocketintent.training.loop.devices import Precision, Workers, choose_precision
from pocketintent.training.loop.matrices import FloatRows, make_rows
from pocketintent.training.loop.trainer import Step
from pocketintent.training.teachers.distillation import Distillation, distillation_loss
from pocketintent.training.teachers.targets import TargetTexts

_BETAS = (0.9, 0.98)
_WARM_UP = 100  # steps
_CLIP = 1.0  # largest norm of the network's gradient


class ContextualTraining(Distillation):
    """Trains the words, n-grams and network of a contextual encoder, each a copy, side by side.

    The loss is that of :func:`distillation_loss`.
    For ``precision`` see :func:`choose_precision`.
    """

    unit = "words"
    data: ContextualData

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
        self.data, self.settings = data, settings
        self.workers = workers or Workers()
        self.device = torch.device(device)
        self.words, self.ngrams = (
            make_rows(encoder.table.tables()[name], self.device) for name in ("words", "ngrams")
        )
        self.batches = TextBatches(data, settings)
        self.epochs, self.units_per_epoch = settings.epochs, self.batches.words_per_epoch
        self.model = ContextModel.from_network(encoder.network).to(self.device)
        network = list(self.model.parameters())
        rows: list[nn.Parameter] = []
        for table in (self.words, self.ngrams):
            trained = [tensor for tensor in table.parameters() if tensor.requires_grad]
            (rows if isinstance(table, FloatRows) else network).extend(trained)
        # The moments of a row fade while its word is absent, so that each occurrence of a rare
        # word moves its row several times as far as one of a frequent word.
        self._optimizer = torch.optim.AdamW(
            [
                {"params": network, "steps": 0},
                {"params": rows, "lr": settings.row_learning_rate, "weight_decay": 0.0},
            ],
            settings.learning_rate,
            betas=_BETAS,
            fused=True,
        )
        self.precision = choose_precision(precision, self.device)
        self._descent = Descent(self.model, self._optimizer, self.workers, self.precision, _CLIP)
        self.parts = {**self._descent.parts, "words": self.words, "ngrams": self.ngrams}

    def step(self, step: Step) -> tuple[float, float]:
        """Descend along the mean gradients of all processes' batches."""
        batch = self.batches.batch(step.batch)
        network = self._optimizer.param_groups[0]
        network["steps"] += 1
        return self._descent.step(
            lambda: self._loss(batch),
            0 if step.idle else len(batch.texts),
            min(1.0, network["steps"] / _WARM_UP) * (1 - step.progress),
            (self.settings.seed, step.epoch, step.batch),
        )

    def _loss(self, batch: TextBatch) -> Tensor:
        targets = self._to_device(batch.texts.targets)
        return distillation_loss(self.encode(batch), targets, self.settings)

    def encode(self, batch: TextBatch) -> Tensor:
        """The vectors of a batch's texts, float32 [num_texts, dim]."""
        ngrams = self.ngrams.take(batch.buckets)
        if len(batch.words):
            words = self.words.take(batch.words)
            vectors = functional.embedding(self._to_device(batch.word_places), words)
        else:
            vectors = ngrams.new_zeros(len(batch.word_places), ngrams.shape[1])
        if len(batch.spelt):
            places, starts = self._to_device(batch.bucket_places), self._to_device(batch.bags)
            bags = functional.embedding_bag(places, ngrams, starts)
            spelt = bags.index_select(0, self._to_device(batch.spelt_words))
            vectors = vectors.index_copy(0, self._to_device(batch.spelt), spelt)
        owners = self._to_device(batch.texts.owners())
        enabled = self.precision != torch.float32
        with torch.autocast(self.device.type, self.precision, enabled=enabled):
            encoded: Tensor = self.model(vectors, owners, len(batch.texts))
        return encoded

    @torch.no_grad()
    def encode_texts(self, texts: TargetTexts) -> FloatArray:
        """The vectors of texts, float32 [num_texts, dim]; no word is spelt that has a vector."""
        vectors = np.empty_like(texts.targets)
        for numbers in cut(np.arange(len(texts)), texts.lengths, self.settings.batch_words):
            part = texts.take(numbers)
            batch = make_batch(self.data, part, np.zeros(len(part.ids), np.bool_))
            vectors[numbers] = self.encode(batch).cpu().numpy()
        return vectors

    def align_targets(self) -> None:
        """Turn the targets to the directions of a model that compression has rotated."""
        super().align_targets()
        self.batches = TextBatches(self.data, self.settings)

    def _to_device(self, array: FloatArray | Any) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(self.device, non_blocking=True)
