"""The words of a corpus: how often each occurs, and at which places of a term it may be."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.text.tokenizer import simple_tokenize
from pocketintent_lab.training.terms.counter import BoundedCounter
from pocketintent_lab.training.terms.stop_words import (
    CONNECTORS,
    DETERMINERS,
    GENERAL_WORDS,
    NOUN_LEADS,
    STOP_WORDS,
    VERB_LEADS,
)

# A hyphen joins the words of a term, a dash between spaces does not. Symbols that the tokenizer
# keeps ($, +, <, =, >, ^, |, ~) are not listed, so that no token is lost; no candidate contains
# them.
_BREAK = re.compile(
    '[\t\r\n.,;:!?()\\[\\]{}"“”„\u00ab\u00bb…—–/\\\\•·。、，；：！？（）「」『』]+|\\s-+\\s|--+'
)

_PRIOR = 4.0  # weight, in occurrences, of the rate of all words in that of each word
_MAX_VERB_RATE = 0.3
_MIN_NOUN_RATE = 0.05
_MIN_BOUND_RATE = 0.8  # "carlo" always follows "monte"
_MIN_END_RATE = 0.3
_ADVERB = re.compile("(?<!fami)(?<!assemb)(?<!anoma)(?<!supp)(?<!rep)(?<!monopo)ly$")
_PARTICIPLE = re.compile("(?<=..)[^e]ed$")


def split_segments(text: str) -> list[list[str]]:
    """Tokenise a text and cut it where no term can continue.

    Args:
        text: One or more sentences.

    Returns:
        Non-empty runs of tokens of the ``simple`` tokenizer; together they are the tokens of the
        text in order (of the first 4,096 characters of each run).
    """
    return [tokens for part in _BREAK.split(text) if (tokens := simple_tokenize(part))]


@dataclass(frozen=True)
class WordCounts:
    """Statistics of the words of a corpus."""

    num_tokens: int
    """Number of tokens of the corpus."""
    counts: dict[str, int]
    """Occurrences of each word."""
    starters: frozenset[str]
    """Words with which a term may begin."""
    enders: frozenset[str]
    """Words with which a term may end."""
    inner: frozenset[str]
    """Words that may be between the first and the last word of a term."""


def count_words(
    texts: Iterable[str], *, min_count: int = 1, max_words: int = 1_000_000
) -> WordCounts:
    """Count words, and learn from their neighbours which can begin or end a term.

    A word that determiners follow, or that follows "to", "we" or "can", in at least 30% of its
    occurrences is taken for a verb and excluded from all terms. A word that is followed by a
    stop word or by the end of its segment in less than 30% of its occurrences is taken for an
    adjective and ends no term. A word that follows a determiner or a preposition in less than
    5%, and a content word in less than 80%, is excluded from all terms. The rates of rare words
    are smoothed towards those of the corpus.

    Args:
        texts: Sentences or paragraphs, streamed once.
        min_count: Rarer words are left out, also of all terms; by default 1.
        max_words: Largest number of words in memory; by default 1,000,000.

    Returns:
        The words with at least ``min_count`` occurrences.

    Raises:
        PocketIntentError: There is no such word.
    """
    counter, verbal, nominal, bound, ending = (BoundedCounter(max_words) for _ in range(5))
    num_tokens = 0
    for text in texts:
        for tokens in split_segments(text):
            num_tokens += len(tokens)
            counter.add(tokens)
            pairs = list(pairwise(tokens))
            verbal.add([word for word, after in pairs if after in DETERMINERS])
            verbal.add([word for before, word in pairs if before in VERB_LEADS])
            nominal.add([word for before, word in pairs if before in NOUN_LEADS])
            bound.add([word for before, word in pairs if before not in STOP_WORDS])
            ending.add([word for word, after in pairs if after in STOP_WORDS])
            ending.add(tokens[-1:])
    counts = {word: count for word, count in counter.items() if count >= min_count}
    if not counts:
        raise PocketIntentError(
            f"the corpus has no word that occurs {min_count} times or more; "
            "give a larger corpus or a smaller --min-count"
        )
    verb_rate, noun_rate, bound_rate, end_rate = (
        _rate(part, counts, num_tokens) for part in (verbal, nominal, bound, ending)
    )
    words = [
        word
        for word in counts
        if is_word(word)
        and verb_rate(word) < _MAX_VERB_RATE
        and (noun_rate(word) >= _MIN_NOUN_RATE or bound_rate(word) >= _MIN_BOUND_RATE)
    ]
    starters = frozenset(words) - GENERAL_WORDS
    enders = frozenset(
        word for word in words if end_rate(word) >= _MIN_END_RATE and not _PARTICIPLE.search(word)
    )
    inner = CONNECTORS.union(words)
    return WordCounts(num_tokens, counts, starters, enders, inner)


def is_word(token: str) -> bool:
    """Whether a token has at least two letters, nothing else, and is no stop word or adverb."""
    return (
        len(token) > 1 and token.isalpha() and token not in STOP_WORDS and not _ADVERB.search(token)
    )


def _rate(part: BoundedCounter, counts: dict[str, int], num_tokens: int) -> Callable[[str], float]:
    """A function to the smoothed share of a word's occurrences that are counted in ``part``."""
    part_counts = dict(part.items())
    prior = _PRIOR * sum(part_counts.values()) / num_tokens
    return lambda word: (part_counts.get(word, 0) + prior) / (counts[word] + _PRIOR)
