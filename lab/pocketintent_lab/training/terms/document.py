"""The terms of one document: its candidates, ranked by information and position."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable

from pocketintent_lab.training.terms.candidates import find_candidates
from pocketintent_lab.training.terms.stop_words import CONNECTORS
from pocketintent_lab.training.terms.words import WordCounts, count_words, is_word, split_segments

_NESTED_SHARE = 0.1  # weight of a candidate that occurs only inside longer candidates


class DocumentTerms:
    """Ranks the candidates of a document by the statistics of a corpus, without labels.

    The score of a candidate is the sum of ``-ln p(w)`` over its words, times ``sqrt(0.1 + m)``
    for its ``m`` occurrences outside longer candidates, divided by ``1 + r`` for the relative
    position ``r`` of its first occurrence, from 0 at the beginning of the document to 1 at its
    end. These terms contain no stop words: "quality of service" is two terms. A word that is
    missing from the corpus counts as one occurrence.

    Args:
        words: Statistics of a corpus, from :func:`count_words`.
        max_length: Largest number of words of a term; by default 5.
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
        """Rank the candidates of a text.

        Args:
            text: The document.
            limit: Largest number of terms; None for all.

        Returns:
            Each candidate in lower case, its words separated by spaces, with its score; the best
            first, equal scores in alphabetical order.
        """
        segments = split_segments(text)
        words = self._words_of(segments)
        num_tokens = sum(map(len, segments))
        first: dict[str, int] = {}
        maximal: Counter[str] = Counter()
        position = 0
        for tokens in segments:
            spans = find_candidates(tokens, words, self.max_length)
            for start, end in spans:
                phrase = " ".join(tokens[start:end])
                first.setdefault(phrase, position + start)
                inside = any(a <= start and end <= b and (a, b) != (start, end) for a, b in spans)
                maximal[phrase] += not inside
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
        """The statistics of only the document's words, including those unknown to the corpus."""
        corpus = self.words
        tokens = {token for segment in segments for token in segment}
        unknown = {token for token in tokens if token not in corpus.counts and is_word(token)}
        return WordCounts(
            max(corpus.num_tokens, 1),
            {token: corpus.counts.get(token, 1) for token in tokens},
            frozenset(tokens & corpus.starters | unknown),
            frozenset(tokens & corpus.enders | unknown),
            frozenset(tokens & corpus.inner | unknown) - CONNECTORS,
        )
