"""The steps of masked-language-model training."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from pocketintent.training.loop.descent import average_gradients
from pocketintent.training.loop.devices import Precision, Workers, choose_precision
from pocketintent.training.loop.trainer import Epoch, Measurement, Step, Trainable
from pocketintent_lab.training.masked_lm.data import MaskedBatch, MaskedBatches
from pocketintent_lab.training.masked_lm.settings import MaskedLmSettings

_CLIP = 1.0  # largest norm of the gradient


class MaskedLmTraining(Trainable):
    """Trains a masked language model of transformers on the cross-entropy of masked tokens.

    Args:
        model: A ``BertForMaskedLM``, changed in place.
        batches: Its batches.
        device: Torch device.
        workers: The processes that train together, whose gradients are averaged.
        precision: Precision of the products, see :func:`choose_precision`.
    """

    unit = "tokens"

    def __init__(
        self,
        model: Any,
        batches: MaskedBatches,
        *,
        device: str = "cpu",
        workers: Workers | None = None,
        precision: Precision = "auto",
    ) -> None:
        self.settings: MaskedLmSettings = batches.settings
        self.batches = batches
        self.workers = workers or Workers()
        self.device = torch.device(device)
        self.model = model.to(self.device)
        self.epochs = self.settings.epochs
        self.units_per_epoch = batches.tokens_per_epoch
        self.precision = choose_precision(precision, self.device)
        parameters = list(self.model.parameters())
        matrices = [part for part in parameters if part.ndim > 1]
        others = [part for part in parameters if part.ndim == 1]
        self.optimizer = torch.optim.AdamW(
            [
                {"params": matrices, "weight_decay": self.settings.weight_decay},
                {"params": others, "weight_decay": 0.0},
            ],
            self.settings.learning_rate,
            betas=(0.9, 0.98),
        )
        self.parts = {"model": self.model, "optimizer": self.optimizer}

    def step(self, step: Step) -> tuple[float, float]:
        """Descend along the mean gradients of all processes' batches."""
        batch = self.batches.batch(step.batch)
        rise = self.settings.warm_up
        rate = min((step.progress + 1e-3) / rise, (1 - step.progress) / (1 - rise), 1.0)
        for group in self.optimizer.param_groups:
            group["lr"] = self.settings.learning_rate * rate
        self.optimizer.zero_grad()
        loss = self.loss(batch)
        loss.backward()  # type: ignore[no-untyped-call]
        size = 0 if step.idle else len(batch.labels)
        mean, tokens = average_gradients(
            list(self.model.parameters()), float(loss.detach()), size, self.workers
        )
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), _CLIP)
        self.optimizer.step()
        return mean * tokens, tokens

    def loss(self, batch: MaskedBatch) -> Tensor:
        """The mean cross-entropy of a batch's masked tokens, in nats, scalar."""
        ids, places, labels = (
            torch.from_numpy(part).to(self.device)
            for part in (batch.ids, batch.places, batch.labels)
        )
        enabled = self.precision != torch.float32
        with torch.autocast(self.device.type, self.precision, enabled=enabled):
            states = self.model.base_model(ids).last_hidden_state
            scores = self.model.cls(states.flatten(0, 1)[places])
        return functional.cross_entropy(scores.float(), labels)

    def measure(self, epoch: Epoch) -> Measurement:
        """The mean loss, and that of the texts held out, if there are any."""
        entry = {"loss": round(epoch.loss, 6)}
        line = f"loss {epoch.loss:.5f}"
        if len(self.batches.validation):
            loss = round(self.workers.from_leader(self.validation_loss()), 6)
            entry["validation_loss"] = loss
            line += f", validation loss {loss:.5f}, perplexity {math.exp(loss):.1f}"
        return Measurement(entry, line)

    @torch.no_grad()
    def validation_loss(self) -> float:
        """The mean cross-entropy of the held-out texts, with the same masks in each epoch."""
        rng = np.random.default_rng(self.settings.seed)
        total = tokens = 0.0
        for texts in self.batches.split(self.batches.validation):
            batch = self.batches.make_batch(texts, rng)
            total += float(self.loss(batch)) * len(batch.labels)
            tokens += len(batch.labels)
        return total / tokens
