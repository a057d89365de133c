"""Edits of a bot by Python and by the C core, and what makes the two equal."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from native_core import Core, CoreBot
from pocketintent import IntentRecognizer
from pocketintent.runtime.files.model_file import load_model

TOLERANCE = 1e-4
"""Largest difference of a score between the two after some edits: rounding, grown in the solver."""
Both = tuple[IntentRecognizer, CoreBot]


def open_both(core: Core, recognizer: IntentRecognizer, folder: Path) -> Both:
    """Both on one saved bot, since a file rounds nothing that an edit starts from."""
    path = folder / "opened.safetensors"
    recognizer.save(path)
    return IntentRecognizer.load(path), core.open(path)


def add(both: Both, *arguments: Any) -> Both:
    recognizer, bot = both
    recognizer.add_intent(*arguments)
    with bot:
        return recognizer, bot.add_intent(*arguments)


def remove(both: Both, name: str) -> Both:
    recognizer, bot = both
    recognizer.remove_intent(name)
    with bot:
        return recognizer, bot.remove_intent(name)


def assert_equal(both: Both, texts: Iterable[str]) -> float:
    """Each text has the same match, unless rounding decides; returns the largest difference."""
    recognizer, bot = both
    assert bot.intents == list(recognizer.intents)
    largest = 0.0
    for text in texts:
        expected, found = recognizer.match(text).to_dict(), bot.match(text)
        largest = max(largest, abs(found["score"] - expected["score"]))
        assert largest < TOLERANCE, (text, expected, found)
        nearest = expected["nearest"]
        limit = recognizer.templates.threshold_of(nearest) if nearest else 2.0
        close_calls = [expected["score"] - limit, expected["margin"] or (1.0, 0.0)[nearest is None]]
        if min(map(abs, close_calls)) > TOLERANCE or nearest is None:
            for key in ("intent", "template", "nearest", "reason"):
                assert found[key] == expected[key], (text, expected, found)
    return largest


def assert_saves_alike(core: Core, both: Both, texts: list[str], folder: Path) -> None:
    """Each reads the other's file, answers as the other, and saves the bytes that it read."""
    recognizer, bot = both
    ours, theirs, again = (folder / f"{name}.safetensors" for name in ("ours", "theirs", "again"))
    bot.save(ours)
    recognizer.save(theirs)
    read = IntentRecognizer.load(ours)
    assert read.templates == recognizer.templates
    assert_equal((read, bot), texts)
    with core.open(theirs) as opened:
        assert_equal((recognizer, opened), texts)
        opened.save(again)
        assert again.read_bytes() == theirs.read_bytes()
    first, second = load_model(ours), load_model(theirs)
    assert first.tensors.keys() == second.tensors.keys()
    for name, tensor in second.tensors.items():
        assert first.tensors[name].shape == tensor.shape
        if not name.startswith("bot."):
            assert np.array_equal(first.tensors[name], tensor)
    read.save(again)
    assert again.read_bytes() == ours.read_bytes()
