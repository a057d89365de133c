"""The training loop of CharEmb: mixed precision, early stopping, checkpoints, torchrun.

One machine:      pocketintent train charemb --target vectors.bin --out model.safetensors
Several GPUs:     torchrun --nproc-per-node 4 -m pocketintent train charemb ... --device cuda
"""

from __future__ import annotations

import math
import os
import pickle
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from pocketintent.runtime.encoders.charemb.network import CharNetwork
from pocketintent.runtime.errors import PocketIntentError, require
from pocketintent.training.charemb.data import CharBatches, CharEmbData
from pocketintent.training.charemb.model import CharEmb
from pocketintent.training.charemb.objective import CharEmbObjective
from pocketintent.training.charemb.settings import CharEmbSettings
from pocketintent.training.loop.devices import Workers
from pocketintent.training.loop.gradients import average_gradients
from pocketintent.training.loop.precision import Precision, choose_precision
from pocketintent.training.loop.trainer import CHECKPOINT


def build_network(settings: CharEmbSettings, dim: int) -> CharNetwork:
    """The network's sizes that the settings ask for, for vectors of ``dim`` numbers."""
    return CharNetwork(
        dim=dim,
        cell=settings.cell,
        char_dim=settings.hidden if settings.cell == "transformer" else settings.char_dim,
        hidden=settings.hidden,
        layers=settings.layers,
        bidirectional=settings.bidirectional,
        mlp=settings.mlp,
        heads=settings.heads,
        norm=settings.norm_weight > 0,
    )


