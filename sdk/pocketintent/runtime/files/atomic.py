"""Files and folders that appear whole or not at all.

The content is written in a temporary folder beside the target (see ``staging``), synced to the disk
and renamed. An error names the user's file and leaves the old content in place.
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
    """Replace a file's content; arguments and errors are those of :func:`replacing`."""
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
        keep_permissions: Give the new file the permissions of the old one; otherwise it gets
            the user's usual ones.

    Yields:
        The path to write to.

    Raises:
        OSError: The file cannot be written, or is a device or a pipe. The error names ``path`` and
            says what is wrong; one of the block that names another file is raised as it is.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not (target.is_file() or target.is_dir()):
        raise OSError(errno.EINVAL, NOT_A_FILE, os.fspath(path))
    hint = "it is a folder; name a file"
    with _naming(path, target, hint), staging(target) as temporary:
        yield temporary
        if keep_permissions and target.exists():
            temporary.chmod(target.stat().st_mode)
        move_into_place(temporary, target)


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
        OSError: As of :func:`replacing`.
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
            if place not in (target, target.parent) and not is_staged(place, target):
                raise
        reason = if_folder if if_folder and target.is_dir() else _reason(error, target.parent)
        raise OSError(error.errno, reason, os.fspath(path)) from error


def _reason(error: OSError, folder: Path) -> str:
    """What keeps a write out of a folder."""
    if not folder.exists():
        return f"there is no folder {folder}; make it first"
    if not folder.is_dir():
        return f"{folder} is a file, not a folder"
    return f"the folder {folder} cannot be written to: {error.strerror or error}"
