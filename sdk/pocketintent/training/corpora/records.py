"""Rows of JSON lines and tables, with errors that name the file and the line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from pocketintent.runtime.errors import PocketIntentError, shorten
from pocketintent.runtime.files.regular import numbered_lines, read_regular, without_mark
from pocketintent.training.corpora.tables import read_table


def read_content(path: str | Path) -> bytes:
    """Read a whole file.

    Raises:
        PocketIntentError: The file cannot be read.
    """
    try:
        return read_regular(path)
    except OSError as error:
        raise PocketIntentError(f"{path}: cannot be read: {error.strerror or error}") from error


def read_objects(path: str | Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Read the objects of a file of JSON lines.

    Args:
        path: A UTF-8 file with one JSON object on each line; empty lines are skipped.

    Yields:
        The location of each object (``"FILE, line 3"``), for error messages, and the object.

    Raises:
        PocketIntentError: The file cannot be read, or a line is not a JSON object.
    """
    return parse_objects(path, read_content(path))


def parse_objects(path: str | Path, content: bytes) -> Iterator[tuple[str, dict[str, Any]]]:
    """Parse JSON lines; as :func:`read_objects`, of which ``path`` is only named in errors."""
    for number, line in numbered_lines(content.split(b"\n"), path):
        if not line.strip():
            continue
        place = f"{path}, line {number}"
        try:
            value = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            raise PocketIntentError(
                f"{place}: not valid JSON ({error}); write one object on each line"
            ) from error
        if not isinstance(value, dict):
            raise PocketIntentError(
                f"{place}: {shorten(value)} is not a JSON object; write one object on each line"
            )
        yield place, value


def string_field(value: dict[str, Any], key: str, place: str) -> str:
    """Return a string of a JSON object.

    Raises:
        PocketIntentError: ``key`` is missing or is not a string; the message begins with
            ``place``.
    """
    text = value.get(key)
    if not isinstance(text, str):
        raise PocketIntentError(f'{place}: "{key}" must be a string, found {text!r}')
    return text


def read_rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Read the rows of JSON lines, or of a CSV or TSV with a header.

    A file that begins with ``{`` is read as JSON lines. Otherwise it is a table, see
    :func:`read_table`.

    Args:
        path: The file, in UTF-8.

    Yields:
        The location of each row (``"FILE, line 3"``), for error messages, and the row as a mapping
        from columns.

    Raises:
        PocketIntentError: The file cannot be read, or a row is malformed.
    """
    content = without_mark(read_content(path))
    if content.lstrip().startswith(b"{"):
        return parse_objects(path, content)
    return _name_fields(read_table(path, content))


def _name_fields(rows: Iterator[tuple[str, list[str]]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the rows of a table below its header, as mappings from columns."""
    header: list[str] = []
    for place, fields in rows:
        if not header:
            header = [name.strip() for name in fields]
            continue
        if len(fields) != len(header):
            raise PocketIntentError(
                f"{place}: {len(fields)} fields under a header of {len(header)}; "
                "quote a field that contains the separator"
            )
        yield place, dict(zip(header, fields, strict=True))
