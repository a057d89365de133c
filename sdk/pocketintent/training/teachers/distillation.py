"""What the encoders that learn a teacher's vectors share: loss, measurement, turned targets."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from pocketintent.compression.background import add_background
from pocketintent.compression.quantise import add_template_quantizer
from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.training.corpora.reader import read_texts
from pocketintent.training.loop.run import Run, RunOptions
from pocketintent.training.loop.trainer import Epoch, Measurement, Trainable
from pocketintent.training.teachers.targets import TargetTexts, TextData, alignment

EncoderT = TypeVar("EncoderT", bound=ModelEncoder)

_FEW_STEPS = 200  # the learning rate rises for half of them
_TEMPERATURE = 1 / 20
_MEASURED_TEXTS = 4096
_ALIGNED_TEXTS = 8192


class Distillation(Trainable):
    """Training on texts with their targets; ``settings`` has the weights of the loss."""

    data: TextData
    settings: Any
    precision: torch.dtype

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


def train_run(
    run: Run,
    task: Distillation,
    method: str,
    targets: Sequence[str | Path],
    options: RunOptions,
    max_minutes: float | None,
) -> tuple[dict[str, Any], float]:
    """Train the task of a run; returns the manifest's entry ``training`` and the seconds."""
    settings = task.settings
    if (steps := settings.epochs * task.batches.batches_per_epoch) < _FEW_STEPS:
        run.report(
            f"{steps} steps in all teach little: give a smaller --batch-words than "
            f"{settings.batch_words}, or more --epochs than {settings.epochs}"
        )
    trainer = run.train(task, max_minutes=max_minutes)
    training = {
        "method": method,
        "targets": run.inputs[: len(targets)],
        "settings": asdict(settings),
        "texts": {"training": len(task.data.training), "validation": len(task.data.validation)},
        "history": trainer.history,
        "precision": str(task.precision).rpartition(".")[2],
        "command": options.command,
    }
    return training, round(trainer.seconds, 1)


def learnt_encoder(
    old: EncoderT,
    learnt: Mapping[str, Any],
    training: Mapping[str, Any],
    entries: Mapping[str, Any],
    corpus: Sequence[str | Path],
    seed: int,
) -> EncoderT:
    """The encoder of a run: the old one with what it has ``learnt``, its record and ``entries``.

    A ``corpus`` gives it a codebook for templates and a background, drawn by ``seed``; without one
    it keeps the old ones.
    """
    if "training" in old.manifest:
        training = {**training, "start": old.manifest["training"]}
    manifest = {key: value for key, value in old.manifest.items() if key != "quality"}
    encoder = old.replace(**learnt, manifest={**manifest, "training": training, **entries})
    if corpus:
        encoder = add_template_quantizer(encoder, read_texts(corpus), seed=seed)
        encoder = add_background(encoder, read_texts(corpus), seed=seed)
    return encoder
