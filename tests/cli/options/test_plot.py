import argparse
import sys
from pathlib import Path

import pytest

from pocketintent.cli.main import main
from pocketintent.cli.options.shared import add
from pocketintent.cli.options.types import plot_file


def test_a_plot_that_can_be_written_is_accepted(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    parser = argparse.ArgumentParser()
    add(parser, "--plot")
    for suffix in (".png", ".SVG", ".pdf"):
        path = tmp_path / f"plot{suffix}"
        assert parser.parse_args(["--plot", str(path)]).plot == path
    assert parser.parse_args([]).plot is None


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("plot.pngg", r"plot.pngg: the name must end with .png, .svg, .pdf"),
        ("plot", "the name must end with"),
        ("nowhere/plot.png", "there is no folder nowhere"),
    ],
)
def test_a_plot_that_cannot_be_written_is_refused(name: str, message: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match=message):
        plot_file(name)


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(argparse.ArgumentTypeError, match="evaluate"):
        plot_file("plot.png")


def test_the_command_refuses_a_plot_before_it_reads_anything(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["evaluate", "typing-errors", "nowhere", "--plot", "x.gif"])
    assert ended.value.code == 2
    assert "--plot: x.gif: the name must end with" in capsys.readouterr().err
