"""Temporary folders beside a target, each owned by the process that holds its lock.

The folder ``.NAME.<random>.tmp`` contains the unfinished file or folder and a lock file. The
lock is released when the process ends, even by a kill, so the next write of the same target
recognises the folders of dead processes and removes them.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pocketintent.runtime.files.locks import claim

_LOCK = "lock"
_ATTEMPTS = 100


@contextmanager
def staging(target: Path) -> Iterator[Path]:
    """Provide a path on the target's file system for a file or folder under construction.

    First removes what killed processes left behind for the same target. When the block ends,
    whatever is still at the path is removed.

    Args:
        target: The file or folder to make; a symbolic link is followed. Its parent must exist.

    Yields:
        A path with the target's suffix, at which there is nothing yet.

    Raises:
        OSError: The target's parent cannot be written to.
    """
    target = Path(os.path.realpath(target))
    remove_leftovers(target)
    folder, lock = _make_folder(target)
    try:
        yield _content(folder, target)
    finally:
        _remove(folder, target, lock)


def remove_leftovers(path: str | os.PathLike[str]) -> None:
    """Remove the temporary folders that killed processes left behind for a target.

    Every write does so. A command that may end without a write, because its target is complete,
    calls this first. Folders of running processes stay, as does everything that cannot be removed.
    On a file system without locks, all folders stay.

    Args:
        path: The file or folder that was to be made; a symbolic link is followed.
    """
    target = Path(os.path.realpath(path))
    name = _temporary_name(target)
    with suppress(OSError), os.scandir(target.parent) as entries:
        folders = [
            Path(entry.path)
            for entry in entries
            if name.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False)
        ]
        for folder in folders:
            with suppress(OSError):
                lock = claim(folder / _LOCK, require_lock=True)
                if lock is not None:
                    _remove(folder, target, lock)


def is_staged(path: Path, target: Path) -> bool:
    """Whether a path is a temporary folder of a target, or in it."""
    folders = [path, *path.parents]
    names = [folder.name for folder in folders if folder.parent == target.parent]
    return any(_temporary_name(target).fullmatch(name) for name in names)


def _temporary_name(target: Path) -> re.Pattern[str]:
    return re.compile(rf"\.{re.escape(target.name)}\.[0-9a-f]{{6}}\.tmp")


def _make_folder(target: Path) -> tuple[Path, int]:
    """Make a folder; returns it and the descriptor of its lock."""
    for _ in range(_ATTEMPTS):
        folder = target.with_name(f".{target.name}.{secrets.token_hex(3)}.tmp")
        with suppress(FileExistsError):
            folder.mkdir(0o700)
            try:
                lock = claim(folder / _LOCK, require_lock=False)
            except OSError:
                with suppress(OSError):
                    folder.rmdir()
                raise
            if lock is not None:
                return folder, lock
        # The name is in use, or another process took the new folder for a leftover.
    raise OSError(errno.EAGAIN, "cannot lock a file")


def _content(folder: Path, target: Path) -> Path:
    return folder / f"content{target.suffix}"


def _remove(folder: Path, target: Path, lock: int) -> None:
    """Remove an owned folder; the lock goes last, in case of a kill on the way.

    Only what belongs there is removed, so a foreign file keeps the folder.
    """
    content, path = _content(folder, target), folder / _LOCK
    if content.is_dir() and not content.is_symlink():
        shutil.rmtree(content, ignore_errors=True)
    else:
        with suppress(OSError):
            content.unlink()
    if sys.platform == "win32":  # an open file cannot be removed
        os.close(lock)
        with suppress(OSError):
            path.unlink()
    else:  # a file released before it is removed could get another owner
        with suppress(OSError):
            path.unlink()
        os.close(lock)
    with suppress(OSError):
        folder.rmdir()
