"""The terms of one document: its candidates, ranked by what they tell and where they stand."""

from __future__ import annotations

import math
from collections.abc import Iterable

from pocketintent.training.terms.candidates import (
    WordCounts,
    count_words,
    find_candidates,
    is_word,
    split_segments,
)
from pocketintent.training.terms.stop_words import CONNECTORS

_NESTED_SHARE = 0.1  # what a candidate counts that only occurs inside longer ones


class DocumentTerms:
    """Ranks the candidates of a document by the statistics of a corpus; no labels are used.

    The score of a candidate is the sum of ``-ln p(w)`` over its words, times
    ``sqrt(0.1 + m)`` for its ``m`` occurrences that are inside no longer candidate, divided by
    ``1 + r`` for the place ``r`` of its first occurrence, from 0 at the document's beginning to
    1 at its end. Terms hold no stop words here: «quality of service» is two. Words that the
    corpus lacks count as seen once.

    Args:
        words: Statistics of a corpus, from :func:`count_words`.
        max_length: Words of the longest term.
    """

    def __init__(self, words: WordCounts, *, max_length: int = 5) -> None:
        self.words = words
        self.max_length = max_length

    @classmethod
    def fit(cls, texts: Iterable[str], *, max_length: int = 5) -> DocumentTerms:
        """Count the words of a corpus, streamed once.

        Raises:
            PocketIntentError: There are no words.
        """
        return cls(count_words(texts), max_length=max_length)

    def extract(self, text: str, limit: int | None = None) -> list[tuple[str, float]]:
        """The terms of a text.

        Args:
            text: The document.
            limit: Terms to give at most; None for all.

        Returns:
            Each candidate, lower-case and its words separated by spaces, with its score; the
            best first, equal ones in alphabetical order.
        """
        segments = split_segments(text)
        words = self._words_of(segments)
        num_tokens = sum(map(len, segments))
        first: dict[str, int] = {}
        maximal: dict[str, int] = {}
        position = 0
        for tokens in segments:
            spans = find_candidates(tokens, words, self.max_length)
            for start, end in spans:
                phrase = " ".join(tokens[start:end])
                first.setdefault(phrase, position + start)
                inside = any(a <= start and end <= b and (a, b) != (start, end) for a, b in spans)
                maximal[phrase] = maximal.get(phrase, 0) + (not inside)
            position += len(tokens)
        scored = [
            (
                phrase,
                sum(math.log(words.num_tokens / words.counts[w]) for w in phrase.split(" "))
                * math.sqrt(_NESTED_SHARE + maximal[phrase])
                / (1 + place / num_tokens),
            )
            for phrase, place in first.items()
        ]
        return sorted(scored, key=lambda item: (-item[1], item[0]))[:limit]

    def _words_of(self, segments: list[list[str]]) -> WordCounts:
        """The statistics of a document's words alone, unknown ones among them."""
        known = self.words
        tokens = {token for segment in segments for token in segment}
        unknown = {token for token in tokens if token not in known.counts and is_word(token)}
        return WordCounts(
            max(known.num_tokens, 1),
            {token: known.counts.get(token, 1) for token in tokens},
            frozenset(tokens & known.starters | unknown),
            frozenset(tokens & known.enders | unknown),
            frozenset(tokens & known.inner | unknown) - CONNECTORS,
        )
