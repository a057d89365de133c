"""The folder with the unfinished work of a run, from which a later call can continue.

A run may be killed at any file operation. The folder therefore appears whole and is deleted under
another name, and a run that has written its results leaves a note until the folder is gone.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.atomic import new_folder, remove_leftovers, write_atomically

_RUN = "run.json"
_TRASH, _NOTE = ".deleted", ".finished"  # after the folder's name, while it is deleted


def open_folder(
    folder: Path,
    inputs: Sequence[Mapping[str, Any]],
    settings: Mapping[str, Any],
    *,
    resume: bool,
    restart: bool,
) -> dict[str, Any] | None:
    """Make the work folder of a run, or check that it belongs to this run.

    ``inputs`` are the fingerprints of the files. ``resume`` continues from an existing folder,
    ``restart`` deletes it. What is left of a run that was killed while it deleted its folder is
    deleted too. Returns the record of the run to resume if nothing is left to do, otherwise None.
    It is a PocketIntentError if the folder exists, and neither ``resume`` nor ``restart`` is set,
    if it was made with other settings or inputs, or if the run to resume has finished.
    """
    identity = {"settings": dict(settings), "corpora": list(inputs)}
    content = orjson.dumps(identity, option=orjson.OPT_INDENT_2)
    record = folder / _RUN
    out = folder.with_suffix("")
    finished = _delete_leftovers(folder, orjson.loads(content))
    if resume and finished is not None and _has_content(out):
        return finished
    if restart:
        delete_folder(folder)
    if folder.exists():
        if not resume:
            raise PocketIntentError(
                f"{folder} holds an unfinished run: --resume continues it, --restart discards it"
            )
        if not record.exists() or record.read_bytes() != content:
            raise PocketIntentError(
                f"{record}: made with other {_differences(record, identity)}; repeat them, or "
                "give --restart"
            )
        return None
    if resume and _has_content(out):
        raise PocketIntentError(
            f"{out} is finished, so there is no run to resume; --restart trains it again"
        )
    folder.parent.mkdir(parents=True, exist_ok=True)
    with new_folder(folder) as temporary:
        (temporary / _RUN).write_bytes(content)
    return None


def close_folder(folder: Path, record: Mapping[str, Any]) -> None:
    """Delete the folder of a run; its record is kept until then, in case this call is killed."""
    note = Path(f"{folder}{_NOTE}")
    identity = orjson.loads((folder / _RUN).read_bytes())
    write_atomically(note, orjson.dumps({"identity": identity, "record": dict(record)}))
    delete_folder(folder)
    note.unlink()


def delete_folder(folder: Path) -> None:
    """Delete a folder, if it exists, so that no half of it is ever mistaken for the whole."""
    trash = Path(f"{folder}{_TRASH}")
    if trash.exists():
        shutil.rmtree(trash)
    if folder.exists():
        folder.rename(trash)
        shutil.rmtree(trash)


def _delete_leftovers(folder: Path, identity: Mapping[str, Any]) -> dict[str, Any] | None:
    """Complete a deletion that was killed; returns the record of the run if it was this one."""
    trash, note = Path(f"{folder}{_TRASH}"), Path(f"{folder}{_NOTE}")
    for path in (folder, note):
        remove_leftovers(path)
    if trash.exists():
        shutil.rmtree(trash)
    if not note.exists():
        return None
    finished = orjson.loads(note.read_bytes())
    delete_folder(folder)
    note.unlink()
    same: bool = finished["identity"] == identity
    return dict(finished["record"]) if same else None


def _has_content(out: Path) -> bool:
    """Whether the result of a run exists; an empty folder is none."""
    return any(out.iterdir()) if out.is_dir() else out.exists()


def _differences(record: Path, identity: Mapping[str, Any]) -> str:
    """What differs in another run: the names of settings, or the input files."""
    try:
        theirs, ours = orjson.loads(record.read_bytes())["settings"], identity["settings"]
        names = [name for name in {**theirs, **ours} if theirs.get(name, "") != ours.get(name, "")]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return "settings or input files"
    return f"settings ({', '.join(names)})" if names else "input files"


def fingerprint(path: Path) -> dict[str, Any]:
    """Name, size in bytes and SHA-256 of a file; PocketIntentError if it cannot be read."""
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    except OSError as error:
        raise PocketIntentError(f"{path}: cannot be read: {error.strerror or error}") from error
    return {"file": path.name, "bytes": path.stat().st_size, "sha256": digest.hexdigest()}
