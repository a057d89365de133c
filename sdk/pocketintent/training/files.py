"""Files of long work: outputs that appear whole, and work folders that a run goes on from."""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson

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


def fingerprint(path: str | Path) -> dict[str, Any]:
    """A file's name without its folder, its bytes and its SHA-256.

    Raises:
        PocketIntentError: The file cannot be read.
    """
    digest = hashlib.sha256()
    size = 0
    try:
        with open(path, "rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
                size += len(block)
    except OSError as error:
        raise PocketIntentError(f"{path}: cannot be read: {error.strerror or error}") from error
    return {"file": Path(path).name, "bytes": size, "sha256": digest.hexdigest()}


def open_run_folder(
    folder: Path, identity: Mapping[str, Any], *, resume: bool, restart: bool
) -> None:
    """Begin a run in a work folder, or find the one that was stopped there.

    Args:
        folder: The work folder; made when it is not there.
        identity: Settings and fingerprints of the inputs, what JSON can hold.
        resume: Go on with the run that the folder holds.
        restart: Drop what the folder holds.

    Raises:
        PocketIntentError: There is a run and neither ``resume`` nor ``restart``, or it was made
            with another identity.
    """
    wanted = orjson.dumps(identity, option=orjson.OPT_INDENT_2)
    record = folder / "run.json"
    if restart and folder.exists():
        shutil.rmtree(folder)
    if folder.exists():
        if not resume:
            raise PocketIntentError(
                f"{folder} holds an unfinished run: --resume goes on with it, --restart drops it"
            )
        if not record.exists() or record.read_bytes() != wanted:
            raise PocketIntentError(
                f"{record}: made with other settings or inputs; repeat them, or give --restart"
            )
        return
    folder.mkdir(parents=True)
    record.write_bytes(wanted)
