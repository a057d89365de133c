"""How the tables of characters are written in bytes.

``src/unicode.c`` and ``src/normal_form.c`` read them. A table is a string of bytes in blocks; with
each block goes the code point that it begins with, so that a reader finds the block by bisection,
and reads on from there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

DIFFERENCES = 0x60
"""Bytes below this one are a small difference, and the others begin a number of two bytes."""
LAST_SHORT = (0xFF - DIFFERENCES << 8) - 1
"""The largest number that two bytes hold."""
OTHER_VALUE = LONG_GAP = 15
"""In four bits: what is meant does not fit them, and follows."""
ONE, LIST, FIRST_MOVES, SECOND_MOVES = range(4)
"""The kinds of a record: one code point, several with targets of their own, and several of which
each has the targets of the one before it, with the first or second of them 1 higher."""
MANY_TARGETS = 4
"""From this number on, the number of targets takes a byte of its own."""
SHORTEST_RUN = 3
"""Fewer code points are cheaper in a list than in a run."""
LONGEST_LIST, LONGEST_RUN = 16, 255


class Blocks(NamedTuple):
    """A table in bytes."""

    firsts: list[int]
    """The code point that each block begins with."""
    places: list[int]
    """Where each block begins, and where the last one ends."""
    data: bytes


class Record(NamedTuple):
    """Consecutive code points and what they become."""

    kind: int
    first: int
    targets: list[list[int]]
    """Of each code point; but of the first alone in a run."""
    num_points: int


def length_bytes(number: int) -> bytes:
    """A number in groups of seven bits, the lowest first; all bytes but the last have bit 7 set."""
    data = []
    while number > 0x7F:
        data.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*data, number])


def number_bytes(number: int, before: int) -> bytes:
    """A number in a byte if it is near the one before it, or in two, or in four."""
    difference = number - before + DIFFERENCES // 2
    if 0 <= difference < DIFFERENCES:
        return bytes([difference])
    if number <= LAST_SHORT:
        return bytes([DIFFERENCES + (number >> 8), number & 0xFF])
    return bytes([0xFF]) + number.to_bytes(3, "big")


def range_blocks(ranges: Sequence[tuple[int, int]], end: int, per_block: int) -> Blocks:
    """Ranges of code points, the first of each with its value, as values and lengths.

    A byte has the value in its low four bits and the length in its high ones; a value from 15 on
    follows in a byte, and then a length above 15.
    """
    blocks = Blocks([], [], b"")
    data = bytearray()
    for number, (first, value) in enumerate(ranges):
        if number % per_block == 0:
            blocks.firsts.append(first)
            blocks.places.append(len(data))
        length = (ranges[number + 1][0] if number + 1 < len(ranges) else end) - first
        short = length if length < 16 else 0
        data.append(min(value, OTHER_VALUE) | short << 4)
        data += bytes([value]) if value >= OTHER_VALUE else b""
        data += length_bytes(length) if short == 0 else b""
    return Blocks(blocks.firsts, [*blocks.places, len(data)], bytes(data))


def records_of(mapping: dict[int, list[int]]) -> Iterator[Record]:
    """The records of a mapping, in the order of the code points."""
    points = sorted(mapping)
    place = 0
    listed: list[int] = []
    while place < len(points) or listed:
        point = points[place] if place < len(points) else -1
        kind, count = longest_run(mapping, point) if point >= 0 else (ONE, 1)
        goes_on = listed and point == listed[-1] + 1 and len(listed) < LONGEST_LIST
        goes_on = goes_on and len(mapping[point]) == len(mapping[listed[-1]])
        if listed and (count >= SHORTEST_RUN or not goes_on):
            targets = [mapping[number] for number in listed]
            yield Record(LIST if len(listed) > 1 else ONE, listed[0], targets, len(listed))
            listed = []
        if count >= SHORTEST_RUN:
            yield Record(kind, point, [mapping[point]], count)
            place += count
        elif point >= 0:
            listed.append(point)
            place += 1


def longest_run(mapping: dict[int, list[int]], point: int) -> tuple[int, int]:
    """The kind and length of the longest run that begins at a code point."""
    best = (ONE, 1)
    for kind in (FIRST_MOVES, SECOND_MOVES)[: len(mapping[point])]:
        targets = list(mapping[point])
        count = 0
        while mapping.get(point + count) == targets and count < LONGEST_RUN:
            targets[kind - FIRST_MOVES] += 1
            count += 1
        best = max(best, (kind, count), key=lambda run: run[1])
    return best


def record_bytes(record: Record, end: int, context: list[int]) -> bytes:
    """A record behind a code point that ends the one before it.

    A byte has the number of targets less 1 in its two lowest bits, the kind in the next two, and
    the distance from the end of the record before it in the high four. Then come, where they do
    not fit or are needed: the number of targets, the distance, the number of code points; and the
    targets, each beside the last one in its position.
    """
    number, gap = len(record.targets[0]), record.first - end
    is_many, is_far = number >= MANY_TARGETS, gap >= LONG_GAP
    control = min(number, MANY_TARGETS) - 1 | record.kind << 2 | min(gap, LONG_GAP) << 4
    data = bytes([control])
    data += bytes([number]) if is_many else b""
    data += length_bytes(gap) if is_far else b""
    data += bytes([record.num_points]) if record.kind != ONE else b""
    for targets in record.targets:
        for position, target in enumerate(targets):
            data += number_bytes(target, context[position])
            context[position] = target
    return data


def mapping_blocks(mapping: dict[int, list[int]], block_bytes: int) -> Blocks:
    """A mapping of code points to one or more, in records."""
    longest = max(map(len, mapping.values()))
    blocks = Blocks([], [], b"")
    data = bytearray()
    end, context = 0, [0] * longest
    for record in records_of(mapping):
        if not blocks.places or len(data) - blocks.places[-1] >= block_bytes:
            blocks.firsts.append(record.first)
            blocks.places.append(len(data))
            end, context = record.first, [0] * longest
        data += record_bytes(record, end, context)
        end = record.first + record.num_points
        if record.kind >= FIRST_MOVES:
            context[record.kind - FIRST_MOVES] += record.num_points - 1
    return Blocks(blocks.firsts, [*blocks.places, len(data)], bytes(data))


def pair_blocks(pairs: Sequence[tuple[int, int, int]]) -> Blocks:
    """Pairs and what they become, in a block for each second code point.

    Of each pair it has the first code point and the composed one, beside those before them.
    """
    blocks = Blocks([], [], b"")
    data = bytearray()
    before = composed_before = 0
    for first, second, composed in sorted(pairs, key=lambda pair: (pair[1], pair[0])):
        if not blocks.firsts or blocks.firsts[-1] != second:
            blocks.firsts.append(second)
            blocks.places.append(len(data))
            before = composed_before = 0
        data += number_bytes(first, before) + number_bytes(composed, composed_before)
        before, composed_before = first, composed
    return Blocks(blocks.firsts, [*blocks.places, len(data)], bytes(data))
