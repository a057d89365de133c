"""The inputs of micro-tuning: a text in pieces that fit the model, and its masked copies."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from pocketintent.runtime.arrays import IntArray
from pocketintent_lab.training.neural.settings import Blueprint

_SENTENCE_ENDS = re.compile(r"(?<=[.!?…。！？])\s+|\n+")


@dataclass(frozen=True)
class MaskedCopy:
    """An input with masks."""

    ids: IntArray
    """Token ids, some of which are the mask, int64 [length]."""
    places: IntArray
    """Places of the masks, int64 [num_masks]; at least one."""
    labels: IntArray
    """The tokens at these places, int64 [num_masks]."""


def split_text(text: str, to_ids: Callable[[str], list[int]], longest: int) -> list[list[int]]:
    """Split a text into pieces of as many whole sentences as fit.

    Args:
        text: The text.
        to_ids: The ids of a text's tokens, without special tokens.
        longest: Largest number of tokens of a piece.

    Returns:
        The token ids of each piece: the whole text if it fits. A sentence that is longer is cut
        after ``longest`` tokens. No pieces for a text without tokens.
    """
    whole = to_ids(text)
    if len(whole) <= longest:
        return [whole] if whole else []
    pieces: list[list[int]] = []
    for sentence in filter(None, _SENTENCE_ENDS.split(text)):
        ids = to_ids(sentence)
        for start in range(0, len(ids), longest):
            part = ids[start : start + longest]
            if pieces and len(pieces[-1]) + len(part) <= longest:
                pieces[-1] = pieces[-1] + part
            else:
                pieces.append(part)
    return pieces


def mask_piece(
    ids: IntArray, first: int, last: int, mask: int, blueprints: Sequence[Blueprint]
) -> list[MaskedCopy]:
    """Mask an input by each blueprint (k, m) with each of its k + m shifts.

    Args:
        ids: The input with its special tokens, int64 [length].
        first: Place of the first token that may be masked.
        last: Place after the last token that may be masked.
        mask: Id of the mask.
        blueprints: The masks.

    Returns:
        The copies that have a mask, blueprint after blueprint.
    """
    copies = []
    numbers = np.arange(last - first)
    for shown, masked in blueprints:
        for shift in range(shown + masked):
            hidden = (numbers + shift) % (shown + masked) >= shown
            if hidden.any():
                places = first + np.flatnonzero(hidden)
                copy = ids.copy()
                copy[places] = mask
                copies.append(MaskedCopy(copy, places, ids[places]))
    return copies


def split_steps(copies: Sequence[MaskedCopy], size: int) -> list[list[MaskedCopy]]:
    """The copies of each step of an epoch, at most ``size`` of them."""
    return [list(copies[start : start + size]) for start in range(0, len(copies), size)]
