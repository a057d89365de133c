"""The ways to copy a recogniser or an encoder, and what the copies are asked."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest

TEMPLATES = {"lights_on": ["turn on the lights", "lamp on"], "play_music": ["play some jazz"]}
TEXTS = ["lamp on please", "play musci", "", "zzz", "the lihgts"]
OTHER_TEXTS = ["lamps go bright please", "plays musci", "", "zzz", "all lihgts"]
"""Without a word of the templates. A copy has no caches: it would compute such a word together with
others, whose number changes the rounding, where the original has its vector already."""


def _pickled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


COPIES: list[Callable[[Any], Any]] = [copy.copy, copy.deepcopy, _pickled]
copies = pytest.mark.parametrize("make_copy", COPIES)
