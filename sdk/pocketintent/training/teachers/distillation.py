"""What the encoders that learn a teacher's vectors share: loss, measurement, turned targets."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from pocketintent.runtime.arrays import FloatArray
from pocketintent.training.loop.trainer import Epoch, Measurement, Trainable
from pocketintent.training.teachers.targets import TargetTexts, TextData, alignment

_TEMPERATURE = 1 / 20
_MEASURED_TEXTS = 4096
_ALIGNED_TEXTS = 8192


class Distillation(Trainable):
    """Training on texts with their targets; ``settings`` has the weights of the loss."""

    data: TextData
    settings: Any

    @abstractmethod
    def encode_texts(self, texts: TargetTexts) -> FloatArray:
        """The vectors of texts, float32 [num_texts, dim], without gradients."""

    def measure(self, epoch: Epoch) -> Measurement:
        """The mean loss, and the mean cosine of at most 4,096 texts held out, if there are any."""
        entry: dict[str, float] = {"loss": round(epoch.loss, 6)}
        line = f"loss {epoch.loss:.5f}"
        texts = self.data.validation
        if len(texts):
            texts = texts.take(np.arange(min(len(texts), _MEASURED_TEXTS)))
            cosine = float((self.encode_texts(texts) * texts.targets).sum(axis=1).mean())
            entry["cosine"] = round(self.workers.from_leader(cosine), 6)
            line += f", validation cosine {entry['cosine']:.5f}"
        return Measurement(entry, line)

    def align_targets(self) -> None:
        """Turn the targets to the directions of a model that has been trained before."""
        texts = self.data.training
        drawn = np.random.default_rng(self.settings.seed).permutation(len(texts))[:_ALIGNED_TEXTS]
        texts = texts.take(drawn)
        self.data = self.data.turn(alignment(texts.targets, self.encode_texts(texts)))


def distillation_loss(vectors: Tensor, targets: Tensor, settings: Any) -> Tensor:
    """The mean loss of a batch, scalar, from unit vectors and targets, float32 [num_texts, dim].

    That of a text is ``1 - cosine`` between its vector and its target. Two terms, weighted by
    ``settings``, compare the texts of a batch: the squared differences between the similarities of
    the vectors and those of the targets, and the cross-entropy of finding a text's own target among
    those of the batch.
    """
    loss = 1 - (vectors * targets).sum(1).mean()
    if settings.similarity_weight:
        errors = vectors @ vectors.T - targets @ targets.T
        loss = loss + settings.similarity_weight * errors.square().mean()
    if settings.contrast_weight:
        own = torch.arange(len(targets), device=targets.device)
        entropy = functional.cross_entropy(vectors @ targets.T / _TEMPERATURE, own)
        loss = loss + settings.contrast_weight * entropy
    return loss
