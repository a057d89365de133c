"""What kind of word a word is, learnt from its neighbours in a corpus and from a teacher's vector.

A word can stand for another in a sentence if both stand between the same neighbours. A corpus
shows this of its frequent words; of the others it is predicted from a teacher's vector of the
word and from the word's ending.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pocketintent.runtime.arrays import FloatArray, IndexArray, unit_rows

NUM_CLASSES = 40  # some of which are those of grammar and some of a subject
_NEIGHBOURS = 300  # frequent words whose places beside a word tell its class
_LEAST_SEEN = 10  # neighbours or capitals of a word from which they are counted, not predicted
_SMOOTHING = 5.0  # neighbours that a word seldom seen is assumed to lack
_ROUNDS = 25  # of k-means
_SHARPNESS = 14.0  # of the classes' probabilities, against the least-squares scores
_ENDINGS = 300  # frequent endings of 1 to 4 letters that are features
_ENDING_SCALE = 0.3  # of such a feature, beside a vector of length 1
_WORD = re.compile(r"[^\W\d_]+")
_SENTENCE_END = ".!?:"


@dataclass(frozen=True, eq=False)
class WordClasses:
    """The classes of words, and which words are names."""

    probabilities: FloatArray  # of each class, float32 [num_words, NUM_CLASSES]; rows sum to 1
    names: FloatArray
    """float32 [num_words]: the share of a word's occurrences that begin with a capital letter
    although they begin no sentence, as counted or as predicted."""

    @classmethod
    def learn(
        cls,
        texts: Sequence[str],
        tokens: Sequence[Sequence[str]],
        words: Sequence[str],
        vectors: FloatArray,
        rng: np.random.Generator,
    ) -> WordClasses:
        """Learn the classes of distinct words in lower case.

        ``texts`` have their capital letters, ``tokens`` are theirs in lower case; ``vectors`` are a
        teacher's of the words, float32 [num_words, dim]. ``rng`` draws the first centroids.
        """
        features = np.concatenate(
            [unit_rows(vectors - vectors.mean(axis=0)), _endings(words)], axis=1
        )
        beside = count_neighbours(tokens, words)
        seen = np.flatnonzero(beside.sum(axis=1) >= _LEAST_SEEN)
        probabilities = np.full((len(words), NUM_CLASSES), 1 / NUM_CLASSES, np.float32)
        if len(seen) >= NUM_CLASSES:
            one_hot = np.eye(NUM_CLASSES, dtype=np.float32)[_cluster(beside[seen], rng)]
            scores = features @ _least_squares(features[seen], one_hot)
            np.exp(_SHARPNESS * scores, out=probabilities)
            probabilities /= probabilities.sum(axis=1, keepdims=True)
        return cls(probabilities, _name_shares(texts, words, features))


def count_neighbours(texts: Sequence[Sequence[str]], words: Sequence[str]) -> FloatArray:
    """How often each of the 300 most frequent tokens stands before and after each word.

    Returns float32 [num_words, 2 * 300], first the tokens before the word.
    """
    counter = Counter(token for text in texts for token in text)
    neighbours = _number_frequent(counter, _NEIGHBOURS)
    rows = {word: row for row, word in enumerate(words)}
    counts = np.zeros((len(words), 2 * _NEIGHBOURS), np.float32)
    for text in texts:
        for place, token in enumerate(text):
            if (row := rows.get(token)) is None:
                continue
            if place and (before := neighbours.get(text[place - 1])) is not None:
                counts[row, before] += 1
            if place + 1 < len(text) and (after := neighbours.get(text[place + 1])) is not None:
                counts[row, _NEIGHBOURS + after] += 1
    return counts


def _number_frequent(counter: Counter[str], size: int) -> dict[str, int]:
    """The numbers of the ``size`` most frequent strings, by falling frequency."""
    ranked = sorted(counter, key=lambda item: (-counter[item], item))[:size]
    return {item: number for number, item in enumerate(ranked)}


def _cluster(beside: FloatArray, rng: np.random.Generator) -> IndexArray:
    """The class of each word by k-means on the roots of its neighbours' shares, intp [n]."""
    points = unit_rows(np.sqrt(beside / (beside.sum(axis=1, keepdims=True) + _SMOOTHING)))
    centroids = points[rng.choice(len(points), NUM_CLASSES, replace=False)]
    for _ in range(_ROUNDS):
        classes = (points @ centroids.T).argmax(axis=1)
        for number in np.unique(classes):
            centroids[number] = points[classes == number].mean(axis=0)
        centroids = unit_rows(centroids)
    nearest: IndexArray = (points @ centroids.T).argmax(axis=1)
    return nearest


def _endings(words: Sequence[str]) -> FloatArray:
    """Which of the most frequent endings each word has, float32 [num_words, 300]."""
    of_words = [[word[-size:] for size in range(1, 5) if len(word) > size + 1] for word in words]
    counter = Counter(ending for endings in of_words for ending in endings)
    numbers = _number_frequent(counter, _ENDINGS)
    features = np.zeros((len(words), _ENDINGS), np.float32)
    for row, endings in enumerate(of_words):
        for ending in endings:
            if ending in numbers:
                features[row, numbers[ending]] = _ENDING_SCALE
    return features


def _name_shares(texts: Sequence[str], words: Sequence[str], features: FloatArray) -> FloatArray:
    """The share of capital letters of each word within sentences, counted or predicted."""
    seen, capitals = Counter[str](), Counter[str]()
    for text in texts:
        for match in _WORD.finditer(text):
            before = text[: match.start()].rstrip()[-1:]
            if before and before not in _SENTENCE_END:
                word = match.group()
                seen[word.lower()] += 1
                capitals[word.lower()] += word[0].isupper()
    counts = np.array([seen[word] for word in words], np.float32)
    shares: FloatArray = np.array([capitals[word] for word in words], np.float32)
    shares /= counts.clip(1)
    counted = counts >= _LEAST_SEEN
    if counted.any():
        weights = _least_squares(features[counted], shares[counted, None])
        shares[~counted] = (features[~counted] @ weights)[:, 0].clip(0, 1)
    return shares


def _least_squares(features: FloatArray, values: FloatArray) -> FloatArray:
    """Ridge regression with a penalty of 1, float32 [num_features, num_values]."""
    square = features.T @ features + np.eye(features.shape[1], dtype=np.float32)
    weights: FloatArray = np.linalg.solve(square, features.T @ values)
    return weights
