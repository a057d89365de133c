"""The first inputs of the fuzzers of ``sdk/native/fuzz``, made of small bots of each kind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.robustness.hostile_files import bots
from benchmarks.robustness.hostile_files.models import seal

DIMS = (4, 36)
"""Of the bots: fewer than a vector of the processor, and more than two, with a rest."""
TEXTS = (
    *("turn on the light", "plai sme music", "don't turn music on", "ＬＡＭＰ ﷺ 漢字", "the the"),
    *("\u0344 a\u0301 İ ΟΔΟΣ", "🙂 👩‍👩‍👧‍👦", "light lights lihgt", "", "x" * 300, "q w e " * 60),
)

SETS: tuple[dict[str, Any], ...] = (
    {},
    {"on": ["turn on the light", "light on"], "music": ["play some music"]},
    {"on": [{"text": "light on"}], "off": [{"text": "light off"}]},
    {
        "language": "en",
        "threshold": 0.4,
        "margin": 0.05,
        "learn_names": False,
        "intents": {
            "lights_on": {"templates": ["the light on"], "except": ["don't turn the light on"]},
            "playMusic": {"templates": ["music", "play music"], "threshold": 0.3},
        },
        "none": ["never mind"],
        "background": ["good morning"],
    },
)
"""Template sets in each form."""


def write_bots(folder: Path) -> int:
    """Write the bots that texts and edits are tried with; their number."""
    contents = [seal(parts) for dim in DIMS for parts in bots.tiny_bots(_rng(), dim)]
    for number, content in enumerate(contents):
        (folder / f"{number:02}.safetensors").write_bytes(content)
    return len(contents)


def write_seeds(target: str, folder: Path, num_bots: int) -> None:
    """Write the seeds of a fuzzer.

    Args:
        target: ``bots``, ``texts``, ``edits`` or ``sets``.
        folder: The folder of the seeds.
        num_bots: How many bots :func:`write_bots` has written.
    """
    if target == "bots":
        seeds = [seal(parts) for parts in bots.tiny_bots(_rng())]
    elif target == "texts":
        seeds = [
            bytes([bot, (16 * bot + number) % 256]) + text.encode()
            for number, text in enumerate(TEXTS)
            for bot in range(number % 3, num_bots, 3)
        ]
    elif target == "sets":
        forms = [json.dumps(form).encode() for form in SETS]
        seeds = [
            bytes([bot, 200 + bot % 50 if (bot + number) % 5 == 0 else 0]) + form
            for number, form in enumerate(forms)
            for bot in range(number % 3, num_bots, 3)
        ]
    else:
        seeds = [bytes([bot, 0]) + _edits(bot) for bot in range(0, num_bots, 4)]
        seeds += [bytes([bot, 200 + bot]) + _edits(bot) for bot in range(0, num_bots, 8)]
    for number, seed in enumerate(seeds):
        (folder / f"seed-{number:03}").write_bytes(seed)


def _edits(number: int) -> bytes:
    """An addition, a save, a removal, and one more addition with counter-examples."""
    first = b"\x00" + _texts("play_jazz") + b"\x02" + _texts("play some jazz", "jazz on") + b"\x00"
    third = bytes([160 + number]) + _texts("")
    fourth = bytes([number | 1]) + _texts("new") + b"\x11" + _texts("light", "not the light")
    return first + b"\xe0" + third + fourth + b"\xc0" + _texts("turn the jazz on")


def _texts(*texts: str) -> bytes:
    return b"".join(bytes([len(text)]) + text.encode() for text in texts)


def _rng() -> np.random.Generator:
    return np.random.default_rng(0)
