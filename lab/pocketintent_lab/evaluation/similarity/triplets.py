"""Triplets of texts: is an anchor nearer to a text of the same meaning than to any other text?

Source: Vasilyev and Bohannon 2022, "Neural embeddings for text". The triplets of a file may be
billions, so they are counted anchor by anchor, and never held.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketintent.evaluation.metrics import wrong_order
from pocketintent.evaluation.similarity.batches import encode_in_batches
from pocketintent.records import read_objects, string_field
from pocketintent.runtime.arrays import FloatArray, IndexArray
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.errors import PocketIntentError

_ANCHORS = 256  # whose similarities are computed at once
_COMPARISONS = 1 << 24  # of two encoders' errors at once, 16 MB


@dataclass(frozen=True)
class Relations:
    """Texts, and which of them have the same meaning."""

    texts: list[str]
    """Distinct texts."""
    same: list[IndexArray]
    """For each text the numbers of the others with its meaning; empty if it is no anchor."""
    related: list[IndexArray]
    """For each text the numbers that are not compared with it as different, its own included."""


def read_relations(path: str | Path) -> Relations:
    """Read labelled pairs or labelled utterances.

    Args:
        path: Lines of ``{"a", "b", "same"}``: each text of a pair with ``same`` true is an
            anchor, its partner has the same meaning, and all texts that share no pair with it
            are different. Or lines of ``{"text", "intent"}``: texts of one intent have the same
            meaning.

    Raises:
        PocketIntentError: A line is malformed (the message names the file and the line), or
            there is no triplet.
    """
    numbers: dict[str, int] = {}
    pairs: list[tuple[int, int, bool]] = []
    groups: dict[str, list[int]] = {}
    for place, row in read_objects(path):
        if "text" in row:
            number = numbers.setdefault(string_field(row, "text", place), len(numbers))
            groups.setdefault(string_field(row, "intent", place), []).append(number)
            continue
        a, b = (string_field(row, key, place) for key in ("a", "b"))
        if not isinstance(row.get("same"), bool):
            raise PocketIntentError(f'{place}: "same" must be true or false')
        first = numbers.setdefault(a, len(numbers))
        pairs.append((first, numbers.setdefault(b, len(numbers)), row["same"]))
    same: list[set[int]] = [set() for _ in numbers]
    related = [{number} for number in range(len(numbers))]
    for group in groups.values():
        for number in group:
            same[number].update(group)
    for first, second, is_same in pairs:
        for anchor, partner in ((first, second), (second, first)):
            related[anchor].add(partner)
            if is_same:
                same[anchor].add(partner)
    for number, others in enumerate(same):
        related[number] |= others
        others.discard(number)
    if not any(others and len(related[n]) < len(numbers) for n, others in enumerate(same)):
        raise PocketIntentError(
            f"{path}: there is no triplet; a file needs two texts of the same meaning and another"
        )
    return Relations(list(numbers), _arrays(same), _arrays(related))


def evaluate_triplets(
    encoders: Sequence[tuple[str, Encoder]],
    relations: Relations,
    progress: Callable[[str], None] = lambda name: None,
) -> dict[str, Any]:
    """Count the triplets that encoders get wrong, and those that two of them get wrong.

    A triplet is an anchor, a text of the same meaning, and a different text. It is wrong if the
    product of the anchor's vector with the first is not greater than that with the second.

    Args:
        encoders: Names and encoders.
        relations: The texts.
        progress: Called with the name of each encoder when its vectors are there.

    Returns:
        ``{"texts", "anchors", "rows", "intersections"}``. A row for each encoder: ``{"name",
        "wrong", "total", "error", "same", "different"}``, the last two the mean products of the
        anchors with texts of the same meaning and with different texts. An intersection for each
        pair of encoders: ``{"names", "wrong", "intersection"}``, the triplets that both get
        wrong, and their share of the errors of the encoder with fewer errors (equation 3).
    """
    vectors = []
    for name, encoder in encoders:
        vectors.append(encode_in_batches(encoder, relations.texts))
        progress(name)
    counts = [_Counts() for _ in encoders]
    pairs = {pair: 0 for pair in combinations(range(len(encoders)), 2)}
    anchors = 0
    for products in _products(vectors, relations):
        anchors += 1
        for count, (same, different) in zip(counts, products, strict=True):
            count.add(same, different)
        for pair in pairs:
            pairs[pair] += _both_wrong(products[pair[0]], products[pair[1]])
    names = [name for name, _ in encoders]
    return {
        "texts": len(relations.texts),
        "anchors": anchors,
        "rows": [{"name": n, **count.report()} for n, count in zip(names, counts, strict=True)],
        "intersections": [
            {
                "names": [names[first], names[second]],
                "wrong": both,
                "intersection": both / max(1, min(counts[first].wrong, counts[second].wrong)),
            }
            for (first, second), both in pairs.items()
        ],
    }


_Products = tuple[FloatArray, FloatArray]


def _products(vectors: Sequence[FloatArray], relations: Relations) -> Iterator[list[_Products]]:
    """For each anchor: its products with the same and with the different texts, by encoder."""
    count = len(relations.texts)
    anchors = [
        number
        for number in range(count)
        if len(relations.same[number]) and len(relations.related[number]) < count
    ]
    different: NDArray[np.bool_] = np.ones(count, np.bool_)
    for start in range(0, len(anchors), _ANCHORS):
        block = anchors[start : start + _ANCHORS]
        similarities = [matrix[block] @ matrix.T for matrix in vectors]
        for row, anchor in enumerate(block):
            different[relations.related[anchor]] = False
            yield [
                (part[row, relations.same[anchor]], part[row, different]) for part in similarities
            ]
            different[relations.related[anchor]] = True


@dataclass
class _Counts:
    """Sums over the triplets of one encoder."""

    wrong: int = 0
    total: int = 0
    num_same: int = 0
    num_different: int = 0
    same: float = 0.0
    different: float = 0.0

    def add(self, same: FloatArray, different: FloatArray) -> None:
        """Add the triplets of an anchor."""
        self.wrong += wrong_order(same, different)
        self.total += len(same) * len(different)
        self.num_same += len(same)
        self.num_different += len(different)
        self.same += float(same.sum(dtype=np.float64))
        self.different += float(different.sum(dtype=np.float64))

    def report(self) -> dict[str, Any]:
        """The figures of a row."""
        return {
            "wrong": self.wrong,
            "total": self.total,
            "error": self.wrong / self.total,
            "same": self.same / self.num_same,
            "different": self.different / self.num_different,
        }


def _both_wrong(first: _Products, second: _Products) -> int:
    """Number of an anchor's triplets that two encoders get wrong."""
    step = max(1, _COMPARISONS // len(first[1]))
    total = 0
    for start in range(0, len(first[0]), step):
        part = slice(start, start + step)
        wrong = first[0][part, None] <= first[1]
        wrong &= second[0][part, None] <= second[1]
        total += int(np.count_nonzero(wrong))
    return total


def _arrays(sets: Iterable[set[int]]) -> list[IndexArray]:
    return [np.array(sorted(numbers), np.intp) for numbers in sets]
