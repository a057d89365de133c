"""The training of a residual network by triplets."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from pocketintent.runtime.arrays import FloatArray
from pocketintent.training.loop.descent import average_gradients
from pocketintent.training.loop.devices import Precision, Workers, choose_precision
from pocketintent.training.loop.trainer import Epoch, Measurement, Step, Trainable
from pocketintent_lab.encoders.convrr.head import ResidualHead
from pocketintent_lab.training.convrr.data import GroupBatches, GroupedTexts
from pocketintent_lab.training.convrr.model import ResidualNetwork
from pocketintent_lab.training.convrr.settings import ConvrrSettings
from pocketintent_lab.training.convrr.triplets import LOSSES, distances

_TEXTS_AT_ONCE = 256


class ConvrrTraining(Trainable):
    """Trains a residual network so that the texts of a group are nearer than those of others.

    The vectors of words are divided by their mean length, so that sf and the learning rate suit
    vectors of any length.

    Args:
        texts: The texts to learn.
        settings: The settings of the run.
        device: Torch device.
        workers: The processes that train together, whose gradients are averaged.
        precision: Precision of the network's products, see :func:`choose_precision`.

    Raises:
        PocketIntentError: See :class:`GroupBatches`.
    """

    unit = "texts"

    def __init__(
        self,
        texts: GroupedTexts,
        settings: ConvrrSettings,
        *,
        device: str = "cpu",
        workers: Workers | None = None,
        precision: Precision = "auto",
    ) -> None:
        self.settings = settings
        self.workers = workers or Workers()
        self.device = torch.device(device)
        self.epochs, self.units_per_epoch = settings.epochs, len(texts)
        self.batches = GroupBatches(texts, settings.batch_size, settings.seed)
        self.word_scale = 1 / texts.mean_length()
        self.precision = choose_precision(precision, self.device)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(settings.seed)
            self.model = ResidualNetwork(texts.dim, settings).to(self.device)
        self.optimizer = torch.optim.Adam(
            self.model.parameters(), settings.learning_rate, weight_decay=settings.weight_decay
        )
        self.parts = {"model": self.model, "optimizer": self.optimizer}

    def step(self, step: Step) -> tuple[float, float]:
        """Descend along the mean gradients of all processes' batches."""
        self.optimizer.zero_grad()
        total, num = self.loss(self.batches.batch(step.batch))
        (total / max(num, 1)).backward()  # type: ignore[no-untyped-call]
        mean, examples = average_gradients(
            list(self.model.parameters()),
            float(total.detach()) / max(num, 1),
            0 if step.idle else num,
            self.workers,
        )
        if examples:
            self.optimizer.step()
        return mean * examples, examples

    def loss(self, texts: GroupedTexts) -> tuple[Tensor, int]:
        """The summed loss of a batch, and the number of its triplets."""
        vectors = self._encode(texts)
        queries, answers = np.flatnonzero(texts.is_query), np.flatnonzero(texts.is_answer)
        same = texts.groups[queries][:, None] == texts.groups[answers]
        positive = torch.from_numpy(same & (queries[:, None] != answers)).to(self.device)
        negative = torch.from_numpy(~same).to(self.device)
        distance = distances(vectors[queries], vectors[answers])
        return LOSSES[self.settings.mining](distance, positive, negative, self.settings.margin)

    def _encode(self, texts: GroupedTexts) -> Tensor:
        enabled = self.precision != torch.float32
        with torch.autocast(self.device.type, self.precision, enabled=enabled):
            vectors: Tensor = self.model(
                torch.from_numpy(texts.bases).to(self.device),
                torch.from_numpy(texts.words).to(self.device) * self.word_scale,
                torch.from_numpy(texts.counts).to(self.device),
            )
        return vectors

    @torch.no_grad()
    def encode(self, texts: GroupedTexts) -> FloatArray:
        """The vectors of texts, float32 [num_texts, dim], of unit length or zeros."""
        vectors = np.empty_like(texts.bases)
        for start in range(0, len(texts), _TEXTS_AT_ONCE):
            numbers = np.arange(start, min(start + _TEXTS_AT_ONCE, len(texts)))
            vectors[numbers] = self._encode(texts.take(numbers)).cpu().numpy()
        return vectors

    def to_head(self) -> ResidualHead:
        """The trained network as an adapter of the runtime."""
        return self.model.to_head(self.word_scale)

    def measure(self, epoch: Epoch) -> Measurement:
        """The mean loss of the epoch."""
        return Measurement(round(epoch.loss, 6), f"loss {epoch.loss:.5f}")
