"""The objective of InferSent: its loss, the schedule of its learning rate, and its validation."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from pocketintent.runtime.arrays import IntArray
from pocketintent.training.loop.descent import BestWeights, Descent
from pocketintent.training.loop.devices import Precision, Workers, choose_precision
from pocketintent.training.loop.trainer import Epoch, Measurement, Step, Trainable
from pocketintent_lab.training.infersent.data import PairBatch, PairBatches, PairData, PairSet
from pocketintent_lab.training.infersent.model import InferSent
from pocketintent_lab.training.infersent.settings import InferSentSettings

_PAIRS_AT_ONCE = 256  # when the validation pairs are measured


class InferSentTraining(Trainable):
    """Trains InferSent until the validation figure stops rising.

    The loss of a pair is the Kullback-Leibler divergence of the classifier's distribution from the
    target; for a target of a single class this is the cross-entropy.

    Args:
        data: Training and validation pairs.
        settings: The settings of the run.
        device: Torch device.
        workers: The processes that train together.
        precision: Precision of matrix products, see :func:`choose_precision`.

    Attributes:
        model: The network and its classifiers.
    """

    unit = "steps"

    def __init__(
        self,
        data: PairData,
        settings: InferSentSettings,
        *,
        device: str = "cpu",
        workers: Workers | None = None,
        precision: Precision = "auto",
    ) -> None:
        self.data = data
        self.settings = settings
        self.workers = workers or Workers()
        self.device = torch.device(device)
        self.batches = PairBatches(data, settings.batch_size, settings.seed)
        self.epochs, self.units_per_epoch = settings.epochs, len(self.batches)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(settings.seed)
            model = InferSent(
                data.sentences.vectors,
                settings.hidden,
                settings.mlp,
                {pairs.question: len(pairs.classes) for pairs in data.training},
                settings.dropout,
            )
        self.model = model.to(self.device)
        optimizer = torch.optim.SGD if settings.optimizer == "sgd" else torch.optim.Adam
        self.learning_rate = settings.first_learning_rate
        self.precision = choose_precision(precision, self.device, recurrent=True)
        self._descent = Descent(
            self.model,
            optimizer(self.model.parameters(), 1.0),  # of which the steps take a share
            self.workers,
            self.precision,
            settings.clip,
        )
        self._best = BestWeights(self.model)
        self.parts = {**self._descent.parts, "best": self._best}

    def best_epoch(self, num_epochs: int) -> int:
        """The epoch, from 1, whose weights are the result of a run of ``num_epochs``."""
        return self._best.epoch or num_epochs

    def step(self, step: Step) -> tuple[float, float]:
        """Descend along the mean gradients of all processes' batches."""
        batch = self.batches.batch(step.batch)
        return self._descent.step(
            lambda: self.loss(batch),
            0 if step.idle else len(batch.targets),
            self.learning_rate,
            (self.settings.seed, step.epoch, step.batch),
        )

    def loss(self, batch: PairBatch) -> Tensor:
        """The mean divergence of a batch, scalar."""
        logits = self.logits(batch.question, batch.sentences)
        targets = torch.from_numpy(batch.targets).to(self.device)
        return torch.nn.functional.kl_div(logits.log_softmax(1), targets, reduction="batchmean")

    def logits(self, question: str, sentences: IntArray) -> Tensor:
        """The scores of the classes, float32 [num_pairs, num_classes].

        Args:
            question: The question that the pairs answer.
            sentences: Numbers of the first sentences and then of the second, [2 * num_pairs].
        """
        words, lengths = self.data.sentences.words(sentences)
        enabled = self.precision != torch.float32
        with torch.autocast(self.device.type, self.precision, enabled=enabled):
            logits: Tensor = self.model(
                question, torch.from_numpy(words).to(self.device), torch.from_numpy(lengths)
            )
        return logits

    def measure(self, epoch: Epoch) -> Measurement:
        """Mean loss, learning rate and, if pairs are held out, their figures.

        As in the paper, the learning rate decays after each epoch, and more after an epoch
        without a better figure, the mean over the questions; the best weights are kept.
        """
        entry: dict[str, Any] = {
            "loss": round(epoch.loss, 6),
            "learning_rate": self.learning_rate,
        }
        line = f"loss {epoch.loss:.5f}"
        stop = False
        if self.data.validation:
            figures = {
                pairs.question: round(self.workers.from_leader(self.validate(pairs)), 6)
                for pairs in self.data.validation
            }
            entry["validation"] = figures
            line += "".join(f", validation {k} {v:.4f}" for k, v in figures.items())
            if not self._best.offer(epoch.number, float(np.mean(list(figures.values())))):
                self.learning_rate /= self.settings.shrink
                stop = self.learning_rate < self.settings.min_learning_rate
        self.learning_rate *= self.settings.decay
        if stop:
            line += f"; the best was epoch {self._best.epoch}, so training ends"
        return Measurement(entry, line, stop)

    @torch.no_grad()
    def validate(self, pairs: PairSet) -> float:
        """The share of the pairs whose class is right or, of scores, the Pearson correlation.

        The score of a distribution is its mean.
        """
        self.model.eval()
        order = np.argsort(self.data.sentences.lengths[pairs.pairs].max(axis=1), kind="stable")
        results = []
        for start in range(0, len(order), _PAIRS_AT_ONCE):
            rows = pairs.pairs[order[start : start + _PAIRS_AT_ONCE]]
            results.append(self.logits(pairs.question, rows.T.reshape(-1)).softmax(1).cpu().numpy())
        found, targets = np.concatenate(results), pairs.targets[order]
        if pairs.question != "score":
            return float((found.argmax(1) == targets.argmax(1)).mean())
        numbers = np.arange(targets.shape[1])
        scores = np.stack([found @ numbers, targets @ numbers]).astype(np.float64)
        if len(order) < 2 or (np.ptp(scores, axis=1) == 0).any():
            return 0.0  # no correlation is defined
        return float(np.corrcoef(scores)[0, 1])

    def state(self) -> dict[str, Any]:
        """The model, the optimiser, the best weights so far and the learning rate."""
        return super().state() | {"learning_rate": self.learning_rate}

    def load_state(self, state: dict[str, Any]) -> None:
        """Continue from the state of a checkpoint."""
        super().load_state(state)
        self.learning_rate = state["learning_rate"]

    def finish(self) -> None:
        """Restore the best weights; the last ones stay if no pairs are held out."""
        self._best.restore()
