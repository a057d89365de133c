"""The folder with the unfinished work of a run, from which a later call can continue."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.atomic import write_atomically


def open_folder(
    folder: Path,
    paths: Sequence[str | Path],
    settings: Mapping[str, Any],
    *,
    resume: bool,
    restart: bool,
) -> None:
    """Make the work folder of a run, or check that it belongs to this run.

    Args:
        folder: The folder.
        paths: Files that are trained on.
        settings: The settings of the run.
        resume: Continue from an existing folder.
        restart: Delete an existing folder.

    Raises:
        PocketIntentError: The folder exists, and neither ``resume`` nor ``restart`` is set, or
            it was made with other settings or inputs; the run to resume has finished; or an
            input cannot be read.
    """
    identity = {"settings": dict(settings), "corpora": [fingerprint(Path(p)) for p in paths]}
    content = orjson.dumps(identity, option=orjson.OPT_INDENT_2)
    record = folder / "run.json"
    if restart and folder.exists():
        shutil.rmtree(folder)
    if folder.exists():
        if not resume:
            raise PocketIntentError(
                f"{folder} holds an unfinished run: --resume goes on with it, --restart drops it"
            )
        if not record.exists() or record.read_bytes() != content:
            raise PocketIntentError(
                f"{record}: made with other {_differences(record, identity)}; repeat them, or "
                "give --restart"
            )
        return
    out = folder.with_suffix("")
    if resume and out.exists():
        raise PocketIntentError(
            f"{out} is finished, so there is no run to resume; --restart trains it again"
        )
    folder.mkdir(parents=True)
    write_atomically(record, content)


def _differences(record: Path, identity: Mapping[str, Any]) -> str:
    """What differs in another run: the names of settings, or the input files."""
    try:
        theirs = orjson.loads(record.read_bytes())["settings"]
        ours = identity["settings"]
        names = [name for name in {**theirs, **ours} if theirs.get(name, "") != ours.get(name, "")]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return "settings or input files"
    return f"settings ({', '.join(names)})" if names else "input files"


def fingerprint(path: Path) -> dict[str, Any]:
    """Name, size in bytes and SHA-256 of a file that is trained on.

    Raises:
        PocketIntentError: The file cannot be read.
    """
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    except OSError as error:
        raise PocketIntentError(f"{path}: cannot be read: {error.strerror or error}") from error
    return {"file": path.name, "bytes": path.stat().st_size, "sha256": digest.hexdigest()}
