"""Why a text got its score: how the score changes when each word is left out."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import compress
from typing import Any

import numpy as np

from pocketintent.runtime.decision.bot import Bot
from pocketintent.runtime.decision.results import Candidate, Match
from pocketintent.runtime.errors import PocketIntentError, list_names
from pocketintent.runtime.text.correction import join_tokens
from pocketintent.runtime.text.tokenizer import simple_tokenize
from pocketintent.runtime.threads import one_blas_thread

MAX_WORDS = 64
"""Words of a text that are left out in turn; the others stay in the text."""


@dataclass(frozen=True)
class WordShare:
    """A word of a text and its share in the score."""

    word: str
    """The word, as the tokenizer reads it, with its typing error corrected; what follows an
    apostrophe belongs to the word before it: ``don't``."""
    share: float
    """How much lower the score of the intent is without the word; below 0, higher."""


@dataclass(frozen=True)
class Explanation:
    """The match of a text, and what each word contributes to the score of an intent."""

    match: Match
    """The match."""
    candidate: Candidate | None
    """The intent that is explained, with its score and its nearest template; None if no intent has
    a score."""
    words: tuple[WordShare, ...]
    """The first ``MAX_WORDS`` words in the order of the text; empty without a candidate."""
    counter_example: str | None
    """The counter-example or text of ``none`` whose words the text has; None if there is none."""

    def to_dict(self) -> dict[str, Any]:
        """The explanation as a JSON object, with the fields under their names."""
        return asdict(self)


def explain_text(bot: Bot, text: str, intent: str | None = None) -> Explanation:
    """Match a text, and score it again without each word; see :meth:`IntentRecognizer.explain`.

    The shares do not add up to the score: two words that say the same have a small share each.
    """
    if intent is not None and intent not in bot.indexed.names:
        known = list_names(bot.indexed.names)
        raise PocketIntentError(f"no intent {intent!r} can be explained; known: {known}")
    text = bot.read(text)
    vector = bot.encoder.encode(text)
    match = bot.match_vector(text, vector)
    refused_by = None
    if match.reason == "counter_example":
        refused_by = bot.refuses.text_with_words_of(text)
    ranked = bot.rank_vector(text, vector, len(bot.indexed.names))
    candidate = next((c for c in ranked if intent in (None, c.intent)), None)
    # What follows an apostrophe belongs to its word: alone it would be another token.
    words = join_tokens(simple_tokenize(text)).split()
    if bot.scorer is None or candidate is None or not words:
        return Explanation(match, candidate, (), refused_by)
    number = min(len(words), MAX_WORDS)
    texts = [" ".join(words), *(" ".join(words[:i] + words[i + 1 :]) for i in range(number))]
    scores = np.zeros(len(texts))  # nothing that the encoder knows is left: no score
    place = bot.indexed.names.index(candidate.intent)
    with one_blas_thread():
        vectors = bot.encoder.encode_batch(texts)
        is_known = np.any(vectors, axis=1)
        known_texts = list(compress(texts, is_known.tolist()))
        scores[is_known] = bot.scorer.score_block(known_texts, vectors[is_known])[:, place]
    shares = (scores[0] - scores[1:]).tolist()
    return Explanation(match, candidate, tuple(map(WordShare, words[:number], shares)), refused_by)
