"""Phrases that could be terms: cut at punctuation, filtered by context, counted within bounds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.text.tokenizer import simple_tokenize
from pocketintent.training.terms.stop_words import (
    CONNECTORS,
    DETERMINERS,
    GENERAL_WORDS,
    NOUN_LEADS,
    STOP_WORDS,
    VERB_LEADS,
)

# A hyphen joins the words of a term, a dash between spaces does not. Symbols that the tokenizer
# keeps ($, +, <, =, >, ^, |, ~) are not here, so that no token is lost; no candidate holds one.
_BREAK = re.compile(
    '[\t\r\n.,;:!?()\\[\\]{}"“”„«»…—–/\\\\•·。、，；：！？（）「」『』]+|\\s-+\\s|--+'
)

_UNDERCOUNT_BIT = 40
_COUNT_MASK = (1 << _UNDERCOUNT_BIT) - 1

_PRIOR = 4.0  # occurrences by which a rare word's rates are drawn to those of all words
_MAX_VERB_RATE = 0.3
_MIN_NOUN_RATE = 0.05
_MIN_BOUND_RATE = 0.8  # «carlo» always follows «monte»
_MIN_END_RATE = 0.3
_ADVERB = re.compile("(?<!fami)(?<!assemb)(?<!anoma)(?<!supp)(?<!rep)(?<!monopo)ly$")
_PARTICIPLE = re.compile("(?<=..)[^e]ed$")


def split_segments(text: str) -> list[list[str]]:
    """The tokens of a text, cut where a term cannot go on.

    Args:
        text: A sentence or more.

    Returns:
        Runs of tokens of the ``simple`` tokenizer, none empty; together they are the text's
        tokens in order (of each run's first 4,096 characters).
    """
    return [tokens for part in _BREAK.split(text) if (tokens := simple_tokenize(part))]


class BoundedCounter:
    """Counts of the frequent ones among more keys than memory holds.

    Lossy counting (Manku and Motwani 2002): when the table is full, its rarest half is dropped,
    and a key that comes back is known to have been missed at most ``max_missed`` times.
    For each key, ``true - max_missed <= count <= true``, and every key that occurred more than
    ``max_missed`` times is in the table. Nothing is lost while the keys fit.

    Args:
        limit: Keys that are held at most; at least 2.
    """

    def __init__(self, limit: int) -> None:
        if limit < 2:
            raise PocketIntentError(f"a table of counts needs room for 2 keys or more, not {limit}")
        self.limit = limit
        self.max_missed = 0
        # A value is the count since the key came in, plus what it may have missed before, shifted.
        self._values: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._values)

    def add(self, keys: Iterable[str]) -> None:
        """Count each of the keys once."""
        values = self._values
        fresh = self.max_missed << _UNDERCOUNT_BIT
        for key in keys:
            values[key] = values.get(key, fresh) + 1
        while len(self._values) > self.limit:
            self._drop_rare()

    def items(self) -> Iterator[tuple[str, int]]:
        """Each key with its count, in the order in which they came in."""
        return ((key, value & _COUNT_MASK) for key, value in self._values.items())

    def _drop_rare(self) -> None:
        at_most = [(v & _COUNT_MASK) + (v >> _UNDERCOUNT_BIT) for v in self._values.values()]
        self.max_missed = sorted(at_most)[len(at_most) // 2]
        self._values = {
            key: value
            for (key, value), bound in zip(self._values.items(), at_most, strict=True)
            if bound > self.max_missed
        }


@dataclass(frozen=True)
class WordCounts:
    """What the words of a corpus do."""

    num_tokens: int
    """Tokens of the corpus."""
    counts: dict[str, int]
    """Occurrences of each word."""
    starters: frozenset[str]
    """Words that a term may begin with."""
    enders: frozenset[str]
    """Words that a term may end with."""
    inner: frozenset[str]
    """Words that a term may hold between its first and its last."""


def count_words(
    texts: Iterable[str], *, min_count: int = 1, max_words: int = 1_000_000
) -> WordCounts:
    """Count words, and learn from their neighbours which can stand at the edges of a term.

    A word that determiners follow, or that follows «to», «we» or «can», in 30% of its
    occurrences is taken for a verb, and stands at neither edge. A word that is followed by
    neither a stop word nor the end of its segment in 30% of its occurrences is taken for an
    adjective, and stands at no end. A word that follows a determiner or a preposition in less
    than 5%, and a word that is no stop word in less than 80%, stands nowhere. Rates of rare
    words are drawn to the corpus' own.

    Args:
        texts: Sentences or paragraphs.
        min_count: Rarer words are left out, and are in no term.
        max_words: Words held in memory at most.

    Returns:
        The words that occur ``min_count`` times or more.

    Raises:
        PocketIntentError: No word does.
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
    verbs, nouns, heads, ends = (
        _rate(part, counts, num_tokens) for part in (verbal, nominal, bound, ending)
    )
    words = [
        word
        for word in counts
        if is_word(word)
        and verbs(word) < _MAX_VERB_RATE
        and (nouns(word) >= _MIN_NOUN_RATE or heads(word) >= _MIN_BOUND_RATE)
    ]
    starters = frozenset(words) - GENERAL_WORDS
    enders = frozenset(
        word for word in words if ends(word) >= _MIN_END_RATE and not _PARTICIPLE.search(word)
    )
    inner = CONNECTORS.union(words)
    return WordCounts(num_tokens, counts, starters, enders, inner)


def _rate(part: BoundedCounter, counts: dict[str, int], num_tokens: int) -> Callable[[str], float]:
    """The share of a word's occurrences that ``part`` has counted."""
    counted = dict(part.items())
    prior = _PRIOR * sum(counted.values()) / num_tokens
    return lambda word: (counted.get(word, 0) + prior) / (counts[word] + _PRIOR)


def is_word(token: str) -> bool:
    """Whether a token is of letters, two at least, and no stop word or adverb."""
    return (
        len(token) > 1 and token.isalpha() and token not in STOP_WORDS and not _ADVERB.search(token)
    )


def count_phrases(
    texts: Iterable[str], words: WordCounts, *, max_length: int = 4, max_phrases: int = 2_000_000
) -> BoundedCounter:
    """Count the phrases of 2 words or more that could be terms.

    Args:
        texts: The same texts as those of ``words``.
        words: What :func:`count_words` gave.
        max_length: Words of the longest candidate.
        max_phrases: Candidates held in memory at most; about 150 bytes each.

    Returns:
        The counts by candidate, its words separated by spaces.
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


def find_candidates(tokens: list[str], words: WordCounts, max_length: int) -> list[tuple[int, int]]:
    """Where the candidates of one segment begin and end.

    A candidate has 1 to ``max_length`` words, begins with a starter, ends with an ender, and has
    inner words between them. A single word is both starter and ender.

    Args:
        tokens: A segment, as of :func:`split_segments`.
        words: What words may do.
        max_length: Words of the longest candidate.

    Returns:
        Pairs of the first token's index and one past the last's, in order.
    """
    found = []
    for start, first in enumerate(tokens):
        if first not in words.starters:
            continue
        for end in range(start + 1, min(start + max_length, len(tokens)) + 1):
            token = tokens[end - 1]
            if token in words.enders:
                found.append((start, end))
            if token not in words.inner or (token == "the" and tokens[end - 2] != "of"):
                break
    return found
