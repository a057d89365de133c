"""Temporary folders: whose they are, and that dead processes' folders go."""

import errno
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from pocketintent.runtime.files import atomic as module
from pocketintent.runtime.files.atomic import (
    new_folder,
    remove_leftovers,
    staging,
    write_atomically,
)

SOURCES = Path(__file__).resolve().parents[3] / "sdk"


def _leftover(target: Path, random: str = "0a1b2c") -> Path:
    """The folder of a process that was killed as it wrote a target."""
    folder = target.with_name(f".{target.name}.{random}.tmp")
    (folder / f"content{target.suffix}").mkdir(parents=True)
    (folder / f"content{target.suffix}" / "half").write_text("half")
    (folder / "lock").touch()
    return folder


@pytest.mark.parametrize("kept", ["content.json lock", "content.json", "lock", ""])
def test_a_write_removes_what_a_killed_process_left_at_any_point(kept: str, tmp_path: Path) -> None:
    target = tmp_path / "x.json"
    folder = tmp_path / ".x.json.0a1b2c.tmp"
    folder.mkdir()
    for name in kept.split():
        (folder / name).touch()
    write_atomically(target, b"new")
    assert list(tmp_path.iterdir()) == [target]


def test_a_new_folder_removes_leftovers_too_also_by_a_symbolic_link(tmp_path: Path) -> None:
    target, link = tmp_path / "out", tmp_path / "link"
    target.mkdir()
    try:
        link.symlink_to(target)
    except OSError:
        pytest.skip("no symbolic links here")
    _leftover(target)
    with new_folder(link) as folder:
        (folder / "file").touch()
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "link", "out"]


def test_a_kill_leaves_a_folder_that_the_next_write_removes(tmp_path: Path) -> None:
    target = tmp_path / "x"
    code = (
        "import os, sys; from pathlib import Path\n"
        "from pocketintent.runtime.files.atomic import staging\n"
        "with staging(Path(sys.argv[1])) as path:\n"
        "    path.write_text('half')\n"
        "    os._exit(0)  # as a kill: nothing is cleaned up\n"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(SOURCES), *sys.path])}
    subprocess.run([sys.executable, "-c", code, str(target)], env=environment, check=True)
    (left,) = tmp_path.iterdir()
    assert (left / "content").read_text() == "half"
    write_atomically(target, b"new")
    assert list(tmp_path.iterdir()) == [target]


def test_the_folder_of_a_running_write_stays(tmp_path: Path) -> None:
    target = tmp_path / "x"
    with staging(target) as first:
        first.write_text("first")
        write_atomically(target, b"second")
        remove_leftovers(target)
        assert first.read_text() == "first"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize(
    "name",
    [
        ".x.0a1b2.tmp",  # too short
        ".x.0a1b2g.tmp",  # not hexadecimal
        ".x.json.0a1b2c.tmp",  # of another target
        "x.0a1b2c.tmp",
        ".xx.0a1b2c.tmp",
    ],
)
def test_folders_of_other_names_stay(name: str, tmp_path: Path) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / name / "lock").touch()
    write_atomically(tmp_path / "x", b"new")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([name, "x"])
    assert (tmp_path / name / "lock").exists()


def test_foreign_files_and_links_stay(tmp_path: Path) -> None:
    folder = _leftover(tmp_path / "x")
    (folder / "mine").write_text("mine")
    file = tmp_path / ".x.ffffff.tmp"
    file.write_text("a file")
    write_atomically(tmp_path / "x", b"new")
    assert [path.name for path in folder.iterdir()] == ["mine"]
    assert file.read_text() == "a file"


def test_without_locks_a_write_succeeds_and_removes_no_folder_but_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(module, "_lock", fail)
    folder = _leftover(tmp_path / "x")
    write_atomically(tmp_path / "x", b"new")
    assert (tmp_path / "x").read_bytes() == b"new"
    assert sorted(path.name for path in tmp_path.iterdir()) == [folder.name, "x"]
    assert (folder / "content" / "half").exists()


def test_a_folder_that_another_process_takes_for_a_leftover_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other process sees the folder before its maker has locked it."""
    mkdir, taken = Path.mkdir, []

    def make_and_lose(path: Path, *args: int) -> None:
        mkdir(path, *args)
        if len(taken) < 3:
            taken.append(path)
            remove_leftovers(tmp_path / "x")

    monkeypatch.setattr(Path, "mkdir", make_and_lose)
    write_atomically(tmp_path / "x", b"new")
    assert len(taken) == 3
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


@pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be removed there")
def test_a_lock_that_was_removed_before_it_was_taken_is_no_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = module._lock

    def lose(descriptor: int) -> None:
        monkeypatch.setattr(module, "_lock", lock)
        remove_leftovers(tmp_path / "x")
        lock(descriptor)

    monkeypatch.setattr(module, "_lock", lose)
    with staging(tmp_path / "x") as path:
        path.write_text("new")
        assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="of two renames at once, one is refused there")
def test_writers_of_the_same_target_never_remove_each_others_work(tmp_path: Path) -> None:
    target, errors = tmp_path / "x", []

    def write(number: int) -> None:
        try:
            for _ in range(30):
                write_atomically(target, b"%d" % number * 1000)
        except OSError as error:
            errors.append(error)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert target.read_bytes() in [b"%d" % number * 1000 for number in range(4)]
    assert list(tmp_path.iterdir()) == [target]
