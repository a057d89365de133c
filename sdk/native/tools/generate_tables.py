"""Write the tables of the C core: Unicode, from Python's ``unicodedata``, and the kept words.

    python sdk/native/tools/generate_tables.py          # writes the two headers in src
    python sdk/native/tools/generate_tables.py --check  # exit status 1 if they differ

Python is the reference, so the tables are asked of its functions: the normal form, the lower case
and the category of each code point. What ``unicodedata`` does not tell, which characters count as
cased or are skipped beside a capital sigma, is seen in what ``str.lower`` makes of one.
"""

from __future__ import annotations

import argparse
import sys
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from byte_tables import Blocks, mapping_blocks, pair_blocks, range_blocks

from pocketintent.runtime.text.characters import normalise_chars
from pocketintent.runtime.text.correction import KEPT_WORDS
from pocketintent.runtime.text.languages import NEGATIONS
from pocketintent.runtime.text.tokenizer import MAX_CHARS, simple_tokenize

SOURCES = Path(__file__).resolve().parents[1] / "src"
SURROGATES = range(0xD800, 0xE000)
HANGUL = range(0xAC00, 0xD7A4)
POINTS = [point for point in range(0x110000) if point not in SURROGATES]
MAX_BYTES = 24_000
RANGES_PER_BLOCK, BYTES_PER_BLOCK = 24, 96
"""Smaller blocks are read faster, and there are more of them."""

IDEOGRAPHS = (
    range(0x3041, 0x3100),
    range(0x31F0, 0x3200),
    range(0x3400, 0x4DC0),
    range(0x4E00, 0xA000),
    range(0xF900, 0xFB00),
    range(0x20000, 0x40000),
)
CLASSES = ("separator", "letter", "mark", "digit", "ideograph", "symbol")
CASELESS, CASED, IGNORED = range(3)
"""What a character is beside a capital sigma."""
STARTS = 1
"""What ``form_of`` returns of a code point that is its own normal form whatever is before it."""


def class_of(point: int) -> int:
    """The class of the tokenizer that a code point belongs to, as a position in ``CLASSES``."""
    if any(point in ideographs for ideographs in IDEOGRAPHS):
        return CLASSES.index("ideograph")
    category = unicodedata.category(chr(point))
    name = {"L": "letter", "M": "mark", "S": "symbol"}.get(category[0], "separator")
    name = {"Nd": "digit", "Nl": "symbol", "No": "symbol", "Cn": "symbol", "Co": "symbol"}.get(
        category, name
    )
    return CLASSES.index(name)


def case_of(point: int) -> int:
    """Whether a capital sigma looks at a code point, looks past it, or is the first of a word."""
    is_final_after = (chr(point) + "Σ").lower().endswith("ς")
    is_final_behind = ("a" + chr(point) + "Σ").lower().endswith("ς")
    if is_final_behind and not is_final_after:
        return IGNORED
    return CASED if is_final_after else CASELESS


def letter_case_of(point: int) -> int:
    """1 for a capital and 2 for a small letter, 3 for neither, where the rule of the core errs.

    By the rule, in ``names.c``, a capital letter has a lower case, and a small one is another that
    counts as cased beside a sigma.
    """
    char = chr(point)
    by_rule = 1 if char.lower() != char else 2 if case_of(point) == CASED else 3
    case = 1 if char.isupper() else 2 if char.islower() else 3
    return 0 if case == by_rule else case


def form_of(point: int, joined: frozenset[int]) -> int:
    """What the normal form does with a code point, in two bits.

    Bit 0: nothing before it changes it. Bit 1: it becomes something else by itself; with bit 0 that
    is the normal form, without it the decomposition. ``joined`` are the code points that join one
    before them.
    """
    char = chr(point)
    decomposed = unicodedata.normalize("NFKD", char)
    is_start = ord(decomposed[0]) not in joined and unicodedata.combining(decomposed[0]) == 0
    changed = unicodedata.normalize("NFKC", char) if is_start else decomposed
    return is_start | (changed != char) << 1


def is_space(point: int) -> int:
    """1 for a code point that a character network reads as a space, otherwise 0."""
    return int(normalise_chars(f"x{chr(point)}x", 3) == "x x")


def ranges_of(value: Callable[[int], int]) -> list[tuple[int, int]]:
    """The first code point and the value of each longest range of code points of one value."""
    ranges: list[tuple[int, int]] = []
    for point in range(0x110000):
        if not ranges or ranges[-1][1] != value(point):
            ranges.append((point, value(point)))
    return ranges


