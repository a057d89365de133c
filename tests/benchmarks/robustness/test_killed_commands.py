"""A few kills of each quick command; ``benchmarks.robustness.killed_commands`` has all places."""

import functools
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.robustness.kills.points import run_and_kill
from pocketintent.runtime.files.atomic import write_atomically

REPOSITORY = Path(__file__).resolve().parents[3]
QUICK = [
    *("new_folder", "save_model", "add_intent", "save_bot", "build"),
    *("compress", "finish", "evaluate"),
]

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")


@functools.cache
def _reports(*arguments: str) -> dict[str, Any]:
    """The reports of the script, which forks and so needs a process without other threads."""
    sources = [str(REPOSITORY / root) for root in (".", "sdk", "export")]
    result = subprocess.run(
        [sys.executable, "-m", "benchmarks.robustness.killed_commands", *arguments],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([*sources, *filter(None, sys.path)])},
        capture_output=True,
        text=True,
        check=False,
    )
    reports = [json.loads(line) for line in result.stdout.splitlines()]
    assert reports, result.stderr
    return {report["command"]: report for report in reports}


@pytest.mark.parametrize("name", QUICK)
def test_a_killed_command_leaves_old_or_new_and_its_next_run_leaves_nothing_else(name: str) -> None:
    pytest.importorskip("scipy")
    report = _reports("--places", "4", *QUICK)[name]
    assert report["failures"] == []
    assert report["kills"] == 4
    assert report["old"] and report["new"] and report["leftovers"]


def test_a_killed_training_run_is_resumed() -> None:
    pytest.importorskip("torch")
    report = _reports("--places", "8", "starspace")["starspace"]
    assert report["failures"] == []
    assert report["kills"] == 8


def test_every_file_operation_of_a_write_is_a_place(tmp_path: Path) -> None:
    def write() -> None:
        write_atomically(tmp_path / "x", b"new")

    end = run_and_kill(write, tmp_path)
    assert not end.error
    places = [
        run_and_kill(write, tmp_path, place).killed_before
        for place in range(1, end.operations + 1)
    ]  # fmt: skip
    assert {"os.mkdir", "open", "fcntl.flock", "os.fsync", "os.rename", "os.remove"} < {*places}
    assert None not in places


def test_the_harness_reports_an_error_of_the_work(tmp_path: Path) -> None:
    def fail() -> None:
        raise KeyError("mine")

    assert "mine" in run_and_kill(fail, tmp_path).error
