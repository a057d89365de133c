"""A training run: its processes, its device, and its folder of unfinished work."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.loop.devices import Workers, deterministic_algorithms
from pocketintent.training.loop.options import DEFAULT_OPTIONS, Report, RunOptions
from pocketintent.training.loop.trainable import Trainable
from pocketintent.training.loop.trainer import CHECKPOINT, Trainer
from pocketintent.training.loop.work_folder import close_folder, delete_folder, open_folder


@dataclass(frozen=True)
class Run:
    """A run, as one of its processes sees it."""

    workers: Workers
    """The processes that train together."""
    device: str
    """Torch device of this process."""
    folder: Path
    """Where checkpoints and other unfinished work are kept."""
    resumed: bool
    """Whether the run continues from a checkpoint, if there is one."""
    report: Report
    """Receives lines of progress; only those of the leading process are shown."""
    finished: bool = False
    """Whether an earlier call has finished the run, so that only ``record`` is to be returned."""
    record: dict[str, Any] = field(default_factory=dict)
    """The record that the command prints, filled in by the block; of a finished run only the
    leading process has it."""

    @property
    def leads(self) -> bool:
        """Whether this process writes the results of the run."""
        return self.workers.leads

    def train(self, task: Trainable, *, max_minutes: float | None = None) -> Trainer:
        """Train from the checkpoint if the run is resumed, otherwise from the beginning.

        Args:
            task: The capability to train, changed in place.
            max_minutes: Training ends after this time; None for no limit.

        Returns:
            The trainer, with the history of the run.
        """
        trainer = Trainer(task, self.folder, max_minutes=max_minutes, report=self.report)
        if self.resumed:
            trainer.resume()
        trainer.train()
        return trainer


@contextmanager
def open_run(
    out: str | Path,
    inputs: Sequence[str | Path],
    settings: Mapping[str, Any],
    options: RunOptions = DEFAULT_OPTIONS,
    *,
    warn_only: bool = False,
) -> Iterator[Run]:
    """Begin or resume a run; its work folder is removed when the block ends without an error.

    The folder is also removed if an error ends the run before there is a checkpoint. On a GPU
    the block runs with deterministic algorithms.

    Args:
        out: The file that the run will write; the folder is ``<out>.work``.
        inputs: Files that are trained on.
        settings: The settings that identify the run.
        options: The device, whether the run is resumed, and who receives its progress.
        warn_only: Warn of an operation without a deterministic form, instead of raising.

    Yields:
        The run, in all processes.

    Raises:
        PocketIntentError: See :func:`pocketintent.training.loop.work_folder.open_folder`.
    """
    with deterministic_algorithms(options.device, warn_only=warn_only):
        workers = Workers.join(options.device)
        folder = Path(f"{out}.work")
        record = None
        if workers.leads:
            record = open_folder(
                folder, inputs, settings, resume=options.resume, restart=options.restart
            )
        workers.wait()
        finished = bool(workers.from_leader(float(record is not None)))
        report = options.report if workers.leads else DEFAULT_OPTIONS.report
        device = workers.device(options.device)
        run = Run(workers, device, folder, options.resume, report, finished, record or {})
        if finished:
            run.report(f"{out} was finished; the rest of its work folder is now deleted")
            yield run
            return
        try:
            yield run
        except PocketIntentError:
            if workers.leads and not (folder / CHECKPOINT).exists():
                delete_folder(folder)
            raise
        if workers.leads:
            close_folder(folder, run.record)
        workers.wait()