class CharEmbTrainer:
    """Trains a character network until nothing gets better.

    Args:
        data: Terms to learn and terms kept out.
        settings: The settings of the run.
        folder: Where the checkpoint is kept.
        device: Torch device.
        workers: The processes that train together; each takes every ``count``-th batch of a
            step, so a step of n processes is n times as large. Their gradients are averaged
            in one message, which is all that models of this size need.
        precision: Of the products: ``auto`` is bfloat16 on a GPU that has it, float16 with a
            scaled loss on another, and float32 on a CPU.
        max_minutes: Stop after so much training, resumed parts included; None for no limit.
        checkpoint_seconds: Time between two checkpoints; one is also written at each epoch's end.
        report: Receives a line of text after each epoch.

    Attributes:
        model: The network.
        history: Of each epoch ``loss``, ``learning_rate`` and, where terms are kept out,
            ``cosine`` of these.
        seconds: Time spent on training, resumed parts included.
    """

    def __init__(
        self,
        data: CharEmbData,
        settings: CharEmbSettings,
        folder: Path,
        *,
        device: str = "cpu",
        workers: Workers | None = None,
        precision: Precision = "auto",
        max_minutes: float | None = None,
        checkpoint_seconds: float = 120.0,
        report: Callable[[str], None] = lambda line: None,
    ) -> None:
        self.data = data
        self.settings = settings
        self.workers = workers or Workers()
        self.device = torch.device(device)
        self.batches = CharBatches(data.vocabulary, data.training, settings)
        network = build_network(settings, data.training.directions.shape[1])
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(settings.seed)
            model = CharEmb(network, len(data.vocabulary), settings.max_chars, settings.dropout)
        model.set_mean_log_norm(float(data.training.log_norms.mean()))
        self.model = model.to(self.device)
        self.optimizer = torch.optim.Adam(
            self.model.parameters(), settings.learning_rate, weight_decay=settings.weight_decay
        )
        self.precision = choose_precision(precision, self.device)
        self.objective = CharEmbObjective(
            self.model, data, settings.norm_weight, self.device, self.precision
        )
        self._scaler = torch.amp.GradScaler(
            self.device.type, enabled=self.precision == torch.float16
        )
        self.history: list[dict[str, float]] = []
        self.seconds = 0.0
        self._folder = folder
        self._max_seconds = math.inf if max_minutes is None else 60 * max_minutes
        self._checkpoint_seconds = checkpoint_seconds
        self._report = report
        self._next = (0, 0)  # epoch and batch that come next
        self._sums = (0.0, 0.0)  # loss and terms of the epoch so far
        self._best: dict[str, Any] | None = None  # epoch, cosine and weights
        self._stopped = False

    @property
    def best_epoch(self) -> int:
        """The epoch, from 1, whose weights are the result."""
        return len(self.history) if self._best is None else int(self._best["epoch"])

    def resume(self) -> bool:
        """Take up the folder's checkpoint, where there is one.

        Returns:
            Whether there was one.

        Raises:
            PocketIntentError: The checkpoint cannot be read, or belongs to other settings.
        """
        path = self._folder / CHECKPOINT
        if not path.exists():
            return False
        try:
            state = torch.load(path, map_location="cpu", weights_only=True)
            self.model.load_state_dict(state["model"])
            self.optimizer.load_state_dict(state["optimizer"])
            self._scaler.load_state_dict(state["scaler"])
            self._next = (state["epoch"], state["batch"])
            self._sums = (state["loss"], state["terms"])
            self.history, self.seconds = state["history"], state["seconds"]
            self._best, self._stopped = state["best"], state["stopped"]
        except (RuntimeError, KeyError, ValueError, EOFError, OSError, pickle.UnpicklingError) as e:
            raise PocketIntentError(
                f"{path}: cannot go on from this checkpoint ({e}); remove it to start anew"
            ) from e
        return True

    def train(self, stop_after: int | None = None) -> None:
        """Train until the epochs or the time are over, or the validation cosine stays.

        Then the model has the weights of the epoch with the best validation cosine; the last
        ones where no terms are kept out.

        Args:
            stop_after: Stop, with a checkpoint, after this many steps; None trains to the end.

        Raises:
            PocketIntentError: The loss is no longer a number.
        """
        tqdm = require("tqdm", "train").tqdm
        if self.device.type == "cuda":
            os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
            torch.use_deterministic_algorithms(True, warn_only=True)
        started, before = time.monotonic(), self.seconds
        saved, steps, epochs = started, 0, self.settings.epochs
        with tqdm(
            total=epochs * len(self.batches),
            initial=self._next[0] * len(self.batches) + self._next[1],
            unit=" steps",
            disable=self.workers.rank > 0,
            mininterval=0.2 if sys.stderr.isatty() else 15.0,
        ) as progress:
            while not self._is_done() and steps != stop_after:
                progress.set_postfix_str(f"loss {self._train_batch():.4f}", refresh=False)
                progress.update(self._next[0] * len(self.batches) + self._next[1] - progress.n)
                steps += 1
                self.seconds = before + time.monotonic() - started
                if self._next[1] == 0 or time.monotonic() - saved > self._checkpoint_seconds:
                    self._save()
                    saved = time.monotonic()
        if self._stopped and self._next[1]:
            self._end_epoch()  # time was over in the middle of an epoch
        self._save()
        if self._is_done() and self._best is not None:
            self.model.load_state_dict(self._best["model"])

    def _is_done(self) -> bool:
        return self._stopped or self._next[0] >= self.settings.epochs

    def _train_batch(self) -> float:
        """Take one step; returns the epoch's mean loss so far."""
        epoch, number = self._next
        workers, own = self.workers, self._next[1] + self.workers.rank
        self.batches.start_epoch(epoch)
        batch = self.batches.batch(min(own, len(self.batches) - 1))
        for group in self.optimizer.param_groups:
            group["lr"] = self.learning_rate
        # Dropout then depends on the place in the run alone, as all else does.
        torch.manual_seed(_mix(self.settings.seed, epoch, own))
        self.model.train()
        self.optimizer.zero_grad()
        loss = self.objective.loss(batch)
        self._scaler.scale(loss).backward()  # type: ignore[no-untyped-call]
        size = len(batch.rows) if own < len(self.batches) else 0  # fewer batches than processes
        # The first process' clock ends the run for all of them, in the same message.
        over = workers.rank == 0 and self.seconds >= self._max_seconds
        total, terms, self._stopped = average_gradients(
            list(self.model.parameters()), float(loss.detach()), size, over, workers
        )
        if not math.isfinite(total):
            raise PocketIntentError(
                f"the loss is not a number in epoch {epoch + 1}; lower --learning-rate"
            )
        self._scaler.unscale_(self.optimizer)
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.settings.clip)
        self._scaler.step(self.optimizer)
        self._scaler.update()
        self._sums = (self._sums[0] + total * terms, self._sums[1] + terms)
        self._next = (epoch, number + workers.count)
        if self._next[1] >= len(self.batches):
            return self._end_epoch()
        return self._sums[0] / self._sums[1]

    @property
    def learning_rate(self) -> float:
        """Of the next step."""
        settings = self.settings
        if settings.schedule == "constant":
            return settings.learning_rate
        done = (self._next[0] + self._next[1] / len(self.batches)) / settings.epochs
        return settings.learning_rate * (1 - done)

    def _end_epoch(self) -> float:
        """Measure, keep the best weights, and go to the next epoch; returns the mean loss."""
        mean = self._sums[0] / self._sums[1]
        epoch = self._next[0] + 1
        entry = {"loss": round(mean, 6), "learning_rate": self.learning_rate}
        line = f"epoch {epoch} of {self.settings.epochs}: loss {mean:.5f}"
        if len(self.data.validation):
            entry["cosine"] = cosine = self._validation_cosine()
            line += f", validation cosine {cosine:.5f}"
            if self._best is None or cosine > self._best["cosine"]:
                weights = {k: v.detach().cpu().clone() for k, v in self.model.state_dict().items()}
                self._best = {"epoch": epoch, "cosine": cosine, "model": weights}
            waited = epoch - self._best["epoch"]
            if self.settings.patience and waited >= self.settings.patience:
                self._stopped = True
                line += f"; best in epoch {self._best['epoch']}, so this is the end"
        self.history.append(entry)
        self._next, self._sums = (epoch, 0), (0.0, 0.0)
        self._report(line)
        return mean

    def _validation_cosine(self) -> float:
        """Of the terms that are kept out; that of the first process."""
        mean = torch.tensor(
            self.objective.validation_cosine(), device=self.device, dtype=torch.float64
        )
        if self.workers.count > 1:
            torch.distributed.broadcast(mean, 0)
        return round(float(mean), 6)

    def _save(self) -> None:
        # The others do not wait, as in the trainer of StarSpace.
        if self.workers.rank > 0:
            return
        state = {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "scaler": self._scaler.state_dict(),
            "epoch": self._next[0],
            "batch": self._next[1],
            "loss": self._sums[0],
            "terms": self._sums[1],
            "history": self.history,
            "seconds": self.seconds,
            "best": self._best,
            "stopped": self._stopped,
        }
        temporary = self._folder / f"{CHECKPOINT}.new"
        torch.save(state, temporary)
        os.replace(temporary, self._folder / CHECKPOINT)


def _mix(*numbers: int) -> int:
    """One seed of several numbers."""
    return int(np.random.SeedSequence(numbers).generate_state(1, np.uint64)[0] >> 1)
