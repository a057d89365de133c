"""floret's table of n-grams as text, a ``.floret`` file, which has no words."""

from __future__ import annotations

import re
from pathlib import Path
from typing import BinaryIO

import numpy as np

from pocketintent.runtime.errors import ModelFileError, PocketIntentError
from pocketintent.runtime.text.ngrams import NgramSettings
from pocketintent.training.vectors.rows import VectorRows, check_dim, parse_row
from pocketintent.training.vectors.table import Subwords
from pocketintent_lab.encoders.hashed_subwords import FLORET_SEED

FLORET_HEADER = re.compile(
    rb"([0-9]{1,15}) ([0-9]{1,15}) ([0-9]{1,9}) ([0-9]{1,9}) ([0-9]{1,9}) ([0-9]{1,15}) "
    rb"(?![-+.0-9])(\S{1,9}) (\S{1,9}) *\r?\n"
)
"""The first line: buckets, dimensions, the shortest and the longest n-gram, the number of hashes,
their seed, and the brackets of a word."""


def read_floret(file: BinaryIO, path: Path) -> Subwords:
    """Read a table.

    Args:
        file: The unpacked file, at its beginning.
        path: Its name, for messages.

    Raises:
        PocketIntentError: A setting is not supported, a row is bad, or the number of rows differs
            from the header's; the message has the line.
    """
    header = FLORET_HEADER.fullmatch(file.readline())
    assert header is not None
    num_buckets, dim, min_n, max_n, num_hashes, seed = map(int, header.groups()[:6])
    brackets = header[7] + header[8]
    if seed != FLORET_SEED or brackets != b"<>":
        raise PocketIntentError(
            f"{path}, line 1: the seed must be {FLORET_SEED} and the brackets '<' and '>', as "
            f"floret writes them, not {seed} and {brackets.decode(errors='replace')!r}"
        )
    check_dim(path, dim)
    try:
        settings = NgramSettings(
            max(min_n, 1), max_n, num_buckets, hash="floret", num_hashes=num_hashes
        )
    except ModelFileError as error:
        raise PocketIntentError(f"{path}, line 1: {error}") from error
    rows = VectorRows(path, dim)
    with np.errstate(over="ignore"):  # a number too large for float32 is reported as infinite
        for number, line in enumerate(file, 2):
            if not line.strip():
                continue
            place = f"line {number}"
            if len(rows) == num_buckets:
                raise PocketIntentError(
                    f"{path}, {place}: has more rows than the {num_buckets} of its header"
                )
            bucket, vector = parse_row(line, None, dim, path, place)
            if bucket != b"%d" % len(rows):
                raise PocketIntentError(
                    f"{path}, {place}: row {bucket[:40].decode(errors='replace')!r} is not in "
                    f"order; {len(rows)} comes next"
                )
            rows.add(bucket, vector, place)
    if len(rows) < num_buckets:
        raise PocketIntentError(
            f"{path}: is truncated: the header announces {num_buckets} rows, but the file has "
            f"{len(rows)}"
        )
    return Subwords(rows.finish()[1], settings)


def write_floret(file: BinaryIO, subwords: Subwords) -> None:
    """Write a table, for floret's hash; nine digits restore each float32 bit for bit."""
    settings = subwords.settings
    dim = subwords.vectors.shape[1]
    head = (settings.num_buckets, dim, settings.min_n, settings.max_n, settings.num_hashes)
    file.write(b"%d %d %d %d %d " % head + b"%d < >\n" % FLORET_SEED)
    pattern = " ".join(["%d", *["%.9g"] * dim]) + "\n"
    for bucket, vector in enumerate(subwords.vectors):
        file.write((pattern % (bucket, *vector.tolist())).encode())
