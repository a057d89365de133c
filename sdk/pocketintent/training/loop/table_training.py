"""Training of embedding tables by sparse gradients, which StarSpace and distillation share."""

from __future__ import annotations

from typing import Any, Generic, Protocol, TypeVar

from pocketintent.training.loop.devices import Workers
from pocketintent.training.loop.gradients import sum_gradients
from pocketintent.training.loop.sparse_rows import BatchGradients, SparseRows
from pocketintent.training.loop.trainable import Epoch, Measurement, Step, Trainable

BatchT = TypeVar("BatchT")
BatchInT = TypeVar("BatchInT", contravariant=True)
BatchOutT = TypeVar("BatchOutT", covariant=True)


class Schedule(Protocol):
    """The settings that decide the steps of a run."""

    @property
    def epochs(self) -> int:
        """Passes over the batches."""
        ...

    @property
    def learning_rate(self) -> float:
        """Learning rate of the first step; falls linearly to zero."""
        ...


class Batches(Protocol[BatchOutT]):
    """The batches of a run, each a function of seed, epoch and number alone.

    Nothing random is carried from batch to batch, so a resumed run, and every process of a
    distributed run, builds the batches of an unbroken run in one process.
    """

    words_per_epoch: int
    """Words that one pass over the corpus trains on."""

    def start_epoch(self, epoch: int) -> None:
        """Shuffle for an epoch, by the seed and the epoch's number."""
        ...

    def __len__(self) -> int:
        """Number of batches in the current epoch."""
        ...

    def batch(self, number: int) -> BatchOutT:
        """One batch of the current epoch."""
        ...


class TableModel(Protocol[BatchInT]):
    """Embedding tables with the loss of a batch and its gradients."""

    @property
    def settings(self) -> Schedule:
        """The run's settings."""
        ...

    def tables(self) -> dict[str, SparseRows]:
        """The tables that training changes, by name."""
        ...

    def gradients(self, batch: BatchInT) -> BatchGradients:
        """Summed loss of a batch, and its gradient for the rows that it uses."""
        ...

    def step(self, gradients: BatchGradients, learning_rate: float) -> None:
        """Descend along a batch's gradients."""
        ...


class TableTraining(Trainable, Generic[BatchT]):
    """Trains the tables of a model, with a learning rate that falls linearly to zero.

    Args:
        model: The model, changed in place.
        batches: Its batches.
        workers: The processes that train together, whose gradients are summed.
    """

    unit = "words"

    def __init__(
        self,
        model: TableModel[BatchT],
        batches: Batches[BatchT],
        workers: Workers | None = None,
    ) -> None:
        self.model = model
        self.batches = batches
        self.workers = workers or Workers()
        self.epochs = model.settings.epochs
        self.units_per_epoch = batches.words_per_epoch

    def start_epoch(self, epoch: int) -> int:
        """Shuffle the batches for an epoch; returns their number."""
        self.batches.start_epoch(epoch)
        return len(self.batches)

    def step(self, step: Step) -> tuple[float, float]:
        """Descend along the summed gradients of all processes' batches."""
        gradients = self.model.gradients(self.batches.batch(step.batch))
        if step.idle:
            for tensor in (
                gradients.loss,
                gradients.num_examples,
                gradients.values,
                gradients.squares,
            ):
                if tensor is not None:
                    tensor.zero_()
        gradients = sum_gradients(gradients, self.workers)
        self.model.step(gradients, self.model.settings.learning_rate * (1 - step.progress))
        return float(gradients.loss), float(gradients.num_examples)

    def measure(self, epoch: Epoch) -> Measurement:
        """The mean loss of the epoch."""
        return Measurement(epoch.loss, f"loss {epoch.loss:.5f}")

    def state(self) -> dict[str, Any]:
        """The tables and the state of their optimisers."""
        return {name: table.state() for name, table in self.model.tables().items()}

    def load_state(self, state: dict[str, Any]) -> None:
        """Continue from the tables of a checkpoint."""
        for name, table in self.model.tables().items():
            table.load_state(state[name])
