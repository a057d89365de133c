"""Pairs of phrases with scores, made of the keyphrases that people gave to documents."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pocketintent.evaluation.keyphrases.scoring import KeyphraseDocument, normalise
from pocketintent.evaluation.records import ScoredPair

_TRIES = 20


def pair_keyphrases(documents: Sequence[KeyphraseDocument], seed: int = 0) -> list[ScoredPair]:
    """Phrases of one document against phrases of two.

    Each keyphrase gets a random other one of its document, with score 1, and a random one of
    another document, with score 0. No pair shares a word, by stems, so that the letters alone
    do not tell which it is. A phrase for which 20 draws find no partner of both kinds is left
    out, so there are as many pairs of either score.

    Args:
        documents: Documents with their keyphrases.
        seed: Of the draws.

    Returns:
        The pairs, the one with score 1 of each phrase before that with 0.

    Raises:
        MissingExtraError: NLTK is not installed.
    """
    rng = np.random.default_rng(seed)
    groups = [[p for p in dict.fromkeys(d.keyphrases) if normalise(p)] for d in documents]
    phrases = [phrase for group in groups for phrase in group]
    ends = np.cumsum([len(group) for group in groups])
    pairs = []
    for group, end in zip(groups, ends.tolist(), strict=True):
        others = phrases[: end - len(group)] + phrases[end:]
        for phrase in group:
            near = _draw(phrase, group, rng)
            far = _draw(phrase, others, rng)
            if near is not None and far is not None:
                pairs += [ScoredPair(phrase, near, 1.0), ScoredPair(phrase, far, 0.0)]
    return pairs


def _draw(phrase: str, partners: Sequence[str], rng: np.random.Generator) -> str | None:
    """A random partner that shares no stem with a phrase; None when none is found."""
    stems = set(normalise(phrase).split())
    for place in rng.integers(len(partners), size=_TRIES) if partners else ():
        partner = partners[int(place)]
        if stems.isdisjoint(normalise(partner).split()):
            return partner
    return None
