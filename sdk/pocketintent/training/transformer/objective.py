"""The objective of transformer encoders: batches, loss, and the steps of the optimiser."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from pocketintent.runtime.arrays import FloatArray, IndexArray, IntArray
from pocketintent.runtime.encoders.transformer.encoder import TransformerEncoder
from pocketintent.training.corpora.encoded import cut, ragged_ranges
from pocketintent.training.loop.descent import Descent
from pocketintent.training.loop.devices import Precision, Workers, choose_precision
from pocketintent.training.loop.trainer import Step
from pocketintent.training.teachers.distillation import Distillation, distillation_loss
from pocketintent.training.teachers.targets import TargetTexts, TextData
from pocketintent.training.transformer.model import TransformerModel
from pocketintent.training.transformer.paraphrases import ALONE, LabelledTexts, Paraphrases
from pocketintent.training.transformer.settings import TransformerSettings

_BETAS = (0.9, 0.98)
_WARM_UP = 100  # steps
_CLIP = 1.0  # largest norm of the gradient
_PADDED_TOGETHER = 64  # texts, the shorter ones apart from the longer ones


@dataclass(frozen=True)
class Batch:
    """The texts of a step."""

    texts: TargetTexts
    """Texts with their targets."""
    paraphrases: LabelledTexts
    """Texts some of which mean the same; may be empty."""


class Batches:
    """Batches of texts of any length, each a function of seed, epoch and number alone."""

    def __init__(
        self, data: TextData, settings: TransformerSettings, paraphrases: Paraphrases | None
    ) -> None:
        self._data, self._settings, self._paraphrases = data, settings, paraphrases
        self.words_per_epoch = len(data.training.ids)
        # But for the limit of texts in a batch.
        self.batches_per_epoch = max(1, -(-self.words_per_epoch // settings.batch_words))

    def start_epoch(self, epoch: int) -> int:
        """Shuffle the texts for an epoch; returns the number of batches."""
        order = np.random.default_rng([self._settings.seed, epoch]).permutation(
            len(self._data.training)
        )
        self._batches = cut(order, self._data.training.lengths[order], self._settings.batch_words)
        self._epoch = epoch
        return len(self._batches)

    def batch(self, number: int) -> Batch:
        """One batch of the current epoch."""
        texts = self._data.training.take(self._batches[number])
        if self._paraphrases is None:
            return Batch(texts, LabelledTexts([], np.zeros(0, np.int64)))
        rng = np.random.default_rng([self._settings.seed, self._epoch, number])
        return Batch(texts, self._paraphrases.draw(rng))


class TransformerTraining(Distillation):
    """Trains the words and the network of a transformer encoder, a copy.

    The loss is that of :func:`distillation_loss`, and with ``paraphrases`` their weighted
    :func:`contrast`. For ``precision`` see :func:`choose_precision`.
    """

    unit = "pieces"

    def __init__(
        self,
        data: TextData,
        settings: TransformerSettings,
        encoder: TransformerEncoder,
        paraphrases: Paraphrases | None = None,
        *,
        device: str = "cpu",
        workers: Workers | None = None,
        precision: Precision = "auto",
    ) -> None:
        self.data, self.settings, self._paraphrases = data, settings, paraphrases
        self.workers = workers or Workers()
        self.device = torch.device(device)
        self.batches = Batches(data, settings, paraphrases)
        self.epochs, self.units_per_epoch = settings.epochs, self.batches.words_per_epoch
        self.model = TransformerModel(encoder, self.device)
        trained = [part for part in self.model.parameters() if part.requires_grad]
        self._optimizer = torch.optim.AdamW(
            [{"params": trained, "steps": 0}],
            settings.learning_rate,
            betas=_BETAS,
            weight_decay=0.0,
            fused=True,
        )
        self.precision = choose_precision(precision, self.device)
        self._descent = Descent(self.model, self._optimizer, self.workers, self.precision, _CLIP)
        self.parts = self._descent.parts

    def step(self, step: Step) -> tuple[float, float]:
        """Descend along the mean gradients of all processes' batches."""
        batch = self.batches.batch(step.batch)
        group = self._optimizer.param_groups[0]
        group["steps"] += 1
        return self._descent.step(
            lambda: self._loss(batch),
            0 if step.idle else len(batch.texts),
            min(1.0, group["steps"] / _WARM_UP) * (1 - step.progress),
            (self.settings.seed, step.epoch, step.batch),
        )

    def _loss(self, batch: Batch) -> Tensor:
        texts, labelled = batch.texts, batch.paraphrases
        lengths = np.array([len(text) for text in labelled.texts], np.int64)
        vectors = self.encode(
            np.concatenate([texts.ids, *labelled.texts]), np.append(texts.lengths, lengths)
        )
        targets = torch.from_numpy(texts.targets).to(self.device, non_blocking=True)
        loss = distillation_loss(vectors[: len(texts)], targets, self.settings)
        if labelled.texts and self.settings.paraphrase_weight:
            labels = torch.from_numpy(labelled.labels).to(self.device)
            contrasted = contrast(
                vectors[len(texts) :], labels, self.settings.paraphrase_temperature
            )
            loss = loss + self.settings.paraphrase_weight * contrasted
        return loss

    def encode(self, ids: IntArray, lengths: IntArray) -> Tensor:
        """The vectors of texts, one after the other in ``ids``: float32 [num_texts, dim]."""
        order = np.argsort(lengths, kind="stable")
        starts = np.cumsum(lengths) - lengths
        groups = np.array_split(order, -(-len(order) // _PADDED_TOGETHER))
        # The rows are read once: each reading has gradients of the size of the whole table.
        distinct, tokens = np.unique(ids, return_inverse=True)
        rows = self.model.words.take(distinct)
        enabled = self.precision != torch.float32
        with torch.autocast(self.device.type, self.precision, enabled=enabled):
            parts = [self.model(rows, *_pad(tokens, starts[own], lengths[own])) for own in groups]
        places = torch.from_numpy(np.argsort(order, kind="stable")).to(self.device)
        return torch.cat(parts).float().index_select(0, places)

    @torch.no_grad()
    def encode_texts(self, texts: TargetTexts) -> FloatArray:
        """The vectors of texts, float32 [num_texts, dim], without gradients."""
        vectors = np.empty_like(texts.targets)
        for numbers in cut(np.arange(len(texts)), texts.lengths, self.settings.batch_words):
            part = texts.take(numbers)
            vectors[numbers] = self.encode(part.ids, part.lengths).cpu().numpy()
        return vectors

    def align_targets(self) -> None:
        """Turn the targets to the directions of the network that training starts from."""
        super().align_targets()
        self.batches = Batches(self.data, self.settings, self._paraphrases)


def _pad(ids: IntArray, starts: IndexArray, lengths: IntArray) -> tuple[IntArray, IntArray]:
    """Texts as the rows of an array, [num_texts, longest], with zeros at their ends; lengths."""
    padded = np.zeros((len(lengths), int(lengths.max())), np.int64)
    inside = np.arange(padded.shape[1]) < lengths[:, None]
    padded[inside] = ids[ragged_ranges(starts, lengths)]
    return padded, lengths


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
