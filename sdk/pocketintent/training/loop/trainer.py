"""The training loop: progress, checkpoints, resuming, and several processes by torchrun.

One machine:      pocketintent train starspace --corpus corpus.txt --out model.safetensors
Several GPUs:     torchrun --nproc-per-node 4 -m pocketintent train starspace ... --device cuda
"""

from __future__ import annotations

import math
import os
import pickle
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from pocketintent.runtime.errors import PocketIntentError, require
from pocketintent.training.loop.devices import Workers
from pocketintent.training.loop.sparse_rows import BatchGradients, SparseRows
from pocketintent.training.starspace.data import Batches

CHECKPOINT = "checkpoint.pt"

BatchT = TypeVar("BatchT")
BatchInT = TypeVar("BatchInT", contravariant=True)


class Schedule(Protocol):
    """What the loop reads of a run's settings."""

    @property
    def epochs(self) -> int:
        """Passes over the batches."""
        ...

    @property
    def learning_rate(self) -> float:
        """Of the first step; falls linearly to zero."""
        ...


class Model(Protocol[BatchInT]):
    """Embedding tables, and what a batch says about their rows."""

    @property
    def settings(self) -> Schedule:
        """The run's settings."""
        ...

    @property
    def device(self) -> Any:
        """The torch device of the tables."""
        ...

    def tables(self) -> dict[str, SparseRows]:
        """What training changes, by name."""
        ...

    def gradients(self, batch: BatchInT) -> BatchGradients:
        """Summed loss of a batch, and its gradient for the rows that it uses."""
        ...

    def step(self, gradients: BatchGradients, learning_rate: float) -> None:
        """Descend along a batch's gradients."""
        ...


class Trainer(Generic[BatchT]):
    """Runs the epochs of a model over its batches.

    Args:
        model: The model, changed in place.
        batches: Its batches.
        folder: Where the checkpoint is kept.
        workers: The processes that train together; each takes every ``count``-th batch of a
            step, so a step of n processes is n times as large.
        checkpoint_seconds: Time between two checkpoints; one is also written at each epoch's end.
        report: Receives a line of text after each epoch.
    """

    def __init__(
        self,
        model: Model[BatchT],
        batches: Batches[BatchT],
        folder: Path,
        *,
        workers: Workers | None = None,
        checkpoint_seconds: float = 120.0,
        report: Callable[[str], None] = lambda line: None,
    ) -> None:
        self.model = model
        self.batches = batches
        self.workers = workers or Workers()
        self.history: list[float] = []
        self._folder = folder
        self._checkpoint_seconds = checkpoint_seconds
        self._report = report
        self._next = (0, 0)  # epoch and batch that come next
        self._sums = (0.0, 0.0)  # loss and examples of the epoch so far

    def resume(self) -> bool:
        """Take up the folder's checkpoint, where there is one.

        Returns:
            Whether there was one.

        Raises:
            PocketIntentError: The checkpoint cannot be read, or belongs to other settings.
        """
        torch = require("torch", "train")
        path = self._folder / CHECKPOINT
        if not path.exists():
            return False
        try:
            state = torch.load(path, map_location="cpu", weights_only=True)
            for name, table in self.model.tables().items():
                table.load_state(state["tables"][name])
        except (RuntimeError, KeyError, EOFError, OSError, pickle.UnpicklingError) as error:
            raise PocketIntentError(
                f"{path}: cannot go on from this checkpoint ({error}); remove it to start anew"
            ) from error
        self._next = (state["epoch"], state["batch"])
        self._sums = (state["loss"], state["examples"])
        self.history = state["history"]
        return True

    def train(self, stop_after: int | None = None) -> None:
        """Train the epochs that are left.

        Args:
            stop_after: Stop, with a checkpoint, after this many steps; None trains to the end.

        Raises:
            PocketIntentError: The loss is no longer a number.
        """
        tqdm = require("tqdm", "train").tqdm
        if self.model.device.type == "cuda":
            # Atomic additions come in any order; this makes one seed give one model. Older
            # torch then refuses matrix products without a fixed workspace.
            os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
            require("torch", "train").use_deterministic_algorithms(True)
        epochs, words = self.model.settings.epochs, self.batches.words_per_epoch
        saved, steps = time.monotonic(), 0
        with tqdm(
            total=epochs * words,
            initial=self._next[0] * words,
            unit=" words",
            unit_scale=True,
            disable=self.workers.rank > 0,
            mininterval=0.2 if sys.stderr.isatty() else 15.0,
        ) as progress:
            while self._next[0] < epochs and steps != stop_after:
                self.batches.start_epoch(self._next[0])
                epoch = self._next[0]
                while self._next[0] == epoch and steps != stop_after:
                    progress.set_postfix_str(f"loss {self._train_batch():.4f}", refresh=False)
                    done = epoch + self._next[1] / len(self.batches)
                    progress.update(int(max(done, self._next[0]) * words) - progress.n)
                    steps += 1
                    if time.monotonic() - saved > self._checkpoint_seconds:
                        self._save()
                        saved = time.monotonic()
                self._save()

    def _train_batch(self) -> float:
        """Take one step; returns the epoch's mean loss so far."""
        (epoch, batch), workers, settings = self._next, self.workers, self.model.settings
        number = batch + workers.rank
        gradients = self.model.gradients(self.batches.batch(min(number, len(self.batches) - 1)))
        if number >= len(self.batches):  # fewer batches are left than processes
            for tensor in (gradients.loss, gradients.num_examples, gradients.values):
                tensor.zero_()
        gradients = workers.sum_gradients(gradients)
        done = (epoch + batch / len(self.batches)) / settings.epochs
        self.model.step(gradients, settings.learning_rate * (1 - done))
        loss = self._sums[0] + float(gradients.loss)
        examples = self._sums[1] + float(gradients.num_examples)
        if not math.isfinite(loss):
            raise PocketIntentError(
                f"the loss is not a number in epoch {epoch + 1}; lower --learning-rate"
            )
        mean = loss / max(examples, 1)
        if batch + workers.count < len(self.batches):
            self._sums, self._next = (loss, examples), (epoch, batch + workers.count)
        else:
            self._sums, self._next = (0.0, 0.0), (epoch + 1, 0)
            self.history.append(mean)
            self._report(f"epoch {epoch + 1} of {settings.epochs}: loss {mean:.5f}")
        return mean

    def _save(self) -> None:
        # The others do not wait: each process has its own clock, so one that waited for a
        # checkpoint could meet another's sum of gradients.
        if self.workers.rank == 0:
            torch = require("torch", "train")
            state = {
                "tables": {name: table.state() for name, table in self.model.tables().items()},
                "epoch": self._next[0],
                "batch": self._next[1],
                "loss": self._sums[0],
                "examples": self._sums[1],
                "history": self.history,
            }
            temporary = self._folder / f"{CHECKPOINT}.new"
            torch.save(state, temporary)
            os.replace(temporary, self._folder / CHECKPOINT)
