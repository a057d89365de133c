"""Files and folders that appear whole or not at all.

The content is written in a temporary folder beside the target, synced to the disk and renamed. An
error names the user's file and leaves the old content in place.

The temporary folder ``.NAME.<random>.tmp`` contains the unfinished file or folder and a lock file.
The operating system releases a lock when its process ends, even by a kill, so the next write of
the same target recognises the folders of dead processes and removes them. A process id would not
do: ids are reused, and they differ between containers and machines that share a disk.
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

NOT_A_FILE = "it is a device, a pipe or a socket; name a regular file"
"""Why a path that exists is not written to."""

_WRITE_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_LOCK = "lock"
_OPEN_LOCK = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
_LOCKED = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)  # what systems answer for a lock in use
_ATTEMPTS = 100


def write_atomically(
    path: str | os.PathLike[str], data: bytes, *, keep_permissions: bool = False
) -> None:
    """Replace a file's content; arguments and errors are those of :func:`replacing`."""
    with (
        replacing(path, keep_permissions=keep_permissions) as temporary,
        # os.open, not tempfile, so that the file gets the user's usual permissions.
        open(os.open(temporary, _WRITE_NEW, 0o666), "wb") as file,
    ):
        file.write(data)


@contextmanager
def replacing(path: str | os.PathLike[str], *, keep_permissions: bool = False) -> Iterator[Path]:
    """Replace a file by the one that the block writes to the path that it gets.

    It is in an existing folder; a symbolic link is followed. It gets the user's usual permissions,
    or with ``keep_permissions`` those of the old file. OSError, which names ``path`` and says what
    is wrong, if it cannot be written or is a device or a pipe; an error of the block that names
    another file is raised as it is.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not (target.is_file() or target.is_dir()):
        raise OSError(errno.EINVAL, NOT_A_FILE, os.fspath(path))
    with _naming(path, target, "it is a folder; name a file"), staging(target) as temporary:
        yield temporary
        if keep_permissions and target.exists():
            temporary.chmod(target.stat().st_mode)
        move_into_place(temporary, target)


@contextmanager
def new_folder(path: str | os.PathLike[str], *, replace: bool = False) -> Iterator[Path]:
    """Make a folder of what the block writes to the folder that it gets; see :func:`replacing`.

    An existing folder is replaced by one with its permissions; ``replace`` allows that also for one
    with files in it.
    """
    target = Path(os.path.realpath(path))
    with _naming(path, target), staging(target) as area:
        temporary = area / "new"
        temporary.mkdir(parents=True)
        yield temporary
        if target.exists():
            temporary.chmod(target.stat().st_mode)
        move_into_place(temporary, target, area / "old" if replace else None)


def move_into_place(temporary: Path, target: Path, aside: Path | None = None) -> None:
    """Give a finished file or folder its name, so that it survives a power cut from then on.

    All are on one file system. A file at the target is replaced by a file, an empty folder by a
    folder. A folder with files is first moved ``aside``, and back if the new one cannot be renamed.
    """
    for file in temporary.rglob("*") if temporary.is_dir() else [temporary]:
        if file.is_file():
            with file.open("rb+") as handle:
                os.fsync(handle.fileno())
    if aside is not None and target.exists():
        os.replace(target, aside)
    elif os.name == "nt" and temporary.is_dir() and target.is_dir():
        target.rmdir()  # Windows replaces files alone
    try:
        os.replace(temporary, target)
    except OSError:
        if aside is not None and aside.exists():
            os.replace(aside, target)
        raise
    if os.name == "posix":
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


@contextmanager
def staging(target: Path) -> Iterator[Path]:
    """Provide a path on the target's file system for a file or folder under construction.

    First removes what killed processes left behind for the same target, whose parent must exist.
    The path has the target's suffix, and there is nothing at it; whatever is still there when the
    block ends is removed.
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
    with suppress(OSError):
        for folder in list(target.parent.iterdir()):
            if _is_temporary(folder, target) and folder.is_dir() and not folder.is_symlink():
                with suppress(OSError):
                    lock = claim(folder / _LOCK, require_lock=True)
                    if lock is not None:
                        _remove(folder, target, lock)


def claim(path: Path, *, require_lock: bool) -> int | None:
    """Become the owner of a lock file, which is made if it is missing.

    Returns a descriptor, which holds the lock until it is closed; None if another process owns or
    removed the file, its folder is missing, or the file system has no locks and ``require_lock``
    is true. Raises OSError for a file that cannot be opened.
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


def _make_folder(target: Path) -> tuple[Path, int]:
    """Make a temporary folder; returns it and the descriptor of its lock."""
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


def _is_temporary(folder: Path, target: Path) -> bool:
    name = re.compile(rf"\.{re.escape(target.name)}\.[0-9a-f]{{6}}\.tmp")
    return folder.parent == target.parent and name.fullmatch(folder.name) is not None


def _content(folder: Path, target: Path) -> Path:
    return folder / f"content{target.suffix}"


def _remove(folder: Path, target: Path, lock: int) -> None:
    """Remove an owned folder, the lock last, in case of a kill; a foreign file keeps the folder."""
    content = _content(folder, target)
    if content.is_dir() and not content.is_symlink():
        shutil.rmtree(content, ignore_errors=True)
    else:
        with suppress(OSError):
            content.unlink()
    if sys.platform == "win32":  # an open file cannot be removed
        os.close(lock)
    with suppress(OSError):
        (folder / _LOCK).unlink()
    if sys.platform != "win32":  # a file released before it is removed could get another owner
        os.close(lock)
    with suppress(OSError):
        folder.rmdir()


@contextmanager
def _naming(path: str | os.PathLike[str], target: Path, if_folder: str = "") -> Iterator[None]:
    """Let an error name the user's path, not the temporary one, and say what is wrong there.

    An error that names a file that has nothing to do with the target is raised as it is.
    """
    try:
        yield
    except OSError as error:
        if isinstance(error.filename, str | bytes | os.PathLike):  # not None, nor a descriptor
            place = Path(os.path.realpath(os.fsdecode(error.filename)))
            is_staged = any(_is_temporary(folder, target) for folder in (place, *place.parents))
            if place not in (target, target.parent) and not is_staged:
                raise
        folder = target.parent
        if if_folder and target.is_dir():
            reason = if_folder
        elif not folder.exists():
            reason = f"there is no folder {folder}; make it first"
        elif not folder.is_dir():
            reason = f"{folder} is a file, not a folder"
        else:
            reason = f"the folder {folder} cannot be written to: {error.strerror or error}"
        raise OSError(error.errno, reason, os.fspath(path)) from error
