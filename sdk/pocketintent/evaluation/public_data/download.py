"""Download of the public data sets: fetch, convert, check, and only then store."""

from __future__ import annotations

import gzip
import hashlib
import http.client
import os
import shutil
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pocketintent.evaluation.public_data.catalogue import Output, PublicSet
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.atomic import move_into_place, remove_leftovers, staging

TIMEOUT = 60.0
"""Seconds to wait for the server before a download fails."""

NETWORK_ERRORS = (urllib.error.URLError, ConnectionError, TimeoutError, http.client.HTTPException)
"""Errors of the connection or the server, as opposed to errors of the disk."""


class DownloadError(PocketIntentError):
    """A file that cannot be fetched, or whose content is not as expected."""


@dataclass(frozen=True)
class Fetched:
    """The files of a data set in the data folder."""

    name: str
    downloaded: bool
    """Whether the set was downloaded; False if all files already existed."""
    files: dict[str, int]
    """Number of lines of each file, by its path in the folder."""
    as_published: bool | None
    """Whether every file equals, byte for byte, the file behind the published figures; None if no
    file of the set has a checksum."""


def fetch_set(
    public_set: PublicSet,
    out: str | Path,
    *,
    force: bool = False,
    step: Callable[[str], None] | None = None,
) -> Fetched:
    """Download a data set and write it in the layout that the other commands read.

    Nothing is written to ``out`` until all files are converted and have the required number of
    lines.

    Args:
        public_set: An entry of :data:`~pocketintent.evaluation.public_data.catalogue.PUBLIC_SETS`.
        out: The data folder; created if it is missing.
        force: Whether to fetch files that already exist.
        step: Called with the address of each downloaded file.

    Raises:
        DownloadError: A file cannot be fetched, has an unexpected format, or converts to the
            wrong number of lines.
        OSError: ``out`` cannot be written.
    """
    folder = Path(out)
    remove_leftovers(folder / public_set.name)
    if not force and all((folder / output.path).is_file() for output in public_set.outputs):
        return _report(public_set, folder, downloaded=False)
    folder.mkdir(parents=True, exist_ok=True)
    with staging(folder / public_set.name) as temporary:
        temporary.mkdir()
        staged = [
            _build(public_set, output, temporary / str(number), step)
            for number, output in enumerate(public_set.outputs)
        ]
        for output, path in zip(public_set.outputs, staged, strict=True):
            target = folder / output.path
            target.parent.mkdir(parents=True, exist_ok=True)
            move_into_place(path, target)
    return _report(public_set, folder, downloaded=True)


def download(url: str, path: Path, *, attempts: int = 3, pause: float = 1.0) -> None:
    """Download a file completely, or leave nothing.

    Args:
        url: An ``http``, ``https`` or ``file`` address.
        path: The target file, in an existing folder.
        attempts: Number of attempts if the error may be temporary: no connection, an error of
            the server, an incomplete transfer.
        pause: Seconds before the second attempt; doubled before each further attempt.

    Raises:
        DownloadError: The file cannot be downloaded; the message gives the address and the
            remedy.
    """
    partial = path.with_name(path.name + ".part")
    for attempt in range(1, attempts + 1):
        try:
            _transfer(url, partial)
            os.replace(partial, path)
            return
        except NETWORK_ERRORS as error:
            permanent = isinstance(error, urllib.error.HTTPError) and error.code < 500
            if permanent or attempt == attempts:
                raise DownloadError(f"{url}: {_reason(error)}") from error
            time.sleep(pause * 2 ** (attempt - 1))
        finally:
            partial.unlink(missing_ok=True)


def _transfer(url: str, path: Path) -> None:
    request = urllib.request.Request(url, headers={"User-Agent": "pocketintent"})
    with urllib.request.urlopen(request, timeout=TIMEOUT) as answer, path.open("wb") as file:
        shutil.copyfileobj(answer, file)
        expected = answer.headers.get("Content-Length")
    received = path.stat().st_size
    # To copyfileobj, the end of a broken connection is the end of the file.
    if expected is not None and received != int(expected):
        raise http.client.IncompleteRead(b"", int(expected) - received)


def _reason(error: Exception) -> str:
    if isinstance(error, urllib.error.HTTPError):
        if error.code in (404, 410):
            return (
                f"the server has no such file ({error.code}); it may have moved: see the homepage "
                "of the data set, which `pocketintent data list` shows"
            )
        return f"the server answered {error.code} {error.reason}; try again later"
    if isinstance(error, http.client.IncompleteRead):
        return "the transfer was incomplete; try again"
    if isinstance(error, urllib.error.URLError):
        error = error.reason if isinstance(error.reason, Exception) else error
    return (
        f"cannot be reached ({error}); check the connection, and set HTTPS_PROXY if you need a "
        "proxy"
    )


def _build(
    public_set: PublicSet, output: Output, folder: Path, step: Callable[[str], None] | None
) -> Path:
    """Download and convert an output in ``folder``; return the finished file."""
    folder.mkdir()
    raw_files = []
    for source in output.sources:
        url = public_set.url(source)
        raw = folder / source.replace("/", "_")
        download(url, raw)
        raw_files.append(raw)
        if step is not None:
            step(url)
    finished = folder / ".finished"
    try:
        num_lines = _write(finished, output, raw_files)
    except ValueError as error:
        raise DownloadError(
            f"{public_set.base}: cannot be converted to {output.path}: {error}; nothing was "
            f"stored. The data may have changed at its source: {public_set.homepage}"
        ) from error
    if num_lines < output.num_lines or (output.exact and num_lines != output.num_lines):
        least = "" if output.exact else "at least "
        raise DownloadError(
            f"{public_set.base}: yields {num_lines:,} lines of {output.path} instead of "
            f"{least}{output.num_lines:,}; nothing was stored. The data may have changed at its "
            f"source: {public_set.homepage}"
        )
    for raw in raw_files:
        raw.unlink()
    return finished


def _write(path: Path, output: Output, raw_files: list[Path]) -> int:
    num_lines = 0
    with path.open("wb") as file:
        # The header has no name and no time, so equal lines make equal files.
        packed = gzip.GzipFile("", "wb", 9, file, mtime=0) if output.packed else None
        for line in output.convert(raw_files):
            (packed or file).write(line.encode() + b"\n")
            num_lines += 1
        if packed is not None:
            packed.close()
    return num_lines


def _report(public_set: PublicSet, folder: Path, *, downloaded: bool) -> Fetched:
    paths = {output.path: folder / output.path for output in public_set.outputs}
    published = [output for output in public_set.outputs if output.sha256 is not None]
    return Fetched(
        name=public_set.name,
        downloaded=downloaded,
        files={name: sum(1 for _ in _open_lines(path)) for name, path in paths.items()},
        as_published=all(
            hashlib.sha256(paths[output.path].read_bytes()).hexdigest() == output.sha256
            for output in published
        )
        if published
        else None,
    )


def _open_lines(path: Path) -> Iterator[bytes]:
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            yield from file
    except (EOFError, gzip.BadGzipFile) as error:
        raise DownloadError(
            f"{path}: broken gzip ({error}); fetch it again with --force"
        ) from error
