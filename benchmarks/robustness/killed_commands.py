"""Kill commands at each of their file operations, and check what they leave.

    python -m benchmarks.robustness.killed_commands                      all commands, every place
    python -m benchmarks.robustness.killed_commands --places 3 export    one command, three places

After each kill (SIGKILL), the target must have its old or its new content, byte for byte; the
same command, with --resume where it is offered, must then succeed and give the new content; and
the folder must contain nothing else. Prints a JSON line for each command; the exit status is 1 if
a check failed. Needs a system that forks.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.robustness.kills.commands import COMMANDS, KilledCommand, write_inputs
from benchmarks.robustness.kills.points import run_and_kill

Content = Mapping[str, bytes | None]
"""The files of a folder by path, folders as None."""


def main(argv: Sequence[str] | None = None) -> int:
    """Kill the commands that are named, at evenly spaced places or at all."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = [command.name for command in COMMANDS]
    parser.add_argument("commands", nargs="*", metavar="NAME", help=f"of {', '.join(names)} (all)")
    parser.add_argument("--places", type=int, metavar="N", help="kills of each command (every one)")
    args = parser.parse_args(argv)
    for name in args.commands:
        if name not in names:
            parser.error(f"unknown command {name!r}; choose from {', '.join(names)}")
    failed = False
    for command in COMMANDS:
        if not args.commands or command.name in args.commands:
            report = kill_everywhere(command, args.places)
            print(json.dumps(report), flush=True)
            failed = failed or bool(report["failures"])
    return int(failed)


def kill_everywhere(command: KilledCommand, max_places: int | None = None) -> dict[str, Any]:
    """Kill a command at its file operations, one run for each.

    Args:
        command: The command.
        max_places: Number of operations, evenly spaced from the first to the last; None for all.

    Returns:
        The report: kills, how many of them left the old and the new content, how many left
        something that the next run removed, and the failures.
    """
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        base = Path(name).resolve()
        inputs, folder = base / "inputs", base / "work"
        inputs.mkdir()
        write_inputs(inputs)
        if command.old is not None:
            (inputs / command.target).write_bytes(command.old)
        _warm_up(command, inputs, base / "warm_up")
        shutil.copytree(inputs, folder)
        end = run_and_kill(lambda: command.run(folder), folder)
        if end.error:
            raise RuntimeError(f"{command.name}: {end.error}")
        old, new = _read(inputs), _read(folder)
        places: Sequence[int] = range(1, end.operations + 1)
        if max_places is not None:
            chosen = np.linspace(1, end.operations, max_places).round().astype(int)
            places = sorted(set(chosen.tolist()))
        outcomes: Counter[str] = Counter()
        failures = []
        for place in places:
            shutil.rmtree(folder)
            shutil.copytree(inputs, folder)
            failure = _kill_once(command, folder, place, old, new, outcomes)
            if failure:
                failures.append({"place": place, "failure": failure})
    return {
        "command": command.name,
        "operations": end.operations,
        "kills": outcomes["kills"],
        **{name: outcomes[name] for name in ("old", "new", "leftovers")},
        "failures": failures,
        "seconds": round(time.monotonic() - started, 1),
    }


def _kill_once(
    command: KilledCommand,
    folder: Path,
    place: int,
    old: Content,
    new: Content,
    outcomes: Counter[str],
) -> str:
    """Kill a command, check its target, and repeat it; returns what is wrong, if anything."""
    end = run_and_kill(lambda: command.run(folder), folder, place)
    if end.killed_before is None:
        return f"it was not killed: {end.error}"
    outcomes["kills"] += 1
    killed = _read(folder)
    target = _below(killed, command.target)
    if target not in (_below(old, command.target), _below(new, command.target)):
        return f"killed before {end.killed_before}: the target is neither the old nor the new"
    complete = target == _below(new, command.target)
    outcomes["new" if complete else "old"] += 1
    outcomes["leftovers"] += not killed.keys() <= old.keys() | new.keys()
    end_of_repeat = run_and_kill(lambda: command.repeat(folder), folder)
    if end_of_repeat.error and not (complete and command.refusal in end_of_repeat.error):
        return f"killed before {end.killed_before}: the next run fails: {end_of_repeat.error}"
    content = _read(folder)
    if content != new:
        different = sorted(
            name for name in content.keys() | new.keys() if content.get(name) != new.get(name)
        )
        return f"killed before {end.killed_before}: the next run leaves {', '.join(different)}"
    return ""


def _warm_up(command: KilledCommand, inputs: Path, folder: Path) -> None:
    """Run a command once in this process, so that its forks start with all modules loaded."""
    shutil.copytree(inputs, folder)
    sys.stdout.flush()
    stdout = os.dup(1)
    os.dup2(2, 1)
    try:
        command.run(folder)
        sys.stdout.flush()
    finally:
        os.dup2(stdout, 1)
        os.close(stdout)


def _read(folder: Path) -> Content:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


def _below(content: Content, target: str) -> Content:
    """The target's part of a folder."""
    prefix = f"{target}/"
    return {name: c for name, c in content.items() if name == target or name.startswith(prefix)}


if __name__ == "__main__":
    if not hasattr(os, "fork"):
        sys.exit("killed_commands.py: this system does not fork")
    raise SystemExit(main())
