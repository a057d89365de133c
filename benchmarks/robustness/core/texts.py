"""Texts of many sorts, each drawn from its number: data sets, errors, scripts, hostile ones."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from pocketintent.training.corpora.typing_errors import add_typing_errors

BLOCK = 0x80
"""Code points of a block of Unicode, of which each has a text or more."""
HOSTILE = (
    *("", " ", "\0", "la\0mp", "\ud800 lamp", "🙂 👩‍👩‍👧‍👦", "don't", "DON’T TURN ON THE LIGHTS"),
    *(
        "turn on the lights " * 300,
        "x" * 5000,
        "ｌａｍｐ ｏｎ",
        "naïve café 漢字",
        "ΟΔΟΣ ﷺ ㌖ \u0344",
    ),
    *("um um", "swich teh lihgt " * 20, "'t", "a\u0301" * 600, "1,234.50 + 3rd", "ﷺ" * 900),
)
ODD = "aZéΣσς'’`´ʼİIıﬁ½㍿ﷺ각ᄀ각ᆨ가\u0344\ud800\u200d 0９٣あ漢🙂+\x00\n\t\u2028\u202e\ufeff"


def read_texts(data: Path) -> list[str]:
    """The texts of the data sets of intents, in the order of their files.

    Args:
        data: The folder of the data sets.
    """
    paths = sorted((data / "intents").glob("*/*.jsonl"))
    lines = [line for path in paths for line in path.read_text("utf-8").split("\n")[:-1]]
    if not lines:
        raise FileNotFoundError(f"no data sets in {data / 'intents'}")
    return [json.loads(line)["text"] for line in lines]


class Drawn:
    """Texts by number: a half of data sets, a quarter of these with typing errors, and others.

    Args:
        given: The texts of data sets.
    """

    def __init__(self, given: Sequence[str]) -> None:
        self._given = given
        self._kinds: tuple[Callable[[int, random.Random], str], ...] = (
            *(self._given_text, self._given_text, self._misspelt, self._given_text),
            *(self._given_text, self._misspelt, self._of_block, self._hostile),
        )

    def __getitem__(self, number: int) -> str:
        kind = self._kinds[number % len(self._kinds)]
        return kind(number // len(self._kinds), random.Random(number))

    def _given_text(self, number: int, rng: random.Random) -> str:
        return rng.choice(self._given)

    def _misspelt(self, number: int, rng: random.Random) -> str:
        count = rng.choice((1, 1, 2, 4))
        return add_typing_errors(rng.choice(self._given), count, np.random.default_rng(number))

    def _of_block(self, number: int, rng: random.Random) -> str:
        """Characters of a block of Unicode, one after the other, among known words."""
        first = number * BLOCK % (sys.maxunicode + 1)
        points = [chr(first + rng.randrange(BLOCK)) for _ in range(rng.randrange(1, 9))]
        words = rng.choice(self._given).split()
        place = rng.randrange(len(words) + 1)
        return " ".join(
            [*words[:place], rng.choice(("", " ", "a", "'")).join(points), *words[place:]]
        )

    def _hostile(self, number: int, rng: random.Random) -> str:
        if number < len(HOSTILE):
            return HOSTILE[number]
        kind = rng.randrange(4)
        if kind == 0:
            return "".join(rng.choices(ODD, k=rng.randrange(1, 80)))
        if kind == 1:  # far too long
            return rng.choice((" ", "", "\u0301")).join(
                [rng.choice(self._given)] * rng.randrange(1, 90)
            )
        if kind == 2:  # words without an order, some of them repeated
            words = " ".join(rng.choices(self._given, k=3)).split()
            return " ".join(rng.choices(words, k=rng.randrange(1, 30)))
        letters = list(rng.choice(self._given).upper())
        for _ in range(rng.randrange(1, 6)):
            letters[rng.randrange(len(letters))] = rng.choice(ODD)
        return "".join(letters)
