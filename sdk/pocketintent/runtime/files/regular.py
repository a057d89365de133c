"""Reading the files that a user names: regular files only; lines of UTF-8 with their numbers.

A pipe that nobody writes to would block its reader for ever, and a device such as ``/dev/zero``
would fill the memory.
"""

from __future__ import annotations

import codecs
import errno
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from pocketintent.runtime.errors import PocketIntentError

_NO_WAIT = getattr(os, "O_NONBLOCK", 0)


def open_regular(path: str | os.PathLike[str], buffering: int = 1 << 17) -> BinaryIO:
    """Open a regular file, or a symbolic link to one, to read its bytes.

    Raises:
        OSError: The file cannot be opened, or is a folder, a pipe, a device or a socket.
    """
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


def without_mark(data: bytes) -> bytes:
    """The content of a file of UTF-8, or its first line, without a byte order mark."""
    return data.removeprefix(codecs.BOM_UTF8)


def numbered_lines(lines: Iterable[bytes], path: str | Path) -> Iterator[tuple[int, str]]:
    """The number of each line of a file, from 1, and its text without line end and byte order mark.

    An open binary file will do as the lines: they are split at line feeds alone, where
    ``str.splitlines`` would also split at U+2028 and the like.

    Raises:
        PocketIntentError: A line is not UTF-8; the message names file and line.
    """
    for number, line in enumerate(lines, 1):
        try:
            text = (without_mark(line) if number == 1 else line).decode()
        except UnicodeDecodeError as error:
            raise PocketIntentError(
                f"{path}, line {number}: not UTF-8 ({error.reason}); convert the file to UTF-8"
            ) from error
        yield number, text.strip("\r\n")


def _open_now(path: str, flags: int) -> int:
    return os.open(path, flags | _NO_WAIT)
