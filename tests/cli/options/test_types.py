import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from pocketintent.cli.commands import CommandParser
from pocketintent.cli.main import build_parser, main
from pocketintent.cli.options.model import model_file
from pocketintent.cli.options.shared import add
from pocketintent.cli.options.types import (
    PathType,
    check_paths,
    input_file,
    input_folder,
    input_path,
    output_file,
    output_folder,
    plot_file,
    whole_number,
    whole_numbers,
)


def options(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    if isinstance(parser, CommandParser):
        parser.fill()
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from options(below)
        else:
            yield action


def test_numbers_are_read() -> None:
    assert whole_number(0)("0") == 0
    assert whole_numbers(1)("5, 10,2") == (5, 10, 2)


def test_a_number_that_is_given_twice_is_refused() -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="5 is given twice; give it once"):
        whole_numbers(1)("5, 10,5")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x", "'x' is not a whole number"),
        ("1.5", "'1.5' is not a whole number"),
        ("", "'' is not a whole number"),
        ("0", "must be at least 1, not 0"),
    ],
)
def test_other_texts_are_refused(text: str, message: str) -> None:
    for read in (whole_number(1), whole_numbers(1)):
        with pytest.raises(argparse.ArgumentTypeError, match=message):
            read(text)
    with pytest.raises(argparse.ArgumentTypeError, match=message):
        whole_numbers(1)(f"5,{text}")


def test_a_bad_number_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["match", "--templates", "smart_home", "--rank", "x", "hi"])
    assert ended.value.code == 2
    assert capsys.readouterr().err.endswith("argument --rank: 'x' is not a whole number\n")


def test_no_option_of_any_command_lets_argparse_show_the_name_of_a_function() -> None:
    types = {action.type for action in options(build_parser())} - {None}
    assert not types & {int, float, Path}, "use the types of cli/options, which check values"
    assert len(types) > 10
    for read in types:
        assert callable(read)
        with suppress(argparse.ArgumentTypeError):  # any other error would show its name
            read("?")


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    Path("folder").mkdir()
    os.mkfifo("fifo")


def check(read: PathType, text: str) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("path", type=read)
    check_paths(parser, parser.parse_args([text]))


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (input_file, "file"),
        (input_folder, "folder"),
        (input_path, "file"),
        (input_path, "folder"),
        (output_file, "file"),
        (output_file, "new"),
        (output_file, "folder/new"),
        (output_folder, "folder"),
        (output_folder, "new/and/newer"),
    ],
)
def test_a_path_that_suits_is_accepted(read: PathType, text: str) -> None:
    for path in (Path(text), Path(text).absolute()):
        assert read(str(path)) == path
        check(read, str(path))


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        (input_file, "new", "there is no such file"),
        (input_file, "folder", "it is a folder; name a file"),
        (input_file, "fifo", "not a regular file"),
        (input_file, "/dev/zero", "not a regular file"),
        (input_file, "file/new", "there is no such file"),
        (input_folder, "new", "there is no such folder"),
        (input_folder, "file", "it is a file; name a folder"),
        (input_path, "new", "there is no such file"),
        (output_file, "folder", "it is a folder; name a file"),
        (output_file, "nowhere/new", "there is no folder nowhere"),
        (output_file, "fifo", "name a regular file"),
        (output_file, "/dev/zero", "name a regular file"),
        (output_file, "file/new", "is a file, not a folder"),
        (output_folder, "file", "is a file, not a folder"),
        (output_folder, "file/new", "is a file, not a folder"),
        (output_file, "\udcff", "the name is not UTF-8"),
        (input_file, "\udcff", "the name is not UTF-8"),
    ],
)
def test_any_other_path_is_refused_with_its_name(read: PathType, text: str, message: str) -> None:
    with pytest.raises(OSError, match=message) as caught:
        check(read, text)
    assert caught.value.filename == text


def test_a_file_that_is_read_is_not_written_unless_it_is_the_model(
    capsys: pytest.CaptureFixture[str],
) -> None:
    parser = argparse.ArgumentParser()
    for name, kind in (("model", input_file), ("--corpus", input_file), ("--out", output_file)):
        parser.add_argument(name, type=kind)
    Path("log").touch()
    Path("link").symlink_to("log")
    for out in ("file", "new"):
        check_paths(parser, parser.parse_args(["file", "--corpus", "log", "--out", out]))
    for out in ("log", "folder/../log", "link"):
        with pytest.raises(SystemExit, match="2"):
            check_paths(parser, parser.parse_args(["file", "--corpus", "log", "--out", out]))
        assert f"{out} is read, and would be overwritten" in capsys.readouterr().err


def test_a_model_that_is_read_beside_others_is_not_written(tiny_model: Path) -> None:
    parser = argparse.ArgumentParser()
    for name, kind in (("words", model_file), ("--out", output_file)):
        parser.add_argument(name, type=kind)
    with pytest.raises(SystemExit, match="2"):
        check_paths(parser, parser.parse_args([str(tiny_model), "--out", str(tiny_model)]))


@pytest.mark.parametrize("read", [input_file, input_folder, input_path, output_file, output_folder])
def test_an_empty_name_is_refused(read: PathType) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="is empty"):
        read("")


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
