"""Scored pairs of phrases, built from the keyphrases of documents."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pocketintent.evaluation.records import ScoredPair
from pocketintent_lab.evaluation.keyphrases.scoring import KeyphraseDocument, normalise

_TRIES = 20


def pair_keyphrases(documents: Sequence[KeyphraseDocument], seed: int = 0) -> list[ScoredPair]:
    """Pair phrases of the same document, and phrases of different documents.

    Each keyphrase is paired with a random other phrase of its document, score 1, and with a
    random phrase of another document, score 0. No pair shares a word stem, so the letters alone
    do not reveal the score. A phrase is skipped if 20 draws do not find both partners, so both
    scores have equally many pairs.

    Args:
        documents: Documents with their keyphrases.
        seed: Seed of the draws.

    Returns:
        The pairs, for each phrase the pair of score 1 before the pair of score 0.

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
    """Draw a partner that shares no stem with the phrase; None if there is none in 20 draws."""
    stems = set(normalise(phrase).split())
    for index in rng.integers(len(partners), size=_TRIES) if partners else ():
        partner = partners[int(index)]
        if stems.isdisjoint(normalise(partner).split()):
            return partner
    return None
