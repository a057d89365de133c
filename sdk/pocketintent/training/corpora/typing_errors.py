"""Random typing errors, to train an encoder on and to measure its robustness."""

from __future__ import annotations

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

    Each error affects one letter of the current text, and is of one of five kinds, both chosen with
    equal probability among those that change the text: swap the letter with the next letter of its
    word; drop it, unless it is the only letter of its word; double it; replace it by a neighbouring
    key of a QWERTY keyboard; insert such a key after it. Spaces, digits and punctuation are
    unchanged, so the number of words is too, and the case of a letter is kept. Equal texts, counts
    and states of the generator give equal results. In rare cases a later error undoes an earlier.
    """
    for _ in range(count):
        letters = [index for index, char in enumerate(text) if char.isalpha()]
        if not letters:
            return text
        index = letters[int(rng.integers(len(letters)))]
        text = _misspell(text, index, rng)
    return text


def _misspell(text: str, index: int, rng: np.random.Generator) -> str:
    """The text with one error, of a random kind, at a letter."""
    before, letter, after = text[:index], text[index], text[index + 1 :]
    keys = NEIGHBOURS.get(letter.lower(), "")

    def key_beside() -> str:
        key = keys[int(rng.integers(len(keys)))]
        return key.upper() if letter.isupper() else key

    made = []
    if after[:1].isalpha() and after[0] != letter:
        made.append(before + after[0] + letter + after[1:])
    if before[-1:].isalpha() or after[:1].isalpha():
        made.append(before + after)
    made.append(before + letter + letter + after)
    places = [before, before + letter] if keys else []
    made += [place + key_beside() + after for place in places]
    kind = int(rng.integers(len(made)))
    # Another key is drawn for the error itself, so that a seed gives the texts that it always gave.
    left = len(made) - kind
    return places[-left] + key_beside() + after if left <= len(places) else made[kind]
