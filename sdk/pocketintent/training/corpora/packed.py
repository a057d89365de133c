"""Files that may be packed by gzip: reading by content, writing by name."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.atomic import replacing
from pocketintent.runtime.files.regular import open_regular

_GZIP = b"\x1f\x8b"
_BUFFER = 1 << 18


@contextmanager
def reading(path: str | Path) -> Iterator[tuple[BinaryIO, bool]]:
    """Open a file, unpacked if it is a gzip, whatever its name.

    Yields:
        The file and whether it is packed.

    Raises:
        PocketIntentError: The file cannot be read, or is a broken gzip; also where the block
            finds out.
    """
    try:
        with open_regular(path, _BUFFER) as file:
            packed = file.read(2) == _GZIP
            file.seek(0)
            if packed:
                with gzip.open(file) as unpacked:
                    yield cast(BinaryIO, unpacked), True
            else:
                yield file, False
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise PocketIntentError(f"{path}: broken gzip: {error}") from error
    except OSError as error:
        raise PocketIntentError(f"{path}: cannot be read: {error.strerror or error}") from error


@contextmanager
def writing(path: str | Path) -> Iterator[BinaryIO]:
    """Replace a file by what the block writes, packed if its name ends in ``.gz``.

    Equal content gives equal files.

    Raises:
        OSError: See :func:`pocketintent.runtime.files.atomic.replacing`.
    """
    with replacing(path) as temporary, temporary.open("wb", buffering=_BUFFER) as file:
        if Path(path).suffix != ".gz":
            yield file
            return
        # Without a name and a time in the header.
        with gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0) as archive:
            yield cast(BinaryIO, archive)
