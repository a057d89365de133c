"""Random typing errors, to train an encoder on and to measure its robustness."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_SHIFTS = (0.0, 0.25, 0.75)  # how far each row of the keyboard is shifted to the right, in keys


def _neighbours() -> dict[str, str]:
    """The keys around each key of a QWERTY keyboard, at most 1.2 keys away."""
    places = {
        key: (row, column + shift)
        for row, (keys, shift) in enumerate(zip(_ROWS, _SHIFTS, strict=True))
        for column, key in enumerate(keys)
    }
    return {
        key: "".join(
            other
            for other, (y, x) in places.items()
            if other != key and (row - y) ** 2 + (column - x) ** 2 < 1.6
        )
        for key, (row, column) in places.items()
    }


NEIGHBOURS = _neighbours()
"""The letters on neighbouring keys, by lower-case letter."""


def add_typing_errors(text: str, count: int, rng: np.random.Generator) -> str:
    """Misspell a text as a hurried typist does, by ``count`` errors.

    Each error affects one letter of the current text, chosen with equal probability, and is of
    one of five kinds, chosen with equal probability among the kinds that change the text there:
    swap the letter with the next letter of its word; drop it, unless it is the only letter of
    its word; double it; replace it by a neighbouring key of a QWERTY keyboard; insert such a
    key after it. Spaces, digits and punctuation are unchanged, so the number of words is too.
    The case of a letter is kept. Letters that are not on the keyboard are only swapped, dropped
    or doubled.

    Equal texts, counts and states of the generator give equal results. A text without letters
    stays as it is; in rare cases a later error undoes an earlier one.
    """
    for _ in range(count):
        letters = [index for index, char in enumerate(text) if char.isalpha()]
        if not letters:
            return text
        index = letters[int(rng.integers(len(letters)))]
        kinds = [kind for kind in _KINDS if kind(text, index, rng) is not None]
        changed = kinds[int(rng.integers(len(kinds)))](text, index, rng)
        assert changed is not None
        text = changed
    return text


def _is_letter(text: str, index: int) -> bool:
    return 0 <= index < len(text) and text[index].isalpha()


def _swap(text: str, index: int, rng: np.random.Generator) -> str | None:
    if not _is_letter(text, index + 1) or text[index] == text[index + 1]:
        return None
    return text[:index] + text[index + 1] + text[index] + text[index + 2 :]


def _drop(text: str, index: int, rng: np.random.Generator) -> str | None:
    if not _is_letter(text, index - 1) and not _is_letter(text, index + 1):
        return None
    return text[:index] + text[index + 1 :]


def _double(text: str, index: int, rng: np.random.Generator) -> str | None:
    return text[: index + 1] + text[index:]


def _replace(text: str, index: int, rng: np.random.Generator) -> str | None:
    key = _key_beside(text[index], rng)
    return None if key is None else text[:index] + key + text[index + 1 :]


def _insert(text: str, index: int, rng: np.random.Generator) -> str | None:
    key = _key_beside(text[index], rng)
    return None if key is None else text[: index + 1] + key + text[index + 1 :]


def _key_beside(char: str, rng: np.random.Generator) -> str | None:
    keys = NEIGHBOURS.get(char.lower())
    if keys is None:
        return None
    key = keys[int(rng.integers(len(keys)))]
    return key.upper() if char.isupper() else key


_KINDS: tuple[Callable[[str, int, np.random.Generator], str | None], ...] = (
    _swap,
    _drop,
    _double,
    _replace,
    _insert,
)
