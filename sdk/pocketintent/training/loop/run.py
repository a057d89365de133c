"""A training run: its options, its processes, its device, and its folder of unfinished work."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.text.languages import languages_entry
from pocketintent.training.loop.devices import Workers, deterministic_algorithms
from pocketintent.training.loop.trainer import CHECKPOINT, Trainable, Trainer
from pocketintent.training.loop.work_folder import (
    close_folder,
    delete_folder,
    fingerprint,
    open_folder,
)

Report = Callable[[str], object]
"""A function that shows a line of progress."""


def _say_nothing(_: str) -> None:
    pass


@dataclass(frozen=True)
class RunOptions:
    """How a run is started, and whom it tells: the options that do not change what it learns."""

    device: str = "cpu"
    """Torch device; "cuda" is the GPU that torchrun assigns."""
    resume: bool = False
    """Continue from the work folder's checkpoint, if there is one."""
    restart: bool = False
    """Delete the work folder of an unfinished run."""
    command: str = ""
    """The command line, kept in the manifest."""
    languages: Sequence[str] = ()
    """Tags of the languages of the texts, such as ``"en"``, kept in the manifest."""
    report: Report = _say_nothing
    """Receives lines of progress; says nothing by default."""


DEFAULT_OPTIONS = RunOptions()
"""A new run on the CPU, without a word."""


@dataclass(frozen=True)
class Run:
    """A run, as one of its processes sees it."""

    workers: Workers  # the processes that train together
    device: str  # torch device of this process
    folder: Path  # where checkpoints and other unfinished work are kept
    resumed: bool  # whether the run continues from a checkpoint, if there is one
    report: Report  # shows lines of progress, those of the leading process only
    inputs: Sequence[Mapping[str, Any]] = ()  # name, size and SHA-256 of each, for the manifest
    languages: Mapping[str, Any] = field(default_factory=dict)  # the manifest's entry
    finished: bool = False  # by an earlier call, so that only ``record`` is to be returned
    record: dict[str, Any] = field(default_factory=dict)
    """The record that the command prints, filled in by the block; of a finished run only the
    leading process has it."""

    @property
    def leads(self) -> bool:
        """Whether this process writes the results of the run."""
        return self.workers.leads

    def train(self, task: Trainable, *, max_minutes: float | None = None) -> Trainer:
        """Train a task in place, from the checkpoint if the run is resumed; returns its trainer."""
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
    """Begin or resume a run that will write ``out``, by :func:`deterministic_algorithms`.

    Its work folder, ``<out>.work``, has what is unfinished, such as the last checkpoint. It is
    removed when the block ends without an error, or by an error before there is a checkpoint. The
    files ``inputs`` are trained on; with them ``settings`` identify the run. A bad language or
    input is a PocketIntentError, and see :func:`open_folder`.
    """
    languages = languages_entry(options.languages)
    fingerprints = [fingerprint(Path(path)) for path in inputs]
    with deterministic_algorithms(options.device, warn_only=warn_only):
        workers = Workers.join(options.device)
        folder = Path(f"{out}.work")
        record = None
        if workers.leads:
            record = open_folder(
                folder, fingerprints, settings, resume=options.resume, restart=options.restart
            )
        workers.wait()
        finished = bool(workers.from_leader(float(record is not None)))
        report = options.report if workers.leads else _say_nothing
        device = workers.device(options.device)
        state = (workers, device, folder, options.resume, report, fingerprints, languages)
        run = Run(*state, finished, record or {})
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