def decompositions() -> dict[int, list[int]]:
    """The full compatibility decomposition of each code point that has one, without Hangul."""
    found = {}
    for point in POINTS:
        text = unicodedata.normalize("NFKD", chr(point))
        if text != chr(point) and point not in HANGUL:
            found[point] = list(map(ord, text))
    return found


def compositions() -> list[tuple[int, int, int]]:
    """First, second and composed code point of each pair that the normal form joins."""
    pairs = []
    for point in POINTS:
        parts = unicodedata.decomposition(chr(point)).split()
        is_pair = len(parts) == 2 and not parts[0].startswith("<")
        if is_pair and unicodedata.normalize("NFC", chr(point)) == chr(point):
            pairs.append((int(parts[0], 16), int(parts[1], 16), point))
    return sorted(pairs)


def runs_of(mapping: dict[int, int]) -> list[tuple[int, int, int, int]]:
    """First, length, step and first target of runs in which source and target go on together."""
    runs: list[tuple[int, int, int, int]] = []
    for point in sorted(mapping):
        if runs:
            first, length, step, target = runs[-1]
            distance = point - first
            if mapping[point] - target == distance and length < 255:
                if length == 1 and distance in (1, 2):
                    runs[-1] = first, 2, distance, target
                    continue
                if length > 1 and distance == length * step:
                    runs[-1] = first, length + 1, step, target
                    continue
        runs.append((point, 1, 1, mapping[point]))
    return runs


