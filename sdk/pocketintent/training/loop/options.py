"""The options of a run that do not change what it learns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

Report = Callable[[str], None]
"""A function that shows a line of progress."""


def _say_nothing(_: str) -> None:
    pass


@dataclass(frozen=True)
class RunOptions:
    """How a run is started, and whom it tells; every training pipeline takes them."""

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
