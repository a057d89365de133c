"""What the encoders that learn a teacher's vectors share: steps, loss, measurement."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from pocketintent.compression.background import add_background
from pocketintent.compression.quantise import add_template_quantizer
from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.training.corpora.encoded import cut
from pocketintent.training.corpora.reader import read_texts
from pocketintent.training.loop.descent import Descent
from pocketintent.training.loop.devices import Precision, Workers, choose_precision
from pocketintent.training.loop.run import Run, RunOptions
from pocketintent.training.loop.trainer import Epoch, Measurement, Step, Trainable
from pocketintent.training.teachers.batches import Batch, Batches
from pocketintent.training.teachers.paraphrases import ALONE
from pocketintent.training.teachers.targets import TargetTexts, TextData, alignment

EncoderT = TypeVar("EncoderT", bound=ModelEncoder)

_FEW_STEPS = 200  # the learning rate rises for half of them
_BETAS = (0.9, 0.98)
_WARM_UP = 100  # steps
_CLIP = 1.0  # largest norm of the gradient of the first group of parameters
_TEMPERATURE = 1 / 20
_MEASURED_TEXTS = 4096
_ALIGNED_TEXTS = 8192


class Distillation(Trainable):
    """Training on texts with their targets, and on paraphrases; ``settings`` has the weights.

    The loss is that of :func:`distillation_loss`, and with paraphrases their weighted
    :func:`contrast`. For ``precision`` see :func:`choose_precision`. ``groups`` are the groups of
    the optimiser's parameters; the gradient of the first is clipped.
    """

    def __init__(
        self,
        data: TextData,
        settings: Any,
        model: nn.Module,
        groups: Sequence[dict[str, Any]],
        *,
        device: torch.device,
        workers: Workers | None,
        precision: Precision,
    ) -> None:
        self.data, self.settings, self.model, self.device = data, settings, model, device
        self.workers = workers or Workers()
        self.batches = Batches(data, settings)
        self.epochs, self.units_per_epoch = settings.epochs, self.batches.words_per_epoch
        self._optimizer = torch.optim.AdamW(
            list(groups), settings.learning_rate, betas=_BETAS, fused=True
        )
        self._optimizer.param_groups[0]["steps"] = 0
        self.precision = choose_precision(precision, device)
        self._descent = Descent(model, self._optimizer, self.workers, self.precision, _CLIP)
        self.parts = self._descent.parts

    @abstractmethod
    def encode(self, batch: Batch) -> Tensor:
        """The vectors of a batch's texts, float32 [num_texts, dim]."""

    def autocast(self) -> torch.autocast:
        """The context in which products have the precision of the run."""
        enabled = self.precision != torch.float32
        return torch.autocast(self.device.type, self.precision, enabled=enabled)

    def step(self, step: Step) -> tuple[float, float]:
        """Descend along the mean gradients of all processes' batches."""
        batch = self.batches.batch(step.batch)
        first = self._optimizer.param_groups[0]
        first["steps"] += 1
        return self._descent.step(
            lambda: self._loss(batch),
            0 if step.idle else len(batch.targets),
            min(1.0, first["steps"] / _WARM_UP) * (1 - step.progress),
            (self.settings.seed, step.epoch, step.batch),
        )

    def _loss(self, batch: Batch) -> Tensor:
        vectors, num = self.encode(batch), len(batch.targets)
        loss = distillation_loss(vectors[:num], self.to_device(batch.targets), self.settings)
        if len(batch.labels):
            labels = self.to_device(batch.labels)
            contrasted = contrast(vectors[num:], labels, self.settings.paraphrase_temperature)
            loss = loss + self.settings.paraphrase_weight * contrasted
        return loss

    @torch.no_grad()
    def encode_texts(self, texts: TargetTexts) -> FloatArray:
        """The vectors of texts, float32 [num_texts, dim], without gradients."""
        vectors = np.empty_like(texts.targets)
        for numbers in cut(np.arange(len(texts)), texts.lengths, self.settings.batch_words):
            batch = Batch.join(texts.take(numbers))
            vectors[numbers] = self.encode(batch).cpu().numpy()
        return vectors

    def to_device(self, array: NDArray[Any]) -> Tensor:
        """An array as a tensor on the device of the run."""
        return torch.from_numpy(np.ascontiguousarray(array)).to(self.device, non_blocking=True)

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
        self.batches = Batches(self.data, self.settings)


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


def contrast(vectors: Tensor, labels: Tensor, temperature: float) -> Tensor:
    """The supervised contrast of unit vectors, float32 [num_texts, dim], a scalar (Khosla 2020).

    It is the mean, over the texts that mean the same as another, of the cross-entropy of finding
    those others among all texts. A text with the label ``ALONE`` is only found by mistake.
    """
    itself = torch.eye(len(labels), dtype=torch.bool, device=labels.device)
    scores = (vectors @ vectors.T / temperature).masked_fill(itself, -torch.inf)
    same = (labels[:, None] == labels) & ~itself & (labels != ALONE)
    log_shares = torch.log_softmax(scores, dim=1).masked_fill(~same, 0.0)
    counts = same.sum(1)
    means = log_shares.sum(1)[counts > 0] / counts[counts > 0]
    return -means.mean() if len(means) else vectors.sum() * 0.0


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
