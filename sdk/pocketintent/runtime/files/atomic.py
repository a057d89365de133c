"""Outputs that appear whole or not at all, for what is too large to be held in memory."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pocketintent.runtime.errors import PocketIntentError


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """A new file beside ``path`` that takes its place when the block ends well.

    Args:
        path: The file to write; a symbolic link is followed.

    Yields:
        The path to write to.

    Raises:
        PocketIntentError: The file cannot be written; the old one is then still there.
    """
    target = os.path.realpath(path)
    temporary = Path(f"{target}.{secrets.token_hex(4)}.tmp")
    try:
        yield temporary
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except OSError as error:
        raise PocketIntentError(f"{path}: cannot be written: {error.strerror or error}") from error
    finally:
        temporary.unlink(missing_ok=True)


def write_atomically(
    path: str | os.PathLike[str], data: bytes, *, keep_permissions: bool = False
) -> None:
    """Replace a file's content at once: a new file beside it, synced, then renamed.

    Args:
        path: The file to write; a symbolic link is followed. Its folder must exist.
        data: The whole content.
        keep_permissions: Whether the new file gets those of the old one; False for the user's
            usual ones.

    Raises:
        OSError: The file cannot be written; the old content is then still there. The error
            names ``path`` and says what is wrong with its folder.
    """
    target = os.path.realpath(path)
    temporary = f"{target}.{secrets.token_hex(4)}.tmp"
    try:
        # os.open, not tempfile, so that the file gets the user's usual permissions.
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        handle = os.open(temporary, flags, 0o666)
        with open(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(handle)
        if keep_permissions and os.path.exists(target):
            os.chmod(temporary, os.stat(target).st_mode)
        os.replace(temporary, target)
    except OSError as error:
        raise _naming(error, path, target) from error
    finally:
        if os.path.exists(temporary):
            os.unlink(temporary)
    if os.name == "posix":
        folder = os.open(os.path.dirname(target), os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _naming(error: OSError, path: str | os.PathLike[str], target: str) -> OSError:
    """An error of a write, in the same class, with the user's file for the temporary one."""
    folder = os.path.dirname(target)
    if os.path.isdir(target):
        reason = "it is a folder; name a file"
    elif not os.path.exists(folder):
        reason = f"there is no folder {folder}; make it first"
    elif not os.path.isdir(folder):
        reason = f"{folder} is a file, not a folder"
    else:
        reason = f"the folder {folder} cannot be written to: {error.strerror or error}"
    return OSError(error.errno, reason, os.fspath(path))
