"""Lines of UTF-8 text with their numbers: the one reader of text files, line by line."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from pathlib import Path

from pocketintent.runtime.errors import PocketIntentError


def without_mark(data: bytes) -> bytes:
    """The content of a file of UTF-8, or its first line, without a byte order mark."""
    return data.removeprefix(codecs.BOM_UTF8)


def numbered_lines(lines: Iterable[bytes], path: str | Path) -> Iterator[tuple[int, str]]:
    """Decode the lines of a file, one at a time.

    The caller splits bytes at line feeds, since ``str.splitlines`` would also split at U+2028
    and other characters that are part of the text.

    Args:
        lines: The lines, with or without their line ends; an open binary file will do.
        path: The file, for messages.

    Yields:
        The number of each line, from 1, and its text without its line end. A byte order mark at
        the beginning of the file is removed.

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
