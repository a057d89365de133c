"""A process that is killed at a chosen file operation, for ``killed_commands.py``.

The process is a fork, so that it starts at once with all modules loaded. Its file operations are
counted by an audit hook; ``os.fsync`` has no audit event and is replaced.
"""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_PATH_EVENTS = frozenset(
    [
        *("open", "os.chmod", "os.mkdir", "os.remove"),
        *("os.rename", "os.rmdir", "os.truncate", "shutil.rmtree"),
    ]
)
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


@dataclass(frozen=True)
class End:
    """How a process ended."""

    killed_before: str | None
    """The operation before which it was killed; None if it ran to its end."""
    operations: int
    """Number of file operations, that one included."""
    error: str
    """The last line of the traceback; empty if there was no error."""


class _Killer:
    """Counts the file operations below a folder, and kills the process at one of them."""

    def __init__(self, folder: Path, place: int | None, report: int) -> None:
        self.count = 0
        self._folder, self._place, self._report = str(folder), place, report
        self._fsync = os.fsync

    def start(self) -> None:
        sys.addaudithook(self._audit)
        os.fsync = self._sync

    def send(self, name: str, error: str = "") -> None:
        os.write(self._report, f"{self.count}\n{name}\n{error}".encode("utf-8", "replace"))

    def _audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "fcntl.flock" or (event in _PATH_EVENTS and self._concerns(event, arguments)):
            self._pass(event)

    def _concerns(self, event: str, arguments: tuple[Any, ...]) -> bool:
        if event == "open" and not arguments[2] & _WRITES:
            return False
        if isinstance(arguments[0], int):
            return True
        # shutil.rmtree names what it removes relative to a descriptor.
        relative = event in ("os.remove", "os.rmdir") and arguments[1] != -1
        return relative or os.fsdecode(arguments[0]).startswith(self._folder)

    def _sync(self, fd: Any) -> None:
        # Once with half of the file, as after a kill in the middle of a write, once with all.
        size = os.fstat(fd).st_size
        self._pass("os.fsync of half", lambda: _truncate(fd, size // 2))
        self._pass("os.fsync")
        self._fsync(fd)

    def _pass(self, name: str, prepare: Callable[[], None] = lambda: None) -> None:
        self.count += 1
        if self.count == self._place:
            self._place = None
            prepare()
            self.send(name)
            os.kill(os.getpid(), signal.SIGKILL)


def _truncate(descriptor: int, size: int) -> None:
    with suppress(OSError):  # a folder
        os.ftruncate(descriptor, size)


def run_and_kill(work: Callable[[], object], folder: Path, place: int | None = None) -> End:
    """Run in a process of its own.

    Args:
        work: What the process does.
        folder: Operations below this folder are counted.
        place: The operation, from 1, before which the process is killed; None for no kill.

    Returns:
        The end of the process.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.close(reader)
        _run(work, _Killer(folder, place, writer))
    os.close(writer)
    with os.fdopen(reader, "rb") as answers:
        answer = answers.read().decode()
    _, status = os.waitpid(child, 0)
    if not answer:
        raise RuntimeError(f"the process ended with status {status} and no answer")
    count, name, error = answer.split("\n", 2)
    killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
    return End(name if killed else None, int(count), error)


def _run(work: Callable[[], object], killer: _Killer) -> None:
    """Do the work in the forked process, without its output, and end the process."""
    error = ""
    try:
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 1)
        os.dup2(nothing, 2)
        killer.start()
        work()
    except BaseException as problem:
        error = traceback.format_exception_only(type(problem), problem)[-1].strip()
    killer.send("", error)
    os._exit(0)
