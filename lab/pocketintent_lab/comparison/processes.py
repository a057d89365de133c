"""Run a command of the package in a process of its own, and measure what it uses."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson

import pocketintent
import pocketintent_lab
from pocketintent.runtime.errors import PocketIntentError

_LAUNCHER = Path(__file__).with_name("launcher.py")
_SOURCES = [
    str(Path(package.__file__ or "").resolve().parent.parent)
    for package in (pocketintent, pocketintent_lab)
]


class RunError(PocketIntentError):
    """A run failed; the message is the last line of what it printed."""


@dataclass(frozen=True)
class Usage:
    """What a process used, from its start to its end."""

    wall_seconds: float
    cpu_seconds: float | None
    """CPU time of all its threads; None where the system does not tell."""
    peak_bytes: int | None
    """Largest resident memory; None where the system does not tell."""


def run_command(
    arguments: Sequence[str],
    folder: Path,
    *,
    module: str = "pocketintent",
    inherit: Sequence[int] = (),
) -> tuple[dict[str, object], Usage]:
    """Run a command of the product or of the laboratory.

    On one thread unless the caller's environment says otherwise, so that CPU times compare.

    Args:
        arguments: The words after the program's name.
        folder: Gets the output: ``stdout.json`` and ``log.txt``.
        module: The program as ``python -m`` starts it; the product trains by the methods of the
            laboratory, too.
        inherit: Descriptors that stay open until the command ends too, such as locks.

    Returns:
        What the command printed as JSON, and what it used.

    Raises:
        RunError: The command ended with an error.
        KeyboardInterrupt: The command was interrupted.
    """
    usage_file, out, log = (folder / name for name in ("usage.json", "stdout.json", "log.txt"))
    command = [sys.executable, "-m", module, *arguments]
    paths = os.pathsep.join([*_SOURCES, *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {"OMP_NUM_THREADS": "1", **os.environ, "PYTHONPATH": paths}
    with (
        out.open("wb") as stdout,
        log.open("wb") as stderr,
        subprocess.Popen(
            [sys.executable, "-S", "-E", str(_LAUNCHER), str(usage_file), *command],
            stdin=subprocess.PIPE,
            stdout=stdout,
            stderr=stderr,
            env=environment,
            pass_fds=tuple(inherit) if os.name == "posix" else (),
        ) as process,
    ):
        process.wait()
    if process.returncode != 0 or not usage_file.exists():
        raise RunError(_last_line(log) or f"the launcher ended with status {process.returncode}")
    usage = orjson.loads(usage_file.read_bytes())
    status = usage.pop("status")
    if status == 130 or status == -signal.SIGINT:
        raise KeyboardInterrupt
    if status != 0:
        raise RunError(_last_line(log) or f"the command ended with status {status}")
    record: dict[str, object] = orjson.loads(out.read_bytes())
    return record, Usage(**{"cpu_seconds": None, "peak_bytes": None, **usage})


def _last_line(log: Path) -> str:
    lines = log.read_text("utf-8", "replace").strip().splitlines()
    return re.sub(r"^pocketintent(-lab)?: ", "", lines[-1]) if lines else ""
