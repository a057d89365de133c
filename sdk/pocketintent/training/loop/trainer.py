"""The training loop: progress, checkpoints, resuming, time limit, several processes by torchrun.

One machine:      pocketintent train starspace --corpus corpus.txt --out model.safetensors
Several GPUs:     torchrun --nproc-per-node 4 -m pocketintent train starspace ... --device cuda
"""

from __future__ import annotations

import math
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pocketintent.runtime.errors import PocketIntentError, require
from pocketintent.runtime.files.atomic import replacing
from pocketintent.training.loop.devices import Workers

CHECKPOINT = "checkpoint.pt"
_VERSION = 5  # of the checkpoint: higher where the names or meaning of its entries change


@dataclass(frozen=True)
class Step:
    """One step, as one process sees it: its epoch and its batch of the epoch, both from 0."""

    epoch: int
    batch: int
    idle: bool  # whether fewer batches than processes are left, so that it counts for nothing
    progress: float  # share of the run that was done before the step, from 0 to below 1


@dataclass(frozen=True)
class Epoch:
    """An epoch that has ended: its number, from 1, and the mean loss of its examples."""

    number: int
    loss: float
    progress: float  # share of the run that is done


@dataclass(frozen=True)
class Measurement:
    """Quality of a model at the end of an epoch."""

    entry: Any  # in the history: a number, or a dictionary of numbers
    line: str  # to report after "epoch 3 of 10: "
    stop: bool = False  # whether training ends here


class Trainable(ABC):
    """A model with its batches, which the loop trains step by step.

    ``batches.start_epoch(epoch)`` shuffles for an epoch, from 0, and returns the number of batches;
    ``batches.batch(number)`` is one of them, a function of seed, epoch and number alone. So a
    resumed run, and every process of a distributed run, builds the batches of an unbroken run in
    one process.
    """

    batches: Any
    epochs: int  # number of passes over the batches
    workers: Workers  # the processes that train together
    unit: str  # of the progress bar, such as "words"
    units_per_epoch: int
    parts: Mapping[str, Any]  # what training changes: each has torch's (load_)state_dict

    def start_epoch(self, epoch: int) -> int:
        """Shuffle the batches for an epoch, from 0; returns their number."""
        return int(self.batches.start_epoch(epoch))

    @abstractmethod
    def step(self, step: Step) -> tuple[float, float]:
        """Take one step; returns the summed loss and number of examples of all processes."""

    @abstractmethod
    def measure(self, epoch: Epoch) -> Measurement:
        """Measure the model at the end of an epoch."""

    def state(self) -> dict[str, Any]:
        """The state for a checkpoint: tensors, numbers, strings, lists and dictionaries."""
        return {name: part.state_dict() for name, part in self.parts.items()}

    def load_state(self, state: dict[str, Any]) -> None:
        """Continue from a checkpoint; KeyError, RuntimeError or ValueError if it does not fit."""
        for name, part in self.parts.items():
            part.load_state_dict(state[name])

    def finish(self) -> None:  # noqa: B027  a hook
        """Make the trained model the result, after the last checkpoint; no change by default."""


class Trainer:
    """Trains a capability, ``task``, in place, epoch by epoch and step by step.

    A step takes one batch for each process, so a step of n processes is n times as large. The
    checkpoint is kept in ``folder``. ``report`` receives a line after each epoch.

    Training ends after ``max_minutes``, resumed parts included, and a learning rate that falls does
    so in this time; None for no limit. After each epoch, and ``checkpoint_seconds`` after the last,
    another checkpoint is written.
    """

    def __init__(
        self,
        task: Trainable,
        folder: Path,
        *,
        max_minutes: float | None = None,
        checkpoint_seconds: float = 120.0,
        report: Callable[[str], object] = lambda line: None,
        show_bar: bool = True,
    ) -> None:
        self.task = task
        self.history: list[Any] = []  # an entry for each epoch that is done, see Measurement
        self.seconds = 0.0  # spent on training, resumed parts included
        self._clock = 0.0  # seconds of the leading process
        self._folder, self._report, self._show_bar = folder, report, show_bar
        self._max_seconds = math.inf if max_minutes is None else 60 * max_minutes
        self._checkpoint_seconds = checkpoint_seconds
        self._next = (0, 0)  # epoch and batch of the next step
        self._sums = (0.0, 0.0)  # loss and examples of the epoch so far
        self._stopped = False  # before the last epoch
        self._started = -1  # the epoch whose batches are shuffled, and their number
        self._num_batches = 1

    @property
    def progress(self) -> float:
        """Share of the run that is done, 0 to 1: of its steps, or of its time if that is more."""
        epoch, batch = self._next
        steps = (epoch + batch / self._num_batches) / self.task.epochs
        return max(steps, min(self._clock / self._max_seconds, 1.0))

    def train(self, stop_after: int | None = None) -> None:
        """Train until the last epoch, the time limit, or the capability ends the run.

        With ``stop_after`` it stops, with a checkpoint, after so many steps. A loss that is no
        longer a number is a PocketIntentError.
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
                if self._max_seconds < math.inf:
                    # The leading process' clock ends the run for all of them.
                    self._clock = self.task.workers.from_leader(self.seconds)
                    self._stopped = self._stopped or self._clock >= self._max_seconds
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
            "next": self._next,
            "sums": self._sums,
            "history": self.history,
            "seconds": self.seconds,
            "stopped": self._stopped,
        }
        with replacing(self._folder / CHECKPOINT) as path:
            require("torch", "train").save(state, path)

    def resume(self) -> bool:
        """Continue from the folder's checkpoint; False if there is none."""
        path = self._folder / CHECKPOINT
        if not path.exists():
            return False
        try:
            state = require("torch", "train").load(path, map_location="cpu", weights_only=True)
            if state.get("version") != _VERSION:
                raise ValueError("it was written by another version of pocketintent")
            self.task.load_state(state["task"])
            self._next, self._sums = state["next"], state["sums"]
            self.history, self._stopped = state["history"], state["stopped"]
            self._clock = self.seconds = state["seconds"]
        except MemoryError:
            raise  # the checkpoint is good
        except Exception as error:  # damage shows as errors of many kinds
            raise PocketIntentError(
                f"{path}: cannot resume from this checkpoint ({error}); delete it to train from "
                "the beginning"
            ) from error
        self._report(f"resuming after {len(self.history)} of {self.task.epochs} epochs")
        return True

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
