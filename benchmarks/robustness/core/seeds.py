"""The first inputs of the fuzzers of ``sdk/native/fuzz``, made of small bots of each kind."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.robustness.hostile_files import bots
from benchmarks.robustness.hostile_files.models import seal

DIMS = (4, 36)
"""Of the bots: fewer than a vector of the processor, and more than two, with a rest."""
TEXTS = (
    *("turn on the light", "plai sme music", "don't turn music on", "ＬＡＭＰ ﷺ 漢字", "the the"),
    *("\u0344 a\u0301 İ ΟΔΟΣ", "🙂 👩‍👩‍👧‍👦", "light lights lihgt", "", "x" * 300, "q w e " * 60),
)


def write_bots(folder: Path) -> int:
    """Write the bots that texts and edits are tried with; their number."""
    contents = [seal(parts) for dim in DIMS for parts in bots.tiny_bots(_rng(), dim)]
    for number, content in enumerate(contents):
        (folder / f"{number:02}.safetensors").write_bytes(content)
    return len(contents)


def write_seeds(target: str, folder: Path, num_bots: int) -> None:
    """Write the seeds of a fuzzer.

    Args:
        target: ``bots``, ``texts`` or ``edits``.
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
