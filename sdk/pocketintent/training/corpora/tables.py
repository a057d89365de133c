"""Tables in files: CSV and TSV in UTF-8, with errors that name the file and the line."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from pocketintent.runtime.errors import PocketIntentError


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
