"""Temporary folders beside a target, each owned by the process that holds its lock.

The folder ``.NAME.<random>.tmp`` contains the unfinished file or folder and a lock file. The
operating system releases a lock when its process ends, even by a kill, so the next write of the
same target recognises the folders of dead processes and removes them. A process id would not do:
ids are reused, and they differ between containers and machines that share a disk.
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

_LOCK = "lock"
_ATTEMPTS = 100
_OPEN_LOCK = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
_LOCKED = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)  # what systems answer for a lock in use


@contextmanager
def staging(target: Path) -> Iterator[Path]:
    """Provide a path on the target's file system for a file or folder under construction.

    First removes what killed processes left behind for the same target, whose parent must exist.
    Yields a path with the target's suffix, at which there is nothing yet; whatever is still there
    when the block ends is removed.

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
    calls this first. Folders of running processes stay, and all folders where there are no locks.
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
    names = [folder.name for folder in (path, *path.parents) if folder.parent == target.parent]
    return any(_temporary_name(target).fullmatch(name) for name in names)


def claim(path: Path, *, require_lock: bool) -> int | None:
    """Become the owner of a lock file, which is made if it is missing.

    Args:
        path: The lock file.
        require_lock: Whether to give up where the file system has no locks.

    Returns:
        The descriptor of the lock, which is released when the descriptor is closed; None if
        another process owns or removed the file, or its folder is missing.

    Raises:
        OSError: The lock file cannot be opened.
    """
    try:
        descriptor = os.open(path, _OPEN_LOCK, 0o600)
    except FileNotFoundError:
        return None
    try:
        try:
            _lock(descriptor)
        except (OSError, ImportError) as error:
            owned = not require_lock and getattr(error, "errno", None) not in _LOCKED
        else:
            # The former owner may have removed the file before it released the lock.
            owned = os.path.samestat(os.fstat(descriptor), path.stat())
    except OSError:
        owned = False
    if owned:
        return descriptor
    os.close(descriptor)
    return None


def _lock(descriptor: int) -> None:
    """Lock a file until it is closed; OSError or, in a browser, ImportError if it cannot be."""
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


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
    """Remove an owned folder, the lock last, in case of a kill; a foreign file keeps the folder."""
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
    if sys.platform != "win32":  # a file released before it is removed could get another owner
        os.close(lock)
    with suppress(OSError):
        folder.rmdir()
