"""Texts made from a corpus, so that a small model also learns parts and strangers of its texts.

A corpus shows few of the things that people say. Phrases of its texts teach what a few words mean
without the rest; texts with other words in them teach rare words among common ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from pocketintent.runtime.text.tokenizer import simple_tokenize
from pocketintent.training.corpora.word_counts import count_vocabulary

PHRASE_WORDS = (2, 8)  # least and most words of a phrase
SUBSTITUTED_WORDS = (3, 20)  # least and most words of a text in which words are replaced
_ATTEMPTS = 20  # for each text that is wanted; a small corpus may not have as many
_FREQUENT = 1e-3  # share of the corpus from which a word is rarely replaced
_REPLACEMENT_POWER = 0.3  # of a word's count, in its chance to replace another
_LEAST_LETTERS = 3  # of a teacher's word
_MARKS = ("Ġ", "▁")  # before the tokens of BPE and SentencePiece that start a word


def make_phrases(texts: Sequence[str], num: int, seed: int) -> list[str]:
    """Draw up to ``num`` phrases: 2 to 8 neighbouring words of a text, separated by spaces.

    Texts of fewer than four words are not drawn from. Phrases are distinct, and none is a text.
    """
    rng = np.random.default_rng(seed)
    known, phrases = set(texts), dict[str, None]()
    least, most = PHRASE_WORDS
    for _ in range(_ATTEMPTS * num if texts else 0):
        if len(phrases) == num:
            break
        words = texts[int(rng.integers(len(texts)))].split()
        if len(words) < 2 * least:
            continue
        length = rng.integers(least, min(most + 1, len(words)))
        start = rng.integers(len(words) - length + 1)
        phrase = " ".join(words[start : start + length])
        if phrase not in known:
            phrases[phrase] = None
    return list(phrases)


def substitute_words(
    texts: Sequence[str], extra_words: Sequence[str], num: int, seed: int
) -> list[str]:
    """Draw texts and replace one or two words of each by any other words.

    Rare words are replaced rather than frequent ones, and replace others more often than their
    number in the corpus would suggest. ``extra_words`` need not be in the texts.

    Returns:
        Distinct texts, as tokens separated by spaces; fewer than ``num`` if the texts are few.
    """
    rng = np.random.default_rng(seed)
    least, most = SUBSTITUTED_WORDS
    tokens = [words for words in map(simple_tokenize, texts) if least <= len(words) <= most]
    if not tokens:
        return []
    counted = count_vocabulary(tokens)
    share = dict(zip(counted.words, (counted.counts / counted.counts.sum()).tolist(), strict=True))
    counts = dict(zip(counted.words, counted.counts.tolist(), strict=True))
    others = list(dict.fromkeys([*counted.words, *extra_words]))
    chances = np.array([counts.get(word, 0) + 1.0 for word in others]) ** _REPLACEMENT_POWER
    chances /= chances.sum()
    drawn = iter(rng.choice(len(others), 2 * _ATTEMPTS * num, p=chances).tolist())
    made: dict[str, None] = {}
    for _ in range(_ATTEMPTS * num):
        if len(made) == num:
            break
        words = list(tokens[int(rng.integers(len(tokens)))])
        rarity = np.array([_FREQUENT / (_FREQUENT + share[word]) for word in words])
        size = 1 if rng.random() < 0.5 else 2
        for place in rng.choice(len(words), size, replace=False, p=rarity / rarity.sum()):
            words[place] = others[next(drawn)]
        made[" ".join(words)] = None
    return list(made)


def frequent_words(texts: Iterable[str], min_count: int) -> list[str]:
    """The words that occur at least ``min_count`` times in texts, the most frequent first."""
    counter = Counter(token for text in texts for token in simple_tokenize(text))
    ranked = sorted(counter, key=lambda word: (-counter[word], word))
    return [word for word in ranked if counter[word] >= min_count]


def whole_words(tokens: Iterable[str]) -> list[str]:
    """The whole words among the tokens of a transformer's vocabulary, in lower case.

    Of WordPiece, parts of words begin with ``##``; of BPE and SentencePiece, whole words begin with
    a mark. The words are distinct, of at least three ASCII letters, in alphabetical order.
    """
    tokens = list(tokens)
    if any(token.startswith(_MARKS) for token in tokens):
        tokens = [token[1:] for token in tokens if token.startswith(_MARKS)]
    words = {token.lower() for token in tokens if token.isascii() and token.isalpha()}
    return sorted(word for word in words if len(word) >= _LEAST_LETTERS)
