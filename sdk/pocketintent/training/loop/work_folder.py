"""The folder in which an unfinished run keeps what a later call goes on with."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from pocketintent.runtime.errors import PocketIntentError


def open_folder(
    folder: Path,
    paths: Sequence[str | Path],
    settings: Mapping[str, Any],
    *,
    resume: bool,
    restart: bool,
) -> None:
    """Make the work folder of a run, or check that it is the one of this run.

    Args:
        folder: The folder.
        paths: What is trained on.
        settings: The settings of the run.
        resume: Go on with a folder that is there.
        restart: Drop a folder that is there.

    Raises:
        PocketIntentError: There is a folder and neither was asked for, or it was made with
            other settings or inputs; a run is to be resumed that has finished; or an input
            cannot be read.
    """
    identity = {"settings": dict(settings), "corpora": [fingerprint(Path(p)) for p in paths]}
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
                f"{record}: made with other {_differences(record, identity)}; repeat them, or "
                "give --restart"
            )
        return
    out = folder.with_suffix("")
    if resume and out.exists():
        raise PocketIntentError(
            f"{out} is finished and no run of it is left to go on with; --restart trains it anew"
        )
    folder.mkdir(parents=True)
    record.write_bytes(wanted)


def _differences(record: Path, identity: Mapping[str, Any]) -> str:
    """What another run had otherwise: the names of settings, or its input files."""
    try:
        other = orjson.loads(record.read_bytes())["settings"]
        wanted = identity["settings"]
        names = [
            name for name in {**other, **wanted} if other.get(name, "") != wanted.get(name, "")
        ]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return "settings or input files"
    return f"settings ({', '.join(names)})" if names else "input files"


def fingerprint(path: Path) -> dict[str, Any]:
    """Name, bytes and SHA-256 of a file that is trained on.

    Raises:
        PocketIntentError: It cannot be read.
    """
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    except OSError as error:
        raise PocketIntentError(f"{path}: cannot be read: {error.strerror or error}") from error
    return {"file": path.name, "bytes": path.stat().st_size, "sha256": digest.hexdigest()}
