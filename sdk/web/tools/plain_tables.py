"""Write the tables of ``pocketintent/plain``: of Unicode, by Python's, and the kept words.

    python sdk/web/tools/plain_tables.py          # writes two files in src/plain, and one for tests
    python sdk/web/tools/plain_tables.py --check  # exit status 1 if they differ

What a code point is, is asked of the functions that make the tables of the core in C. The tables
are strings of numbers: ``encode`` says how. The file for tests has a hash of the tokens of each
code point beside letters, digits, marks and capital sigmas, in blocks: see ``characters``.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "sdk" / "native" / "tools"))

from generate_tables import (  # noqa: E402
    SURROGATES,
    case_of,
    class_of,
    lines_of,
    ranges_of,
)

from pocketintent.runtime.text.correction import KEPT_WORDS  # noqa: E402
from pocketintent.runtime.text.tokenizer import simple_tokenize  # noqa: E402

WEB = ROOT / "sdk" / "web"
BLOCK = 0x1000
BLOCKS = [*range(0, 0x40000, BLOCK), 0xE0000, 0xF0000, 0x10F000]
"""The other planes have no characters, or private ones that are all alike."""
DIGITS = "".join(char for char in map(chr, range(0x20, 0x7F)) if char not in "\"'`\\$<")
"""89 characters that need no escape in JavaScript or HTML."""
BASE = len(DIGITS) // 2
CASE, ALONE = 3, 5
"""Bits of a property: the class is below the case beside a sigma; then whether the normal form
leaves a code point alone, since it is unassigned or a surrogate."""


def property_of(point: int) -> int:
    """What the tokenizer asks of a code point."""
    if point in SURROGATES:
        return 1 << ALONE
    is_unassigned = unicodedata.category(chr(point)) == "Cn"
    return int(class_of(point) | case_of(point) << CASE | is_unassigned << ALONE)


def encode(numbers: Iterable[int]) -> str:
    """Numbers in base 44, the lowest digit first; all but the last of a number have 45 added."""
    digits = []
    for number in numbers:
        while number > BASE:
            digits.append(BASE + 1 + number % BASE)
            number //= BASE
        digits.append(number)
    return "".join(DIGITS[digit] for digit in digits)


def properties() -> tuple[list[int], str]:
    """The properties that occur, and the lengths of the ranges of one property after the other."""
    ranges = ranges_of(property_of)
    values = [value for value, _ in Counter(value for _, value in ranges).most_common()]
    ends = [first for first, _ in ranges[1:]] + [0x110000]
    return values, encode(
        (end - first) * len(values) + values.index(value)
        for (first, value), end in zip(ranges, ends, strict=True)
    )


def unicode_tables() -> str:
    """The file with the tables of characters."""
    values, ranges = properties()
    return f"""/* Unicode {unicodedata.unidata_version}, by tools/plain_tables.py; do not edit. */

/** The version of Unicode that the tables are of, whatever that of the engine is. */
export const UNICODE_VERSION = '{unicodedata.unidata_version}';

/** The digits of the numbers in the tables: base {BASE}, the lowest first. */
export const DIGITS =
  '{DIGITS}';

/** What a code point can be: its class; from bit {CASE} its case beside a sigma; in bit {ALONE}
 * whether the normal form leaves it alone. */
export const PROPERTIES = {values};

// prettier-ignore
/** The length of each range of one property, times their number, plus the place of its own. */
export const RANGES =
  '{ranges}';
"""


def kept_words() -> str:
    """The file with the words that are never corrected."""
    body = "\n".join(f"{line.strip()}" for line in lines_of(sorted(KEPT_WORDS), 98).split("\n"))
    return f"""/* Negations and contractions, by tools/plain_tables.py; do not edit. */

/** The words that are never corrected: docs/correction.md. */
export const KEPT_WORDS = `
{body}
`;
"""


def characters() -> str:
    """The file for tests: the first code point of each block, and the SHA-256 of its tokens."""
    digests = {}
    for first in BLOCKS:
        digest = hashlib.sha256()
        for char in map(chr, range(first, first + BLOCK)):
            text = f"{char} a{char}Σ Σ{char}b a'{char} 1{char}\u0327\u0301"
            digest.update("\n".join([*simple_tokenize(text), "\n"]).encode())
        digests[f"{first:X}"] = digest.hexdigest()
    return json.dumps(digests, indent=2) + "\n"


FILES = {
    "src/plain/unicode_tables.ts": unicode_tables,
    "src/plain/kept_words.ts": kept_words,
    "tests/plain/characters.json": characters,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the files, or compare them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--check", action="store_true", help="write nothing, and compare")
    check = parser.parse_args(arguments).check
    status = 0
    for name, make in FILES.items():
        path, content = WEB / name, make()
        if check:
            status |= path.read_text("utf-8") != content
        else:
            path.write_text(content, "utf-8")
    return status


if __name__ == "__main__":
    sys.exit(main())
