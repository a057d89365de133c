import os
import subprocess
import sys
from pathlib import Path

import pytest

import pocketintent
from pocketintent.cli import main as cli
from pocketintent.runtime.errors import ModelFileError

COMMANDS = ["match", "build", "train", "compress", "export", "evaluate", "templates", "data"]


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
    assert capsys.readouterr().out == f"pocketintent {pocketintent.__version__} (backend numpy)\n"


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


def test_an_interrupt_while_modules_load_ends_with_status_130(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(name: str) -> object:
        raise KeyboardInterrupt

    monkeypatch.setattr("pocketintent.cli.commands.import_module", interrupt)

    assert cli.main(["match", "--templates", "smart_home", "hi"]) == 130
    assert capsys.readouterr().err == "interrupted\n"


def test_the_command_is_ready_for_an_interrupt_before_numpy_is_loaded() -> None:
    sdk = Path(pocketintent.__file__).parents[1]
    code = "import sys, pocketintent.cli.main; print('numpy' in sys.modules)"
    call = [sys.executable, "-c", code]
    env = {**os.environ, "PYTHONPATH": str(sdk)}
    assert subprocess.run(call, capture_output=True, text=True, env=env).stdout == "False\n"


@pytest.mark.skipif(os.name != "posix", reason="closes streams by a shell")
@pytest.mark.parametrize(
    ("closed", "status", "message"),
    [("<&-", 0, ""), (">&-", 1, "stdout is closed"), ("2>&-", 0, ""), ("<&- >&- 2>&-", 1, "")],
)
def test_a_closed_stream_is_no_traceback(
    tiny_model: Path, closed: str, status: int, message: str
) -> None:
    sdk = Path(pocketintent.__file__).parents[1]
    command = f'"{sys.executable}" -m pocketintent match --templates smart_home --model "$MODEL"'
    done = subprocess.run(
        ["sh", "-c", f"{command} {closed}"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(sdk), "MODEL": str(tiny_model)},
    )
    assert done.returncode == status
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_too_little_memory_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fill(args: object) -> int:
        raise MemoryError("Unable to allocate 9 TiB")

    monkeypatch.setattr("pocketintent.cli.match.run", fill)

    assert cli.main(["match", "--templates", "smart_home", "hi"]) == 1
    expected = "pocketintent: not enough memory: Unable to allocate 9 TiB\n"
    assert capsys.readouterr().err == expected
