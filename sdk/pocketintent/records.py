"""Lines, rows of JSON lines and of tables, with errors that name the file and the line."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import orjson

from pocketintent.runtime.errors import PocketIntentError, shorten
from pocketintent.runtime.files.regular import read_regular


def read_content(path: str | Path) -> bytes:
    """Read a whole file; raises PocketIntentError if it cannot be read."""
    try:
        return read_regular(path)
    except OSError as error:
        raise PocketIntentError(f"{path}: cannot be read: {error.strerror or error}") from error


def without_mark(data: bytes) -> bytes:
    """The content of a file of UTF-8, or its first line, without a byte order mark."""
    return data.removeprefix(codecs.BOM_UTF8)


def numbered_lines(lines: Iterable[bytes], path: str | Path) -> Iterator[tuple[int, str]]:
    """The number of each line of a file, from 1, and its text without line end and byte order mark.

    An open binary file will do as the lines: they are split at line feeds alone, where
    ``str.splitlines`` would also split at U+2028 and the like.

    Raises:
        PocketIntentError: A line is not UTF-8; the message names file and line.
    """
    for number, line in enumerate(lines, 1):
        try:
            text = (without_mark(line) if number == 1 else line).decode()
        except UnicodeDecodeError as error:
            raise PocketIntentError(
                f"{path}, line {number}: not UTF-8 ({error.reason}); convert the file to UTF-8"
            ) from error
        yield number, text.strip("\r\n")


def read_objects(path: str | Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Read the objects of a UTF-8 file with one JSON object on each line.

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
    """A string of a JSON object; an error begins with ``place``.

    Raises:
        PocketIntentError: ``key`` is missing or is not a string.
    """
    text = value.get(key)
    if not isinstance(text, str):
        raise PocketIntentError(f'{place}: "{key}" must be a string, found {text!r}')
    return text


def read_rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Read the rows of JSON lines, or of a CSV or TSV with a header.

    A file in UTF-8 that begins with ``{`` is read as JSON lines. Otherwise it is a table, see
    :func:`read_table`.

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


def read_table(path: Path, content: bytes) -> Iterator[tuple[str, list[str]]]:
    """Split a table into rows; a header is a row like any other.

    The fields are separated by tabs if the first line has a tab, otherwise by commas, or by
    semicolons if it has no comma, as Excel writes CSV in much of Europe. They may be quoted as in
    RFC 4180, and quoted fields may contain line ends.

    Args:
        path: The file, for messages.
        content: Its content in UTF-8, without a byte order mark.

    Yields:
        The location of each row (``"FILE, line 3"``), for messages, and its fields. Empty lines
        are skipped.

    Raises:
        PocketIntentError: The content is not UTF-8, or a row is not quoted correctly.
    """
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise PocketIntentError(
            f"{path}, line {line}: not UTF-8 ({error.reason}); convert the file to UTF-8"
        ) from error
    first_line = text.lstrip().partition("\n")[0]
    delimiter = next((mark for mark in "\t,;" if mark in first_line), ",")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    try:
        for fields in reader:
            place, line = f"{path}, line {line}", reader.line_num + 1
            if fields:
                yield place, fields
    except csv.Error as error:
        raise PocketIntentError(
            f"{path}, line {line}: not a valid row ({error}); a field has at most "
            f"{csv.field_size_limit():,} characters, and one that begins with a quotation mark "
            "ends with one, and is written with each mark inside it doubled"
        ) from error
