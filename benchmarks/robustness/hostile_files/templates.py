"""Template files that are damaged on purpose, in their bytes and in their structure."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import numpy as np

BASES: tuple[Any, ...] = (
    {
        "$schema": "templates.schema.json",
        "language": "en",
        "threshold": 0.5,
        "margin": 0.1,
        "intents": {
            "lights_on": {
                "templates": ["turn on the lights", "lights on"],
                "except": ["don't turn on the lights", "lights on is what i said"],
                "threshold": 0.6,
            },
            "música": {"templates": ["play \u201cmusic\u201d", "🎵"], "except": ["🔇"]},
        },
        "none": ["what a day", "the lights of paris"],
        "background": ["hm", "lol 😂", "are you there"],
        "learn_names": False,
    },
    {"lights_on": ["turn on the lights", "lights on"], "food": ["i want a pizza"]},
    {"lights_on": [{"text": "turn on the lights"}], "food": [{"text": "i want a pizza"}]},
)
"""A set in each of the three forms."""

VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 2, 10**18, 10**400, 1e308, -0.0, 0.5, "", " ", "x" * 3000),
    *("\u200b", "\ufeff", "\u2060\ufe0f", "\ud800", "\0", "a\nb", "intents", "templates"),
    *("except", "none", "background", "learn_names"),
    *([], [[]], {}, {"text": "x"}, {"templates": ["x"]}, {"templates": None}, ["x", "x"]),
)
TOKENS = (
    *(b"{", b"}", b"[", b"]", b'"', b",", b":", b"\\", b"\0", b"\xff", b"\xef\xbb\xbf", b"null"),
    *(b"NaN", b"1e999", b"-", b"\\ud800", b'"a":1,', b"[" * 50, b"[" * 1500, b'{"a":' * 1200),
    b"9" * 5000,
)


def mutate(rng: np.random.Generator) -> bytes:
    """One hostile template file."""
    base: Any = deepcopy(BASES[int(rng.integers(len(BASES)))])
    if rng.random() < 0.6:
        for _ in range(int(rng.integers(1, 4))):
            base = _change(base, rng)
    indent = 2 if rng.random() < 0.3 else None
    ensure_ascii = bool(rng.random() < 0.5)
    content = json.dumps(base, indent=indent, ensure_ascii=ensure_ascii)
    data = content.encode("utf-8", "surrogatepass")
    if rng.random() < 0.5:
        for _ in range(int(rng.integers(1, 4))):
            data = _damage_bytes(data, rng)
    return data


def _change(value: Any, rng: np.random.Generator) -> Any:
    """Replace, remove, add or rename one value, at any depth."""
    if not isinstance(value, dict | list) or not value or rng.random() < 0.15:
        return deepcopy(VALUES[int(rng.integers(len(VALUES)))])
    keys: list[Any] = list(value) if isinstance(value, dict) else list(range(len(value)))
    key = keys[int(rng.integers(len(keys)))]
    action = rng.random()
    if action < 0.15:
        del value[key]
    elif action < 0.3 and isinstance(value, dict):
        name = VALUES[int(rng.integers(len(VALUES)))]
        value[name if isinstance(name, str) else f"{key}s"] = value.pop(key)
    elif action < 0.35:
        for _ in range(20):  # deeper than any form
            value = [value]
    elif action < 0.4 and isinstance(value, dict):
        value |= {f"{key}{number}": None for number in range(150)}
    else:
        value[key] = _change(value[key], rng)
    return value


def _damage_bytes(data: bytes, rng: np.random.Generator) -> bytes:
    place = int(rng.integers(len(data) + 1))
    action = rng.random()
    if action < 0.3:
        return data[:place] + bytes([int(rng.integers(256))]) + data[place + 1 :]
    if action < 0.5:
        return data[:place] + data[place + int(rng.integers(1, 9)) :]
    if action < 0.6:
        return data[:place]
    if action < 0.7:
        other = int(rng.integers(len(data) + 1))
        return data[:place] + data[other:]
    return data[:place] + TOKENS[int(rng.integers(len(TOKENS)))] + data[place:]
