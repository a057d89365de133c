"""Texts on other topics, made from a corpus and a teacher's words.

A corpus speaks of a few topics; its sentences can be of any. In each of them the rarer words are
replaced by words of one topic, which are near each other by a teacher's vectors, and by words that
can stand in their places. The result is seldom good English, but the teacher says what its
words mean together, on topics of which the corpus says nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import FloatArray, IndexArray, unit_rows
from pocketintent.runtime.text.tokenizer import simple_tokenize
from pocketintent.training.corpora.word_counts import CountedVocabulary, count_vocabulary
from pocketintent.training.teachers.word_classes import WordClasses

FRAME_WORDS = (4, 16)  # least and most words of a text whose words are replaced
TOPIC_WORDS = 250  # nearest to a topic's first word, which are the topic
_ATTEMPTS = 4  # for each text that is wanted; a small corpus may not have as many
_PLACE_SHARE = 1.5e-3  # share of the corpus below which a word is replaced
_TOPIC_SHARE = 6e-4  # share of the corpus below which a word belongs to topics
_REPLACED = 0.85  # share of the words below it that are replaced
_LEAST_LETTERS = 3
_TEXTS_PER_TOPIC = 2
_TOPICS_AT_ONCE = 512  # drawn by one product, which is faster than one for each
_COUNT_POWER = 0.35  # of a word's count, in its chance to begin a topic
_WITHIN_POWER = 0.7  # of that chance, in the chance to be drawn from a topic
_NEARNESS = 4.0  # factor of the similarity, in the logarithm of a word's chance within its topic
_OTHER_ENDING = 0.1  # factor of that chance for a word with another ending than the one replaced
_NAME = 0.5  # share of capital letters above which a word is a name
_ENDINGS = ("ing", "ed", "ly", "tion", "ment", "s")
_STEM_LETTERS = 4  # words of a text that begin alike are not both drawn


def substitute_topics(
    texts: Sequence[str],
    words: Sequence[str],
    vectors: FloatArray,
    num: int,
    seed: int,
    progress: Callable[[int, int], None] | None = None,
) -> list[str]:
    """Draw texts, and replace most of their rarer words by words of one topic.

    Sentences that differ in such words and in numbers alone are drawn as if they were one, so that
    a phrase that a corpus repeats does not repeat in the result. A word of the texts that is mostly
    written with a capital letter is a name, and names are no topic words.

    ``words`` are distinct, in lower case: those of the texts, and any others; ``vectors`` are a
    teacher's of them, float32 [num_words, dim]. ``progress`` is called with the number of texts
    made and ``num``. Returns at most ``num`` distinct texts, as tokens separated by spaces; there
    are fewer if the texts are few.
    """
    rng = np.random.default_rng(seed)
    tokens = [simple_tokenize(text) for text in texts]
    if not num or not any(tokens):
        return []
    counted = count_vocabulary(tokens)
    frames = _Frames(tokens, counted, rng)
    if not frames.texts or not words:
        return []
    classes = WordClasses.learn(texts, tokens, words, vectors, rng)
    topics = _Topics(classes, counted, words, vectors, rng)
    if not topics.words:
        return []
    made: dict[str, None] = {}
    for topic, chances in topics.draw(_ATTEMPTS * num // _TEXTS_PER_TOPIC + 1):
        for _ in range(_TEXTS_PER_TOPIC):
            text, places = frames.draw()
            made[" ".join(topics.fill(text, places, topic, chances))] = None
        if progress is not None:
            progress(min(len(made), num), num)
        if len(made) >= num:
            break
    return list(made)[:num]


class _Frames:
    """The tokens of the texts whose words are replaced.

    They are one text, drawn at random, of all that differ in replaceable words alone.
    """

    def __init__(
        self, tokens: Sequence[list[str]], counted: CountedVocabulary, rng: np.random.Generator
    ) -> None:
        shares = (counted.counts / counted.counts.sum()).tolist()
        self._shares = dict(zip(counted.words, shares, strict=True))  # of the corpus
        self._rng = rng
        self.texts: list[list[str]] = []
        outlines = set[tuple[str, ...]]()
        for number in rng.permutation(len(tokens)).tolist():
            text = tokens[number]
            outline = tuple(
                "_" if self._is_replaceable(token) else "0" if token.isdigit() else token
                for token in text
            )
            fits = FRAME_WORDS[0] <= len(text) <= FRAME_WORDS[1]
            if fits and "_" in outline and outline not in outlines:
                outlines.add(outline)
                self.texts.append(text)

    def _is_replaceable(self, token: str) -> bool:
        is_word = token.isalpha() and len(token) >= _LEAST_LETTERS
        return is_word and self._shares[token] < _PLACE_SHARE

    def draw(self) -> tuple[list[str], list[int]]:
        """The tokens of a text, and the places of those that are to be replaced."""
        text = list(self.texts[int(self._rng.integers(len(self.texts)))])
        places = [place for place, token in enumerate(text) if self._is_replaceable(token)]
        return text, [place for place in places if self._rng.random() < _REPLACED]


class _Topics:
    """The words that belong to topics: they are neither frequent nor names."""

    def __init__(
        self,
        classes: WordClasses,
        counted: CountedVocabulary,
        words: Sequence[str],
        vectors: FloatArray,
        rng: np.random.Generator,
    ) -> None:
        counts = dict(zip(counted.words, counted.counts.tolist(), strict=True))
        most = _TOPIC_SHARE * counted.counts.sum()
        numbers = [
            number
            for number, word in enumerate(words)
            if word.isalpha()
            and len(word) >= _LEAST_LETTERS
            and counts.get(word, 0) < most
            and classes.names[number] < _NAME
        ]
        self.words = [words[number] for number in numbers]
        self._vectors = unit_rows((vectors - vectors.mean(axis=0))[numbers])
        chances = np.array([counts.get(word, 0) + 1.0 for word in self.words]) ** _COUNT_POWER
        self._chances = chances / chances.sum()  # of each to begin a topic
        self._classes = classes.probabilities[numbers]
        self._endings = np.array([_ending(word) for word in self.words], np.intp)
        # Of all words, also of those that belong to no topic.
        self._all_classes = dict(zip(words, classes.probabilities, strict=True))
        self._rng = rng

    def draw(self, num: int) -> Iterator[tuple[IndexArray, NDArray[np.float64]]]:
        """The words of topics by number, and the chance of each, before a place is known."""
        size = min(TOPIC_WORDS, len(self.words))
        for start in range(0, num, _TOPICS_AT_ONCE):
            at_once = min(_TOPICS_AT_ONCE, num - start)
            first = self._rng.choice(len(self.words), at_once, p=self._chances)
            for similarities in self._vectors[first] @ self._vectors.T:
                topic = np.sort(np.argpartition(-similarities, size - 1)[:size])
                nearness = np.exp(_NEARNESS * similarities[topic])
                yield topic, nearness * self._chances[topic] ** _WITHIN_POWER

    def fill(
        self, text: list[str], places: Sequence[int], topic: IndexArray, chances: NDArray[Any]
    ) -> list[str]:
        """Replace the tokens at some places by words of a topic."""
        stems = set[str]()
        for place in places:
            if (classes := self._all_classes.get(text[place])) is None:
                continue
            fitting = chances * (self._classes[topic] @ classes) ** 2
            fitting *= np.where(self._endings[topic] == _ending(text[place]), 1, _OTHER_ENDING)
            bounds = fitting.cumsum(dtype=np.float64)
            drawn = bounds.searchsorted(self._rng.random() * bounds[-1], side="right")
            word = self.words[topic[min(int(drawn), len(topic) - 1)]]
            if word[:_STEM_LETTERS] not in stems:
                stems.add(word[:_STEM_LETTERS])
                text[place] = word
        return text


def _ending(word: str) -> int:
    """The number of a word's ending; the number of endings for any other."""
    return next((n for n, ending in enumerate(_ENDINGS) if word.endswith(ending)), len(_ENDINGS))
