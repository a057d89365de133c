"""Options for the files that a command writes."""

from __future__ import annotations

from pathlib import Path

from pocketintent.runtime.errors import PocketIntentError


def check_folder(option: str, path: Path) -> None:
    """Check before the work begins that the folder of a file to write exists.

    Args:
        option: The option that names the file, such as ``--out``.
        path: The file.

    Raises:
        PocketIntentError: There is no such folder.
    """
    if not path.absolute().parent.is_dir():
        raise PocketIntentError(f"{option} {path}: there is no folder {path.parent}")
