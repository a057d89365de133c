"""Files and folders that appear whole or not at all.

The content is written in a temporary folder beside the target, synced to the disk and renamed.
An error names the user's file and leaves the old content in place, and no temporary folder. A
killed process leaves its temporary folder, which the next write of the same target removes.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pocketintent.runtime.files.staging import is_staged, staging

_WRITE_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)

NOT_A_FILE = "it is a device, a pipe or a socket; name a regular file"
"""Why a path that exists is not written to."""


def write_atomically(
    path: str | os.PathLike[str], data: bytes, *, keep_permissions: bool = False
) -> None:
    """Replace a file's content.

    Args:
        path: The file to write; a symbolic link is followed. Its folder must exist.
        data: The whole content.
        keep_permissions: Give the new file the permissions of the old one; otherwise it gets
            the user's usual ones.

    Raises:
        OSError: The file cannot be written. The error names ``path`` and says what is wrong
            with its folder.
    """
    with (
        replacing(path, keep_permissions=keep_permissions) as temporary,
        # os.open, not tempfile, so that the file gets the user's usual permissions.
        open(os.open(temporary, _WRITE_NEW, 0o666), "wb") as file,
    ):
        file.write(data)


@contextmanager
def replacing(path: str | os.PathLike[str], *, keep_permissions: bool = False) -> Iterator[Path]:
    """Replace a file by the one that the block writes; for content too large for memory.

    Args:
        path: The file to write; a symbolic link is followed. Its folder must exist.
        keep_permissions: Give the new file the permissions of the old one.

    Yields:
        The path to write to.

    Raises:
        OSError: The file cannot be written. The error names ``path`` and says what is wrong
            with its folder; a device or a pipe is refused, because it would be replaced. An error
            of the block that names another file is raised as it is.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not (target.is_file() or target.is_dir()):
        raise OSError(errno.EINVAL, NOT_A_FILE, os.fspath(path))
    try:
        with staging(target) as temporary:
            yield temporary
            if keep_permissions and target.exists():
                temporary.chmod(target.stat().st_mode)
            move_into_place(temporary, target)
    except OSError as error:
        if _is_of_another_file(error, target):
            raise
        is_folder = target.is_dir()
        reason = "it is a folder; name a file" if is_folder else _reason(error, target.parent)
        raise _name_target(error, path, reason) from error


@contextmanager
def new_folder(path: str | os.PathLike[str], *, replace: bool = False) -> Iterator[Path]:
    """Make a folder of what the block writes.

    Args:
        path: The folder to make; a symbolic link is followed. Its parent must exist. An existing
            folder is replaced by one with its permissions.
        replace: Replace a folder with files in it, too; otherwise the folder must be missing or
            empty.

    Yields:
        The folder to write to.

    Raises:
        OSError: The folder cannot be written. The error names ``path`` and says what is wrong
            with its parent. An error of the block that names another file is raised as it is.
    """
    target = Path(os.path.realpath(path))
    try:
        with staging(target) as area:
            temporary = area / "new"
            temporary.mkdir(parents=True)
            yield temporary
            if target.exists():
                temporary.chmod(target.stat().st_mode)
            move_into_place(temporary, target, area / "old" if replace else None)
    except OSError as error:
        if _is_of_another_file(error, target):
            raise
        raise _name_target(error, path, _reason(error, target.parent)) from error


def move_into_place(temporary: Path, target: Path, aside: Path | None = None) -> None:
    """Give a finished file or folder its name, so that it survives a power cut from then on.

    Args:
        temporary: The file or folder, on the same file system as the target.
        target: The new name. A file there is replaced by a file, an empty folder by a folder.
        aside: A name on the same file system to which a folder at the target is moved, so that it
            need not be empty; None for none. It moves back if the new one cannot be renamed.

    Raises:
        OSError: It cannot be synced or renamed.
    """
    files = temporary.rglob("*") if temporary.is_dir() else [temporary]
    for file in files:
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


def _is_of_another_file(error: OSError, target: Path) -> bool:
    """Whether an error of the block names a file that has nothing to do with the target."""
    if not isinstance(error.filename, str | bytes | os.PathLike):  # none, or a descriptor
        return False
    path = Path(os.path.realpath(os.fsdecode(error.filename)))
    return path not in (target, target.parent) and not is_staged(path, target)


def _name_target(error: OSError, path: str | os.PathLike[str], reason: str) -> OSError:
    """An error of the same class that names the user's file instead of the temporary one."""
    return OSError(error.errno, reason, os.fspath(path))


def _reason(error: OSError, folder: Path) -> str:
    """What keeps a write out of a folder."""
    if not folder.exists():
        return f"there is no folder {folder}; make it first"
    if not folder.is_dir():
        return f"{folder} is a file, not a folder"
    return f"the folder {folder} cannot be written to: {error.strerror or error}"