class Tables:
    """Declarations in C, and the bytes that they take."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.size = 0

    def add(self, name: str, bits: int, numbers: Iterable[int], meaning: str) -> None:
        """Add an array of unsigned numbers, with a comment."""
        values = list(numbers)
        assert all(0 <= value < 1 << bits for value in values), name
        self.size += len(values) * bits // 8
        body = lines_of(f"{value}," for value in values)
        self.parts.append(
            f"/* {meaning} */\nstatic const uint{bits}_t {name}[{max(len(values), 1)}] = {{\n"
            f"{body or '  0'}\n}};\n"
        )

    def add_blocks(self, name: str, blocks: Blocks, meaning: str) -> None:
        """Add a table in bytes: where its blocks begin, and the bytes."""
        self.add(f"{name}_first", 32, blocks.firsts, f"{meaning} The first of each block.")
        self.add(f"{name}_place", 16, blocks.places, "Where each block begins, and the end.")
        self.add(f"{name}_bytes", 8, blocks.data, "The blocks.")


def lines_of(words: Iterable[str], width: int = 100) -> str:
    """Words in indented lines of a limited width."""
    lines, line = [], " "
    for word in words:
        if len(line) + 1 + len(word) > width:
            lines.append(line)
            line = " "
        line += f" {word}"
    return "\n".join([*lines, line] if line.strip() else lines)


def add_properties(tables: Tables) -> None:
    """Add what the core asks of each code point, as numbers that occur once in a list."""
    hangul = {*range(0x1161, 0x1176), *range(0x11A8, 0x11C3)}
    joined = frozenset(hangul | {second for _, second, _ in compositions()})

    def properties(point: int) -> int:
        if point in SURROGATES:
            return CLASSES.index("separator") | STARTS << 7
        cases = case_of(point) << 3 | letter_case_of(point) << 5
        form = form_of(point, joined) << 7 | unicodedata.combining(chr(point)) << 9
        return class_of(point) | cases | form

    ranges = ranges_of(properties)
    values = [value for value, _ in Counter(value for _, value in ranges).most_common()]
    numbered = [(first, values.index(value)) for first, value in ranges]
    tables.add(
        "pi_property_values",
        32,
        values,
        "What a code point is: its class; from bit 3 its case beside a sigma; from bit 5\n"
        " * whether it is a capital (1), a small letter (2) or neither (3) where the rule of\n"
        " * names.c errs. Of the normal form, bit 7: nothing before it changes it, and bit 8: it\n"
        " * becomes something else by itself, which is told of the decomposition where bit 7 is\n"
        " * not set. From bit 9 its combining class.",
    )
    blocks = range_blocks(numbered, 0x110000, RANGES_PER_BLOCK)
    tables.add_blocks("pi_property", blocks, "Ranges of one value, by its position in the list.")


def unicode_tables() -> str:
    """The header with all tables of characters."""
    tables = Tables()
    lowered = {point: chr(point).lower() for point in POINTS if chr(point).lower() != chr(point)}
    assert [point for point, text in lowered.items() if len(text) > 1] == [0x130]
    lower = runs_of({point: ord(text) for point, text in lowered.items() if len(text) == 1})
    tables.add(
        "pi_lower_first",
        32,
        (first | length << 21 | (step - 1) << 29 for first, length, step, _ in lower),
        "Lower case: the first of a run, from bit 21 the length, from bit 29 the step less 1.",
    )
    tables.add("pi_lower_target", 32, (run[3] for run in lower), "The first target of each run.")
    add_properties(tables)
    spaces = ranges_of(is_space)
    tables.add(
        "pi_spaces",
        32,
        (first | value << 21 for first, value in spaces),
        "Ranges: the first code point, and from bit 21 whether character networks read a space.",
    )
    decompositions_of = mapping_blocks(decompositions(), BYTES_PER_BLOCK)
    tables.add_blocks("pi_decomposed", decompositions_of, "Full compatibility decompositions.")
    pairs = pair_blocks(compositions())
    tables.add_blocks("pi_composed", pairs, "Compositions, by their second code point.")
    assert tables.size <= MAX_BYTES, tables.size
    longest = max(len(unicodedata.normalize("NFKC", chr(point)).lower()) for point in POINTS)
    most_bytes = max(len("".join(simple_tokenize(chr(point))).encode()) for point in POINTS)
    most_tokens = max(len(simple_tokenize(chr(point))) for point in POINTS)
    head = [
        f"/* Unicode {unicodedata.unidata_version}: {tables.size} bytes of tables. Made by",
        " * tools/generate_tables.py; do not edit. */",
        "",
        "#ifndef PINTENT_UNICODE_TABLES_H",
        "#define PINTENT_UNICODE_TABLES_H",
        "",
        "#include <stdint.h>",
        "",
        f'#define PI_UNICODE_VERSION "{unicodedata.unidata_version}"',
        "/* Code points that are read of a text. */",
        f"#define PI_MAX_CHARS {MAX_CHARS}",
        "/* Most code points that one becomes, and UTF-8 bytes and tokens of these. */",
        f"#define PI_MAX_EXPANSION {longest}",
        f"#define PI_MAX_BYTES_OF_POINT {most_bytes}",
        f"#define PI_MAX_TOKENS_OF_POINT {most_tokens}",
        "",
        "enum pi_class {",
        *(f"  PI_{name.upper()}," for name in CLASSES),
        "};",
        "",
    ]
    return "\n".join([*head, *tables.parts, "#endif", ""])


def kept_words() -> str:
    """The header with the words that are never corrected, and the negations, in byte order."""
    assert {word for word in NEGATIONS["en"] if len(word) > 2 and word.isalpha()} <= KEPT_WORDS
    words = sorted(KEPT_WORDS)
    body = lines_of(f'"{word}",' for word in words)
    assert list(NEGATIONS) == ["en"], "the core looks for the negations of one language"
    negations = sorted(NEGATIONS["en"])
    listed = lines_of(f'"{word}",' for word in negations)
    return (
        "/* Negations and contractions, which are never corrected, and the negations of English.\n"
        " * Made by tools/generate_tables.py; do not edit. */\n\n"
        "#ifndef PINTENT_KEPT_WORDS_H\n#define PINTENT_KEPT_WORDS_H\n\n"
        f"#define PI_NUM_KEPT_WORDS {len(words)}\n\n"
        f"static const char *const pi_kept_words[PI_NUM_KEPT_WORDS] = {{\n{body}\n}};\n\n"
        f"#define PI_NUM_NEGATIONS {len(negations)}\n\n"
        f"static const char *const pi_negations[PI_NUM_NEGATIONS] = {{\n{listed}\n}};\n\n#endif\n"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the headers, or compare them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--check", action="store_true", help="write nothing, and compare")
    check = parser.parse_args(arguments).check
    status = 0
    for name, make in (("unicode_tables.h", unicode_tables), ("kept_words.h", kept_words)):
        path, content = SOURCES / name, make()
        if check:
            status |= path.read_text("utf-8") != content
        else:
            path.write_text(content, "utf-8")
    return status


if __name__ == "__main__":
    sys.exit(main())
