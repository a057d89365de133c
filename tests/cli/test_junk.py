"""Every option of every command, given junk: a message and a status, no traceback, no hang."""

from pathlib import Path

import pytest

pytest.importorskip("torch")
from commands.junk import CALLS, commands
from commands.junk_runs import check_junk, check_succeeds
from commands.junk_runs import junk_files as junk_files
from pocketintent.cli import studio
from pocketintent.cli.main import build_parser, main


@pytest.fixture(autouse=True)
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page of the studio, which need not be built."""
    folder = tmp_path / "page"
    folder.mkdir()
    (folder / "index.html").touch()
    monkeypatch.setattr(studio, "PLACES", [folder])


def test_the_table_has_every_command() -> None:
    assert {path for path, _ in commands(build_parser())} == set(CALLS)


@pytest.mark.parametrize(
    "command", [path for path in CALLS if path != ("data", "fetch")], ids=" ".join
)
def test_the_calls_of_the_table_succeed(
    command: tuple[str, ...], junk_files: Path, tmp_path: Path
) -> None:
    check_succeeds(main, CALLS, command, junk_files, tmp_path / "work")


@pytest.mark.parametrize("command", CALLS, ids=" ".join)
def test_junk_ends_with_a_message(
    command: tuple[str, ...], junk_files: Path, tmp_path: Path
) -> None:
    check_junk(main, build_parser(), CALLS, command, junk_files, tmp_path / "work")
