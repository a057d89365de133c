"""Phrases that could be terms: runs of words that may be in a term, counted in bounded memory."""

from __future__ import annotations

from collections.abc import Iterable

from pocketintent_lab.training.terms.counter import BoundedCounter
from pocketintent_lab.training.terms.words import WordCounts, split_segments


def find_candidates(tokens: list[str], words: WordCounts, max_length: int) -> list[tuple[int, int]]:
    """Find the candidates of one segment.

    A candidate has 1 to ``max_length`` words, begins with a starter, ends with an ender, and has
    inner words between them. A single word is both starter and ender.

    Args:
        tokens: A segment of :func:`split_segments`.
        words: The words that may begin, end or continue a term.
        max_length: Largest number of words.

    Returns:
        The index of each candidate's first token, and one past its last, in order.
    """
    spans = []
    for start, first in enumerate(tokens):
        if first not in words.starters:
            continue
        for end in range(start + 1, min(start + max_length, len(tokens)) + 1):
            token = tokens[end - 1]
            if token in words.enders:
                spans.append((start, end))
            if token not in words.inner or (token == "the" and tokens[end - 2] != "of"):
                break
    return spans


def count_phrases(
    texts: Iterable[str], words: WordCounts, *, max_length: int = 4, max_phrases: int = 2_000_000
) -> BoundedCounter:
    """Count the candidates of at least two words.

    Args:
        texts: The texts from which ``words`` were counted, streamed once.
        words: The result of :func:`count_words`.
        max_length: Largest number of words of a candidate; by default 4.
        max_phrases: Largest number of candidates in memory, about 150 bytes each; by default
            2,000,000.

    Returns:
        The count of each candidate, its words separated by spaces.
    """
    counter = BoundedCounter(max_phrases)
    for text in texts:
        for tokens in split_segments(text):
            counter.add(
                [
                    " ".join(tokens[start:end])
                    for start, end in find_candidates(tokens, words, max_length)
                    if end - start > 1
                ]
            )
    return counter
