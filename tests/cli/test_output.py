import io
import sys

import pytest

from pocketintent.cli.output import Progress, print_note


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_each_tenth_has_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress("files") as progress:
        step = progress.count("data", 40)
        for number in range(40):
            step(f"file {number}")
    printed = capsys.readouterr()
    assert printed.out == ""
    lines = printed.err.splitlines()
    assert lines[0] == "data: 4/40 files (file 3)"
    assert lines[-1] == "data: 40/40 files (file 39)"
    assert len(lines) == 10


def test_work_of_a_few_steps_has_a_line_for_each(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress() as progress:
        for done in (1, 2, 2):
            progress.show("fit", done, 2)
    assert capsys.readouterr().err.splitlines()[:2] == ["fit: 1/2", "fit: 2/2"]


def test_stages_follow_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress() as progress:
        for stage in ("fit", "encode"):
            for done in (5, 10):
                progress.show(stage, done, 10)
    assert capsys.readouterr().err.splitlines() == [
        "fit: 5/10",
        "fit: 10/10",
        "encode: 5/10",
        "encode: 10/10",
    ]


def test_a_terminal_gets_a_bar_which_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tqdm")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with Progress("draws") as progress:
        step = progress.count("clinc150", 3)
        step("tfidf")
        step("tfidf")
    assert "clinc150" in terminal.getvalue()
    assert "tfidf" in terminal.getvalue()
    assert terminal.getvalue().endswith("\n")
    assert "2/3 draws" not in terminal.getvalue()


def test_a_terminal_without_tqdm_gets_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setitem(sys.modules, "tqdm", None)
    with Progress("draws") as progress:
        progress.show("clinc150", 1, 1)
    assert terminal.getvalue() == "clinc150: 1/1 draws\n"


def test_a_note_is_written_above_the_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tqdm")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with Progress() as progress:
        progress.show("fit", 1, 2)
        print_note("epoch 1 of 2: loss 0.5")
        progress.show("fit", 2, 2)
    # The bar is erased before the note, so that the note has its line for itself.
    lines = [line.rpartition("\r")[2] for line in terminal.getvalue().split("\n")]
    assert "epoch 1 of 2: loss 0.5" in lines
