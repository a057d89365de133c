import argparse
import os
from pathlib import Path

import pytest

from pocketintent.cli.options.model import model_file
from pocketintent.cli.options.types import (
    PathType,
    check_paths,
    input_file,
    input_folder,
    input_path,
    output_file,
    output_folder,
)


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
