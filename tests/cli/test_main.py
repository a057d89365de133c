import os
import subprocess
import sys
from pathlib import Path

import pytest

import pocketintent
from pocketintent.cli import main as cli
from pocketintent.runtime.errors import ModelFileError

COMMANDS = ["match", "train", "compress", "compress-sweep", "combine", "evaluate", "templates"]


def _status(argv: list[str]) -> object:
    with pytest.raises(SystemExit) as ended:
        cli.main(argv)
    return ended.value.code


def test_help_teaches_by_examples_and_names_every_command(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert _status(["--help"]) == 0

    text = capsys.readouterr().out
    assert "examples:" in text
    assert "exit status" in text
    for command in COMMANDS:
        assert f"    {command}" in text


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert _status([command, "--help"]) == 0
    assert f"usage: pocketintent {command}" in capsys.readouterr().out


def test_the_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    assert _status(["--version"]) == 0
    assert capsys.readouterr().out == f"pocketintent {pocketintent.__version__}\n"


@pytest.mark.parametrize("argv", [[], ["frobnicate"], ["match"], ["match", "--rank", "0"]])
def test_a_bad_call_ends_with_status_2(argv: list[str]) -> None:
    assert _status(argv) == 2


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (ModelFileError("m.safetensors: it is odd"), "m.safetensors: it is odd"),
        (FileNotFoundError(2, "No such file", "in.txt"), "in.txt: No such file"),
        (OSError("the disk is gone"), "the disk is gone"),
    ],
)
def test_bad_input_ends_with_status_1_and_one_line_on_stderr(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: Exception,
    message: str,
) -> None:
    def fail(args: object) -> int:
        raise error

    monkeypatch.setattr("pocketintent.cli.match.run", fail)

    assert cli.main(["match", "--templates", "smart_home", "hi"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err == f"pocketintent: {message}\n"


def test_an_interrupt_ends_with_status_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(args: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("pocketintent.cli.match.run", interrupt)

    assert cli.main(["match", "--templates", "smart_home", "hi"]) == 130


def test_a_closed_pipe_ends_the_command_quietly(tiny_model: Path) -> None:
    sdk = Path(pocketintent.__file__).parents[1]
    command = [sys.executable, "-m", "pocketintent", "match", "--templates", "smart_home"]
    with subprocess.Popen(
        [*command, "--model", str(tiny_model)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(sdk)},
    ) as process:
        assert process.stdin and process.stdout and process.stderr
        process.stdin.write(b"lamp on\n")
        process.stdin.flush()
        assert process.stdout.readline().startswith(b'{"text":"lamp on"')  # not held back
        process.stdout.close()
        process.stdin.write(b"lamp off\n" * 10)
        process.stdin.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0
