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
