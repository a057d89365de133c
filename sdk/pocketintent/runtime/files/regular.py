"""Reading the files that a user names: regular files only.

A pipe that nobody writes to would block its reader for ever, and a device such as ``/dev/zero``
would fill the memory.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import BinaryIO

_NO_WAIT = getattr(os, "O_NONBLOCK", 0)


def open_regular(path: str | os.PathLike[str], buffering: int = 1 << 17) -> BinaryIO:
    """Open a regular file, or a symbolic link to one, to read it; OSError for anything else."""
    # Opening a pipe waits for a writer, so its type is checked after an opening that does not wait.
    file = open(path, "rb", buffering=buffering, opener=_open_now)  # noqa: SIM115
    if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        return file
    file.close()
    raise OSError(errno.EINVAL, "it is a pipe, a device or a socket, not a file", os.fspath(path))


def read_regular(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a regular file; see :func:`open_regular`."""
    with open_regular(path) as file:
        return file.read()


def _open_now(path: str, flags: int) -> int:
    return os.open(path, flags | _NO_WAIT)
