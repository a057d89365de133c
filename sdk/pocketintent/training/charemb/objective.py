"""The objective of CharEmb: its loss, its optimiser's steps, and early stopping."""

from __future__ import annotations

import numpy as np
import torch

from pocketintent.training.charemb.data import CharBatch, CharBatches, CharEmbData, make_batch
from pocketintent.training.charemb.model import CharEmb, build_network
from pocketintent.training.charemb.settings import CharEmbSettings
from pocketintent.training.loop.descent import BestWeights, Descent
from pocketintent.training.loop.devices import Precision, Workers, choose_precision
from pocketintent.training.loop.trainer import Epoch, Measurement, Step, Trainable

_TERMS_AT_ONCE = 1024  # when the validation terms are measured
_LEAST_SPREAD = 0.01  # of the logarithms of lengths, in the loss


class CharEmbTraining(Trainable):
    """Trains a character network, ``model``, until its validation cosine stops rising.

    The loss is the mean of 1 - cosine, plus the weighted squared errors of the logarithms of
    lengths. These are in standard deviations of the targets, so that one weight suits all. For
    ``precision`` see :func:`choose_precision`; with float16 the loss is scaled.
    """

    unit = "steps"

    def __init__(
        self,
        data: CharEmbData,
        settings: CharEmbSettings,
        *,
        device: str = "cpu",
        workers: Workers | None = None,
        precision: Precision = "auto",
    ) -> None:
        self.data, self.settings = data, settings
        self.workers = workers or Workers()
        self.device = torch.device(device)
        self.batches = CharBatches(data.vocabulary, data.training, settings)
        self.epochs, self.units_per_epoch = settings.epochs, len(self.batches)
        network = build_network(settings, data.training.directions.shape[1])
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(settings.seed)
            model = CharEmb(network, len(data.vocabulary), settings.max_chars, settings.dropout)
        model.set_mean_log_norm(float(data.training.log_norms.mean()))
        self.model = model.to(self.device)
        self.optimizer = torch.optim.Adam(
            self.model.parameters(), settings.learning_rate, weight_decay=settings.weight_decay
        )
        self.precision = choose_precision(precision, self.device, recurrent=settings.recurrent)
        self._descent = Descent(
            self.model, self.optimizer, self.workers, self.precision, settings.clip
        )
        self._directions = torch.from_numpy(data.training.directions)
        self._log_norms = torch.from_numpy(data.training.log_norms)
        # The floor keeps tiny differences of nearly equal lengths from dominating the loss.
        self._norm_scale = 1.0 / max(float(data.training.log_norms.std()), _LEAST_SPREAD)
        self._best = BestWeights(self.model)
        self.parts = {**self._descent.parts, "best": self._best}

    def best_epoch(self, num_epochs: int) -> int:
        """The epoch, from 1, whose weights are the result of a run of ``num_epochs``."""
        return self._best.epoch or num_epochs

    def rate(self, progress: float) -> float:
        """The factor of the learning rate after a share of the run."""
        return 1 - progress if self.settings.schedule == "linear" else 1.0

    def step(self, step: Step) -> tuple[float, float]:
        """Descend along the mean gradients of all processes' batches."""
        batch = self.batches.batch(step.batch)
        return self._descent.step(
            lambda: self.loss(batch),
            0 if step.idle else len(batch.rows),
            self.rate(step.progress),
            (self.settings.seed, step.epoch, step.batch),
        )

    def loss(self, batch: CharBatch) -> torch.Tensor:
        """The mean loss of a batch, scalar; see the class."""
        rows = torch.from_numpy(batch.rows)
        directions, log_norms = self.forward(batch)
        target = self._directions[rows].to(self.device)
        loss = 1.0 - (directions * target).sum(1).mean()
        if log_norms is not None:
            error = (log_norms - self._log_norms[rows].to(self.device)) * self._norm_scale
            loss = loss + self.settings.norm_weight * error.square().mean()
        return loss

    def forward(self, batch: CharBatch) -> tuple[torch.Tensor, torch.Tensor | None]:
        """Directions [terms, dim] and, if they are learnt, logarithms of lengths [terms]."""
        chars = torch.from_numpy(batch.chars).to(self.device)
        enabled = self.precision != torch.float32
        with torch.autocast(self.device.type, self.precision, enabled=enabled):
            result: tuple[torch.Tensor, torch.Tensor | None] = self.model(
                chars, torch.from_numpy(batch.lengths)
            )
        return result

    def measure(self, epoch: Epoch) -> Measurement:
        """Mean loss, learning rate and, if terms are held out, their cosine.

        Training ends after ``patience`` epochs without better weights; the best are kept.
        """
        rate = self.settings.learning_rate * self.rate(epoch.progress)
        entry = {"loss": round(epoch.loss, 6), "learning_rate": rate}
        line = f"loss {epoch.loss:.5f}"
        if not len(self.data.validation):
            return Measurement(entry, line)
        entry["cosine"] = cosine = round(self.workers.from_leader(self.validation_cosine()), 6)
        line += f", validation cosine {cosine:.5f}"
        self._best.offer(epoch.number, cosine)
        best = self.best_epoch(epoch.number)
        waited = epoch.number - best
        stop = bool(self.settings.patience) and waited >= self.settings.patience
        if stop:
            line += f"; the best was epoch {best}, so training ends"
        return Measurement(entry, line, stop)

    @torch.no_grad()
    def validation_cosine(self) -> float:
        """The mean cosine of the validation terms, of which there must be at least one."""
        self.model.eval()
        terms = self.data.validation
        order = np.argsort([len(text) for text in terms.texts], kind="stable")
        total = 0.0
        for start in range(0, len(terms), _TERMS_AT_ONCE):
            rows = order[start : start + _TERMS_AT_ONCE]
            batch = make_batch(self.data.vocabulary, [terms.texts[row] for row in rows], rows)
            directions, _ = self.forward(batch)
            target = torch.from_numpy(terms.directions[rows]).to(self.device)
            total += float((directions * target).sum())
        return total / len(terms)

    def finish(self) -> None:
        """Restore the best weights; the last ones stay if no terms are held out."""
        self._best.restore()
