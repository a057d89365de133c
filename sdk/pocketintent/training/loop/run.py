"""What all training runs share: processes, device, and the folder of unfinished work."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.loop.devices import Workers
from pocketintent.training.loop.trainer import CHECKPOINT
from pocketintent.training.loop.work_folder import open_folder

Report = Callable[[str], None]


class Resumable(Protocol):
    """A training loop that keeps checkpoints."""

    @property
    def history(self) -> Sequence[Any]:
        """One entry for each epoch that is done."""
        ...

    def resume(self) -> bool:
        """Take up the checkpoint, where there is one; whether there was one."""
        ...

    def train(self) -> None:
        """Train what is left."""
        ...


@dataclass(frozen=True)
class Run:
    """A run, as one of its processes sees it."""

    workers: Workers
    """The processes."""
    device: str
    """Torch device of this process."""
    folder: Path
    """Where checkpoints and other unfinished work are kept."""
    resumed: bool
    """Whether the run is to go on with a checkpoint."""
    report: Report
    """Receives lines of progress; those of the leading process are shown."""

    @property
    def leads(self) -> bool:
        """Whether this process writes what the run gives."""
        return self.workers.rank == 0

    def train(self, trainer: Resumable, epochs: int) -> None:
        """Train from the checkpoint on, or from the start."""
        if self.resumed and trainer.resume():
            self.report(f"going on after {len(trainer.history)} of {epochs} epochs")
        trainer.train()


@contextmanager
def open_run(
    out: str | Path,
    inputs: Sequence[str | Path],
    settings: Mapping[str, Any],
    *,
    device: str = "cpu",
    resume: bool = False,
    restart: bool = False,
    report: Report = lambda line: None,
) -> Iterator[Run]:
    """Begin a run, or go on with one; its work folder goes when the block ends well.

    The folder goes too when an error ends the run before there is a checkpoint.

    Args:
        out: The file that the run will write; the folder is ``<out>.work``.
        inputs: Files that are trained on.
        settings: What makes this run another one than those with other settings.
        device: Torch device; "cuda" takes the GPU that torchrun assigns.
        resume: Go on with a folder that is there.
        restart: Drop a folder that is there.
        report: Receives lines of progress.

    Yields:
        The run, in all processes.

    Raises:
        PocketIntentError: See :func:`pocketintent.training.loop.work_folder.open_folder`.
    """
    workers = Workers.join(device)
    if device == "cuda":
        device = f"cuda:{workers.local_rank}"
    folder = Path(f"{out}.work")
    leads = workers.rank == 0
    if leads:
        open_folder(folder, inputs, settings, resume=resume, restart=restart)
    workers.wait()
    try:
        yield Run(workers, device, folder, resume, report if leads else _say_nothing)
    except PocketIntentError:
        if leads and not (folder / CHECKPOINT).exists():
            shutil.rmtree(folder)
        raise
    if leads:
        shutil.rmtree(folder)
    workers.wait()


def _say_nothing(_: str) -> None:
    pass
