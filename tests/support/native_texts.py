"""Texts for the tests of the C core."""

from __future__ import annotations

import json
import random
import string
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parents[2] / "docs"
HOSTILE = [
    *("", " ", "\0", "la\0mp", "\ud800 lamp", "🙂 👩‍👩‍👧‍👦", "don't", "DON’T TURN ON THE LIGHTS"),
    *(
        "turn on the lights " * 300,
        "x" * 5000,
        "ｌａｍｐ ｏｎ",
        "naïve café 漢字",
        "ΟΔΟΣ ﷺ ㌖ \u0344",
    ),
    *("um", "um um", "lmap of plaese", "swich teh lihgt " * 20, "q x z", "close the gate"),
    *("warm lights on please", "no lights on please", "'t", "a\u0301" * 600, "1,234.50 + 3rd"),
]


def typing_errors(text: str, rng: random.Random) -> str:
    """A text with one or two letters left out, doubled, swapped or replaced."""
    letters = list(text)
    for _ in range(rng.choice((1, 2))):
        if len(letters) > 2:
            place = rng.randrange(len(letters) - 1)
            kind = rng.randrange(4)
            if kind == 0:
                del letters[place]
            elif kind == 1:
                letters.insert(place, letters[place])
            elif kind == 2:
                letters[place : place + 2] = letters[place + 1], letters[place]
            else:
                letters[place] = rng.choice(string.ascii_lowercase)
    return "".join(letters)


def every_script() -> list[str]:
    """A few characters of each part of Unicode, among known words."""
    rng = random.Random(1)
    points = range(0x20, 0x32000, 0x61)
    return [
        f"lamp {''.join(chr(p + rng.randrange(0x61)) for _ in range(3))} on"
        for p in points
        if not 0xD700 < p < 0xE000
    ]


def vectors(name: str) -> list[dict[str, Any]]:
    lines = (DOCS / f"{name}_vectors.jsonl").read_text("utf-8").split("\n")[:-1]
    return [json.loads(line) for line in lines]
