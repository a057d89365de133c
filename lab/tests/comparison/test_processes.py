import json
import subprocess
import sys
from pathlib import Path

import pytest

from pocketintent_lab.comparison import launcher
from pocketintent_lab.comparison.processes import RunError, run_command


def launch(usage: Path, *command: str) -> subprocess.Popen[bytes]:
    words = [sys.executable, "-S", "-E", launcher.__file__, str(usage), *command]
    return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def test_a_command_gives_its_json_and_what_it_used(tmp_path: Path) -> None:
    (tmp_path / "bot.json").write_text('{"on": ["lamp on"], "off": ["lamp off"]}')
    record, usage = run_command(["templates", "check", str(tmp_path / "bot.json")], tmp_path)
    assert record["intents"] == 2
    assert usage.cpu_seconds is not None and 0 < usage.cpu_seconds < 60
    assert usage.peak_bytes is not None and usage.peak_bytes > 10_000_000
    assert usage.wall_seconds > 0


def test_a_command_that_fails_raises_its_last_line(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"^missing\.json: error: no such file"):
        run_command(["templates", "check", "missing.json"], tmp_path)
    assert "missing.json" in (tmp_path / "log.txt").read_text()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems count a process alone")
def test_the_memory_of_the_caller_is_not_counted(tmp_path: Path) -> None:
    ballast = bytearray(b"x" * 300_000_000)
    process = launch(tmp_path / "usage.json", sys.executable, "-S", "-c", "pass")
    assert process.wait() == 0
    assert json.loads((tmp_path / "usage.json").read_text())["peak_bytes"] < len(ballast) / 3


def test_a_signal_is_a_negative_status(tmp_path: Path) -> None:
    code = "import os; os.kill(os.getpid(), 9)"
    launch(tmp_path / "usage.json", sys.executable, "-c", code).wait()
    assert json.loads((tmp_path / "usage.json").read_text())["status"] == -9


def test_a_command_ends_when_its_caller_does(tmp_path: Path) -> None:
    code = "import time; print('up', flush=True); time.sleep(600)"
    process = launch(tmp_path / "usage.json", sys.executable, "-c", code)
    assert process.stdout is not None and process.stdin is not None
    assert process.stdout.readline().strip() == b"up"
    process.stdin.close()  # as the operating system does for a dead process
    assert process.wait() == 0
    assert json.loads((tmp_path / "usage.json").read_text())["status"] == -15
