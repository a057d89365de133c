"""The protocol between the training loop and a capability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from pocketintent.training.loop.devices import Workers


@dataclass(frozen=True)
class Step:
    """One step, as one process sees it."""

    epoch: int
    """Number of the epoch, from 0."""
    batch: int
    """Number of this process' batch in the epoch, from 0."""
    idle: bool
    """Whether fewer batches than processes are left, so that the batch counts for nothing."""
    progress: float
    """Share of the run that was done before the step, from 0 to below 1."""


@dataclass(frozen=True)
class Epoch:
    """An epoch that has ended."""

    number: int
    """Number of the epoch, from 1."""
    loss: float
    """Mean loss of its examples."""
    progress: float
    """Share of the run that is done."""


@dataclass(frozen=True)
class Measurement:
    """Quality of a model at the end of an epoch."""

    entry: Any
    """The epoch's entry in the history: a number, or a dictionary of numbers."""
    line: str
    """Text to report after "epoch 3 of 10: "."""
    stop: bool = False
    """Whether training ends here."""


class Trainable(Protocol):
    """A model with its batches, which the loop trains step by step."""

    epochs: int
    """Number of passes over the batches."""
    workers: Workers
    """The processes that train together."""
    unit: str
    """Unit of the progress bar, such as "words"."""
    units_per_epoch: int
    """Number of units in an epoch."""

    def start_epoch(self, epoch: int) -> int:
        """Shuffle the batches for an epoch, from 0; returns their number."""
        ...

    def step(self, step: Step) -> tuple[float, float]:
        """Take one step, together with the other processes.

        Returns:
            The summed loss and the number of examples of all processes. A capability that
            computes no loss counts no examples.
        """
        ...

    def measure(self, epoch: Epoch) -> Measurement:
        """Measure the model at the end of an epoch."""
        ...

    def state(self) -> dict[str, Any]:
        """The state for a checkpoint: tensors, numbers, strings, lists and dictionaries."""
        ...

    def load_state(self, state: dict[str, Any]) -> None:
        """Continue from the state of a checkpoint.

        Raises:
            KeyError, RuntimeError, ValueError: The state belongs to other settings.
        """
        ...

    def finish(self) -> None:
        """Make the trained model the result, after the last checkpoint; no change by default."""
        return
