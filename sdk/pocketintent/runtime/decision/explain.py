"""Why a text got its score: what becomes of the score without each of its words."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import compress
from typing import Any

import numpy as np

from pocketintent.runtime.decision.decide import State, match_text
from pocketintent.runtime.decision.results import Match
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.text.correction import join_tokens
from pocketintent.runtime.text.tokenizer import simple_tokenize

MAX_WORDS = 64
"""Words of a text that are left out in turn; the others stay in the text."""


@dataclass(frozen=True)
class WordShare:
    """A word of a text and its share in the score."""

    word: str
    """The word, as the tokenizer reads it, with its typing error corrected."""
    share: float
    """How much lower the score of the nearest intent is without the word; below 0, higher."""


@dataclass(frozen=True)
class Explanation:
    """The match of a text, and the words that carried its score."""

    match: Match
    """The match."""
    words: tuple[WordShare, ...]
    """The first ``MAX_WORDS`` words in the order of the text; none without a nearest intent."""

    def to_dict(self) -> dict[str, Any]:
        """The explanation as a JSON object: ``match`` and ``words``."""
        return {"match": self.match.to_dict(), "words": [asdict(word) for word in self.words]}


def explain_text(state: State, encoder: Encoder, text: str) -> Explanation:
    """Match a text, and match it again without each of its words.

    It asks for nothing but scores, so it holds for every encoder and decision. The shares do not
    add up to the score: two words that say the same have small shares each.

    Args:
        state: The templates.
        encoder: The model.
        text: The text.
    """
    text = state.read(text)
    match = match_text(state, text, encoder.encode(text))
    words = simple_tokenize(text)
    if state.scorer is None or match.nearest is None or not words:
        return Explanation(match, ())
    number = min(len(words), MAX_WORDS)
    shorter_texts = (join_tokens(words[:i] + words[i + 1 :]) for i in range(number))
    texts = [join_tokens(words), *shorter_texts]
    vectors = encoder.encode_batch(texts)
    scores = np.zeros(len(texts))  # nothing that the encoder knows is left: no score
    is_known = np.any(vectors, axis=1)
    intent = state.indexed.names.index(match.nearest)
    known_texts = list(compress(texts, is_known.tolist()))
    scores[is_known] = state.scorer.score_block(known_texts, vectors[is_known])[:, intent]
    shares = (scores[0] - scores[1:]).tolist()
    return Explanation(match, tuple(map(WordShare, words[:number], shares)))
