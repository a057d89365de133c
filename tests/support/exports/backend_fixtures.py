"""Recognisers of exported folders beside those of the models that were exported."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pocketintent import IntentRecognizer, Match
from pocketintent.runtime.graphs.folder import BACKENDS

OTHERS = {
    "lock": ["lock the door", "close the gate please"],
    "warm": ["warm heat", "turn the heat on"],
    "order": ["order pizza", "hungry"],
}
TEXTS = [
    "turn on the lights",
    "turn the lamp off please",
    "play music",
    "helo",
    "lock gate",
    "order some pastaa",
    "the",
    "zzz qqq",
    "",
    "\ud800",
]

Exported = Callable[..., Path]
Load = Callable[..., IntentRecognizer]
TEMPLATES_OF_FOLDER = None


@pytest.fixture(params=BACKENDS)
def load(request: pytest.FixtureRequest, exported: Exported, model: str) -> Load:
    """Opens the exported folder on a backend."""

    def load_one(templates: Any = TEMPLATES_OF_FOLDER, **settings: Any) -> IntentRecognizer:
        folder = exported(BACKENDS[request.param], model)
        return IntentRecognizer.load(templates, folder, backend=request.param, **settings)

    return load_one


@pytest.fixture
def load_plainly(exportable_models: dict[str, Path], model: str) -> Load:
    """Opens the model that was exported on NumPy."""

    def load_one(templates: Any, **settings: Any) -> IntentRecognizer:
        return IntentRecognizer.load(templates, exportable_models[model], **settings)

    return load_one


def assert_same(found: Match, expected: Match) -> None:
    for key in ("intent", "template", "nearest", "reason"):
        assert getattr(found, key) == getattr(expected, key), (key, found, expected)
    assert found.score == pytest.approx(expected.score, abs=1e-4)
    assert found.margin == pytest.approx(expected.margin, abs=1e-4)
    assert (found.runner_up is None) == (expected.runner_up is None)
    if found.runner_up is not None and expected.runner_up is not None:
        assert found.runner_up.score == pytest.approx(expected.runner_up.score, abs=1e-4)


def assert_all_same(found: IntentRecognizer, expected: IntentRecognizer) -> None:
    for text in TEXTS:
        assert_same(found.match(text), expected.match(text))
