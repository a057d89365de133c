"""The training loop: progress, checkpoints, resuming, time limit, several processes by torchrun.

One machine:      pocketintent train starspace --corpus corpus.txt --out model.safetensors
Several GPUs:     torchrun --nproc-per-node 4 -m pocketintent train starspace ... --device cuda
"""

from __future__ import annotations

import math
import pickle
import sys
import time
from pathlib import Path
from typing import Any

from pocketintent.runtime.errors import PocketIntentError, require
from pocketintent.runtime.files.atomic import replacing
from pocketintent.training.loop.options import DEFAULT_OPTIONS, Report
from pocketintent.training.loop.trainable import Epoch, Step, Trainable

CHECKPOINT = "checkpoint.pt"
_VERSION = 3  # of the checkpoint: higher where the names or meaning of its entries change


class Trainer:
    """Trains a capability, epoch by epoch and step by step.

    A step takes one batch for each process, so a step of n processes is n times as large.

    Args:
        task: The capability to train, changed in place.
        folder: Where the checkpoint is kept.
        max_minutes: Training ends after this time, resumed parts included, and a learning rate
            that falls does so in this time; None for no limit.
        checkpoint_seconds: Time between two checkpoints; another is written after each epoch.
        report: Receives a line of text after each epoch.
        show_bar: Whether a progress bar is shown; not where the run is a step of other work that
            has one.

    Attributes:
        history: One entry for each epoch that is done, see :class:`Measurement`.
        seconds: Time spent on training, resumed parts included.
    """

    def __init__(
        self,
        task: Trainable,
        folder: Path,
        *,
        max_minutes: float | None = None,
        checkpoint_seconds: float = 120.0,
        report: Report = DEFAULT_OPTIONS.report,
        show_bar: bool = True,
    ) -> None:
        self.task = task
        self.history: list[Any] = []
        self.seconds = 0.0
        self._clock = 0.0  # seconds of the leading process
        self._folder = folder
        self._max_seconds = math.inf if max_minutes is None else 60 * max_minutes
        self._checkpoint_seconds = checkpoint_seconds
        self._report = report
        self._show_bar = show_bar
        self._next = (0, 0)  # epoch and batch of the next step
        self._sums = (0.0, 0.0)  # loss and examples of the epoch so far
        self._stopped = False  # before the last epoch
        self._started = -1  # the epoch whose batches are shuffled, and their number
        self._num_batches = 1

    @property
    def progress(self) -> float:
        """Share of the run that is done, from 0 to 1: of its steps, or of its time if that is more.

        So a learning rate that falls to zero does so within the time limit too.
        """
        epoch, batch = self._next
        steps = (epoch + batch / self._num_batches) / self.task.epochs
        return max(steps, min(self._clock / self._max_seconds, 1.0))

    def resume(self) -> bool:
        """Continue from the folder's checkpoint, if there is one.

        Returns:
            Whether there was one.

        Raises:
            PocketIntentError: The checkpoint cannot be read, or belongs to other settings.
        """
        path = self._folder / CHECKPOINT
        if not path.exists():
            return False
        torch = require("torch", "train")
        errors = (
            *(RuntimeError, AttributeError, KeyError, ValueError, EOFError, OSError),
            pickle.UnpicklingError,
        )
        try:
            state = torch.load(path, map_location="cpu", weights_only=True)
            if state.get("version") != _VERSION:
                raise ValueError("it was written by another version of pocketintent")
            self.task.load_state(state["task"])
            self._next = (state["epoch"], state["batch"])
            self._sums = (state["loss"], state["examples"])
            self.history, self.seconds = state["history"], state["seconds"]
            self._clock = self.seconds
            self._stopped = state["stopped"]
        except errors as error:
            raise PocketIntentError(
                f"{path}: cannot resume from this checkpoint ({error}); delete it to train from "
                "the beginning"
            ) from error
        self._report(f"resuming after {len(self.history)} of {self.task.epochs} epochs")
        return True

    def train(self, stop_after: int | None = None) -> None:
        """Train until the last epoch, the time limit, or the capability ends the run.

        Args:
            stop_after: Stop, with a checkpoint, after this many steps; None trains to the end.

        Raises:
            PocketIntentError: The loss is no longer a number.
        """
        started, steps = time.monotonic() - self.seconds, 0
        saved, unsaved = time.monotonic(), False
        self._start_epoch()
        with self._progress_bar() as bar:
            while not self._is_done() and steps != stop_after:
                bar.set_postfix_str(self._step(), refresh=False)
                bar.update(self._units() - bar.n)
                steps, unsaved, now = steps + 1, True, time.monotonic()
                self.seconds = now - started
                self._check_time()
                if self._next[1] == 0 or now - saved > self._checkpoint_seconds:
                    self._save()
                    saved, unsaved = time.monotonic(), False
        if self._stopped and self._next[1]:
            self._end_epoch()  # time ran out in the middle of an epoch
            unsaved = True
        if unsaved:
            self._save()
        if self._is_done():
            self.task.finish()

    def _is_done(self) -> bool:
        return self._stopped or self._next[0] >= self.task.epochs

    def _check_time(self) -> None:
        if self._max_seconds < math.inf:
            # The leading process' clock ends the run for all of them.
            self._clock = self.task.workers.from_leader(self.seconds)
            self._stopped = self._stopped or self._clock >= self._max_seconds

    def _start_epoch(self) -> None:
        epoch = self._next[0]
        if epoch != self._started and epoch < self.task.epochs:
            self._num_batches, self._started = self.task.start_epoch(epoch), epoch

    def _step(self) -> str:
        """Take one step; returns the epoch's mean loss so far, as text."""
        self._start_epoch()
        epoch, batch = self._next
        workers, last = self.task.workers, self._num_batches - 1
        own = batch + workers.rank
        loss, examples = self.task.step(Step(epoch, min(own, last), own > last, self.progress))
        self._sums = (self._sums[0] + loss, self._sums[1] + examples)
        if not math.isfinite(self._sums[0]):
            raise PocketIntentError(
                f"the loss is not a number in epoch {epoch + 1}; lower --learning-rate"
            )
        line = f"loss {self._mean_loss():.4f}" if self._sums[1] else ""
        # The last step may have batches for some of the processes only.
        self._next = (epoch, min(batch + workers.count, self._num_batches))
        if self._next[1] == self._num_batches:
            self._end_epoch()
        return line

    def _mean_loss(self) -> float:
        return self._sums[0] / max(self._sums[1], 1)

    def _end_epoch(self) -> None:
        number = self._next[0] + 1
        measured = self.task.measure(Epoch(number, self._mean_loss(), self.progress))
        self.history.append(measured.entry)
        self._stopped = self._stopped or measured.stop
        self._next, self._sums = (number, 0), (0.0, 0.0)
        self._report(f"epoch {number} of {self.task.epochs}: {measured.line}")

    def _save(self) -> None:
        # The others do not wait: each process has its own clock, so a process that waited for a
        # checkpoint could meet another's sum of gradients.
        if not self.task.workers.leads:
            return
        state = {
            "version": _VERSION,
            "task": self.task.state(),
            "epoch": self._next[0],
            "batch": self._next[1],
            "loss": self._sums[0],
            "examples": self._sums[1],
            "history": self.history,
            "seconds": self.seconds,
            "stopped": self._stopped,
        }
        with replacing(self._folder / CHECKPOINT) as path:
            require("torch", "train").save(state, path)

    def _units(self) -> int:
        """The units of all steps so far."""
        (epoch, batch), units = self._next, self.task.units_per_epoch
        return epoch * units + units * batch // self._num_batches

    def _progress_bar(self) -> Any:
        total = self.task.epochs * self.task.units_per_epoch
        return require("tqdm", "train").tqdm(
            total=total,
            initial=self._units(),
            unit=f" {self.task.unit}",
            unit_scale=total >= 100_000,  # shown in thousands or millions
            disable=not (self._show_bar and self.task.workers.leads),
            mininterval=0.2 if sys.stderr.isatty() else 15.0,
        )
