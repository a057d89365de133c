"""Scores of candidate terms without labels: the cohesion of a phrase, and its C-value."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping


def npmi(count: int, word_counts: list[int], num_tokens: int) -> float:
    """Normalised pointwise mutual information of a phrase's words.

    Bouma 2009 for two words, extended to n words: ``ln(p(phrase) / product of p(word)) /
    -((n - 1) ln p(phrase))``. It is 1 when the words occur only in the phrase, and 0 when they
    co-occur by chance.

    Args:
        count: Occurrences of the phrase; at least 1.
        word_counts: Occurrences of each of its words; at least two words.
        num_tokens: Number of tokens of the corpus.

    Returns:
        At most 1.
    """
    log_phrase = math.log(count / num_tokens)
    if log_phrase == 0.0:
        return 1.0  # the corpus is nothing but this phrase
    log_words = sum(math.log(word_count / num_tokens) for word_count in word_counts)
    return (log_phrase - log_words) / -((len(word_counts) - 1) * log_phrase)


def specificity(count: int, num_tokens: int) -> float:
    """Cohesion of a single word: its information, 1 for one occurrence, 0 for every token."""
    return -math.log(count / num_tokens) / math.log(num_tokens) if num_tokens > 1 else 1.0


def c_values(counts: Mapping[str, int]) -> dict[str, float]:
    """The C-value of each candidate (Frantzi, Ananiadou and Mima 2000).

    ``log2(1 + n) * (count - mean count of the longer candidates that contain it)`` for a
    candidate of ``n`` words; the original has ``log2(n)``, which is 0 for a single word. A phrase
    that occurs only inside one longer candidate gets 0.

    Args:
        counts: Occurrences of the candidates, their words separated by spaces.

    Returns:
        The C-value of each candidate, at least 0, in the order of ``counts``.
    """
    inside: Counter[str] = Counter()
    num_longer: Counter[str] = Counter()
    for phrase, count in counts.items():
        words = phrase.split(" ")
        parts = {
            " ".join(words[start : start + length])
            for length in range(1, len(words))
            for start in range(len(words) - length + 1)
        }
        for part in parts:
            if part in counts:
                inside[part] += count
                num_longer[part] += 1
    return {
        phrase: math.log2(2 + phrase.count(" "))
        * max(count - inside[phrase] / (num_longer[phrase] or 1), 0.0)
        for phrase, count in counts.items()
    }
