import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from pocketintent.runtime.files.atomic import (
    move_into_place,
    new_folder,
    replacing,
    write_atomically,
)


def _write_large(path: str | Path, data: bytes) -> None:
    with replacing(path) as temporary:
        temporary.write_bytes(data)


@pytest.mark.parametrize("write", [write_atomically, _write_large])
def test_a_file_is_replaced_whole(write: Callable[..., None], tmp_path: Path) -> None:
    path = tmp_path / "x"
    for data in (b"old", b"new"):
        write(path, data)
        assert path.read_bytes() == data
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize("write", [write_atomically, _write_large])
def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(
    write: Callable[..., None], step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"old")

    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "no space left on device")

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(OSError, match=r"cannot be written to: no space left on device: '.*x'$"):
        write(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
@pytest.mark.parametrize("linked", [False, True])
@pytest.mark.parametrize("write", [write_atomically, _write_large])
def test_a_device_or_a_pipe_is_not_replaced(
    write: Callable[..., None], linked: bool, tmp_path: Path
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    path = tmp_path / "link" if linked else pipe
    if linked:
        path.symlink_to(pipe)
    with pytest.raises(OSError, match=rf"name a regular file: '.*{path.name}'$"):
        write(path, b"new")
    assert pipe.is_fifo()
    assert set(tmp_path.iterdir()) == {pipe, path}


def test_a_block_that_fails_leaves_the_old_file_and_its_own_error(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"old")
    with pytest.raises(KeyError, match="mine"), replacing(path) as temporary:
        temporary.write_bytes(b"half")
        raise KeyError("mine")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_an_error_of_the_block_about_another_file_is_raised_as_it_is(tmp_path: Path) -> None:
    missing = tmp_path / "data.bin"
    for write in (replacing, new_folder):
        with pytest.raises(FileNotFoundError) as caught, write(tmp_path / "x"):
            missing.read_bytes()
        assert caught.value.filename == str(missing)
        with (
            pytest.raises(FileNotFoundError, match=r"cannot be written to: No such file.*x'$"),
            write(tmp_path / "x") as temporary,
        ):
            (temporary / "lost" / "file").touch()
        with pytest.raises(OSError, match=r"cannot be written to: .*x'$"), write(tmp_path / "x"):
            raise OSError(errno.EBADF, "bad descriptor", 77)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "kind", "reason"),
    [
        ("no/such/folder/x.json", FileNotFoundError, "there is no folder {0}/no/such/folder;"),
        ("a_file/x.json", NotADirectoryError, "{0}/a_file is a file, not a folder"),
        ("a_folder", IsADirectoryError, "it is a folder; name a file"),
    ],
)
@pytest.mark.parametrize("write", [write_atomically, _write_large])
def test_a_write_that_has_no_place_names_the_users_file_and_the_folder(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    write: Callable[..., None],
    name: str,
    kind: type[OSError],
    reason: str,
) -> None:
    (tmp_path / "a_folder").mkdir()
    (tmp_path / "a_file").touch()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(kind) as caught:
        write(name, b"{}")
    assert caught.value.filename == name
    assert str(caught.value.strerror).startswith(reason.format(tmp_path.resolve()))
    assert ".tmp" not in str(caught.value)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a_file", "a_folder"]


def test_a_write_into_a_folder_that_refuses_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(temporary: str, *_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", temporary)

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(PermissionError, match=r"cannot be written to: Permission denied: '.*x'$"):
        write_atomically(tmp_path / "x", b"{}")


@pytest.mark.parametrize("exists", [False, True])
def test_a_new_folder_appears_whole_and_takes_the_place_of_an_empty_one(
    exists: bool, tmp_path: Path
) -> None:
    target = tmp_path / "out"
    if exists:
        target.mkdir()
    with new_folder(target) as building:
        (building / "inner").mkdir()
        (building / "inner" / "file").write_text("content")
        assert not any(target.glob("*"))
    assert (target / "inner" / "file").read_text() == "content"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.skipif(os.name != "posix", reason="the system has no modes of folders")
def test_a_new_folder_has_the_permissions_of_the_empty_one(tmp_path: Path) -> None:
    target = tmp_path / "out"
    target.mkdir()
    target.chmod(0o2751)
    with new_folder(target) as building:
        (building / "file").touch()
    assert target.stat().st_mode & 0o7777 == 0o2751


def test_a_folder_with_files_is_replaced_whole_where_this_is_asked_for(tmp_path: Path) -> None:
    target = tmp_path / "out"
    (target / "inner").mkdir(parents=True)
    with new_folder(target, replace=True) as building:
        (building / "file").touch()
        assert (target / "inner").is_dir()
    assert sorted(tmp_path.rglob("*")) == [target, target / "file"]


def test_a_folder_that_cannot_be_replaced_stays_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "out"
    (target / "inner").mkdir(parents=True)
    rename = os.replace

    def fail(source: Path, destination: Path) -> None:
        if source.name == "new":
            raise OSError(errno.EIO, "input/output error")
        rename(source, destination)

    monkeypatch.setattr(os, "replace", fail)
    with (
        pytest.raises(OSError, match=r"cannot be written to: input/output error: '.*out'$"),
        new_folder(target, replace=True) as building,
    ):
        (building / "file").touch()
    assert sorted(tmp_path.rglob("*")) == [target, target / "inner"]


def test_a_failure_leaves_no_half_of_a_folder(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), new_folder(tmp_path / "out") as building:
        (building / "file").touch()
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_named_with_the_reason(tmp_path: Path) -> None:
    with (
        pytest.raises(OSError, match=r"cannot be written to: No space.*'.*out'$"),
        new_folder(tmp_path / "out"),
    ):
        raise OSError(errno.ENOSPC, "No space left on device")
    with (
        pytest.raises(FileNotFoundError, match=r"there is no folder .*none; make it first"),
        new_folder(tmp_path / "none" / "out"),
    ):
        pass
    full = tmp_path / "full"
    full.mkdir()
    (full / "old").touch()
    with pytest.raises(OSError, match="full"), new_folder(full):
        pass
    assert [path.name for path in tmp_path.rglob("*")] == ["full", "old"]


def test_a_finished_file_takes_the_place_of_an_old_one(tmp_path: Path) -> None:
    (tmp_path / "new").write_text("new")
    (tmp_path / "old").write_text("old")
    move_into_place(tmp_path / "new", tmp_path / "old")
    assert (tmp_path / "old").read_text() == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["old"]
