"""The folder of a comparison: finished results, models, and claims on runs.

A result is a file whose name is the hash of all that it depends on, so equal runs are made once,
by whichever process comes first. A process that makes a run owns its claim, a lock that ends with
the process; the claims of dead processes therefore need no cleaning up.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import orjson

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.atomic import claim, write_atomically

RESULT_FORMAT = 2
"""Version of the results; another version makes all runs again."""


def key_of(**content: Any) -> str:
    """The key of a run: a hash of all that its result depends on.

    Args:
        content: JSON values.
    """
    text = orjson.dumps({"format": RESULT_FORMAT, **content}, option=orjson.OPT_SORT_KEYS)
    return hashlib.sha256(text).hexdigest()[:24]


class Store:
    """Results by key, on disk.

    Args:
        folder: The folder; it is made.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("results", "models", "claims", "work"):
            (folder / name).mkdir(parents=True, exist_ok=True)

    def result(self, key: str) -> dict[str, Any] | None:
        """The result of a run; None if it is not finished.

        Raises:
            PocketIntentError: The file is not a result.
        """
        path = self._result(key)
        try:
            result = orjson.loads(path.read_bytes())
        except FileNotFoundError:
            return None
        except orjson.JSONDecodeError as error:
            raise PocketIntentError(f"{path} is not a result ({error}); remove it") from error
        if not isinstance(result, dict):
            raise PocketIntentError(f"{path} is not a result; remove it")
        return result

    def save(self, key: str, result: dict[str, Any]) -> None:
        """Keep the result of a run."""
        content = orjson.dumps(result, option=orjson.OPT_INDENT_2 | orjson.OPT_SERIALIZE_NUMPY)
        write_atomically(self._result(key), content)

    def forget(self, key: str) -> None:
        """Remove a result, so that the run is made again."""
        self._result(key).unlink(missing_ok=True)

    def model(self, key: str) -> Path:
        """The model file of a training run."""
        return self.folder / "models" / f"{key}.safetensors"

    def corpus(self, key: str) -> Path:
        """The folder of a share of a corpus."""
        return self.folder / "corpora" / key

    def work(self, key: str, *, clean: bool) -> Path:
        """The folder for the unfinished work of a run, whose claim the caller owns.

        Args:
            key: The run.
            clean: Whether what an interrupted process left there is removed.
        """
        folder = self.folder / "work" / key
        if clean:
            shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(exist_ok=True)
        return folder

    def end_work(self, key: str) -> None:
        """Remove the folder of unfinished work."""
        shutil.rmtree(self.folder / "work" / key, ignore_errors=True)

    @contextmanager
    def claimed(self, key: str) -> Iterator[int | None]:
        """Claim a run for the block.

        Args:
            key: The run.

        Yields:
            The descriptor of the lock; None if another process makes the run.
        """
        path = self.folder / "claims" / f"{key}.lock"
        descriptor = claim(path, require_lock=False)
        if descriptor is None:
            yield None
            return
        try:
            yield descriptor
        finally:
            with suppress(OSError):  # Windows cannot remove an open file
                path.unlink()
            os.close(descriptor)

    def _result(self, key: str) -> Path:
        return self.folder / "results" / f"{key}.json"
