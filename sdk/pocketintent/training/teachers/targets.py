"""Training targets: texts with the vectors that a small encoder learns for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from pocketintent.runtime.arrays import FloatArray, IntArray
from pocketintent.runtime.errors import PocketIntentError, require
from pocketintent.training.corpora.encoded import ragged_ranges
from pocketintent.training.corpora.word_counts import CountedVocabulary, count_vocabulary
from pocketintent.training.teachers.paraphrases import Paraphrases
from pocketintent.training.vectors.reading import read_vectors
from pocketintent.training.vectors.table import TermVectors

DataT = TypeVar("DataT", bound="TextData")

_BLOCK = 4096  # texts whose vectors are computed with at once


def read_targets(paths: Sequence[str | Path], limit: int | None = None) -> TermVectors:
    """Read and concatenate files of vectors, at most ``limit`` texts of each; duplicates are kept.

    See :func:`read_vectors`. A file with another dimension, too, is a PocketIntentError.
    """
    parts = [read_vectors(path, limit) for path in paths]
    for path, part in zip(paths, parts, strict=True):
        if part.dim != parts[0].dim:
            raise PocketIntentError(
                f"{path}: its vectors have dim {part.dim}, but {paths[0]} has dim {parts[0].dim}"
            )
    terms = [term for part in parts for term in part.terms]
    return TermVectors(terms, np.concatenate([part.vectors for part in parts]))


def principal_components(targets: TermVectors, dim: int) -> TermVectors:
    """The texts with vectors reduced by :func:`reduce_targets`; a vector of zeros stays zeros."""
    known = np.flatnonzero(targets.vectors.any(axis=1))
    reduced = np.zeros((len(targets), dim), np.float32)
    if len(known):
        vectors = targets.vectors if len(known) == len(targets) else targets.vectors[known]
        reduced[known] = reduce_targets(vectors, dim)
    return TermVectors(targets.terms, reduced)


@dataclass(frozen=True, eq=False)
class TargetTexts:
    """Texts as word ids, with the target direction of each text's vector."""

    ids: IntArray  # words of all texts, int64 [num_tokens]
    offsets: IntArray  # text ``i`` is ``ids[offsets[i]:offsets[i + 1]]``, never empty; int64
    targets: FloatArray  # unit vectors, float32 [num_texts, dim]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> IntArray:
        """Number of words of each text, int64 [num_texts]."""
        return np.diff(self.offsets)

    def take(self, numbers: IntArray) -> TargetTexts:
        """A selection of the texts, by number."""
        lengths = self.lengths[numbers]
        ids = self.ids[ragged_ranges(self.offsets[numbers], lengths)]
        return TargetTexts(ids, np.append(0, lengths.cumsum()), self.targets[numbers])

    def owners(self) -> IntArray:
        """The text of each word, int64 [num_tokens]."""
        return np.repeat(np.arange(len(self)), self.lengths)

    def split(self, share: float, seed: int) -> tuple[TargetTexts, TargetTexts]:
        """Hold out a random share of the texts of several words; returns the others and those."""
        held_out = np.random.default_rng(seed).random(len(self)) < share
        held_out &= self.lengths > 1
        return self.take(np.flatnonzero(~held_out)), self.take(np.flatnonzero(held_out))


@dataclass(frozen=True, eq=False)
class TextData:
    """The vocabulary of texts with target vectors, the texts to learn and the texts to measure."""

    words: CountedVocabulary  # those that get a vector, with their counts in the texts
    training: TargetTexts
    validation: TargetTexts  # texts of several words, held out of training; may be empty
    num_left_out: int = 0  # texts without a word, or with a zero vector
    strangers: list[str] = field(default_factory=list)
    """Words without a vector, whose ids follow those of ``words``."""
    paraphrases: Paraphrases | None = None
    """Texts some of which mean the same, by the same ids."""

    def turn(self: DataT, rotation: FloatArray) -> DataT:
        """The same texts with targets rotated by an orthogonal matrix, float32 [dim, dim]."""
        training, validation = (
            replace(texts, targets=texts.targets @ rotation)
            for texts in (self.training, self.validation)
        )
        return replace(self, training=training, validation=validation)

    @classmethod
    def prepare(
        cls: type[DataT],
        targets: TermVectors,
        tokenize: Callable[[str], list[str]],
        settings: Any,
        dim: int,
        *,
        words: CountedVocabulary | None = None,
        keep_strangers: bool = False,
    ) -> DataT:
        """Tokenise the texts, count their words and reduce the vectors to ``dim``.

        ``words`` have a vector; without them the settings ``min_count`` and ``max_words`` choose
        some. Others are ``validation`` and ``seed``. With ``keep_strangers`` other words are
        numbered too, and not left out.

        It is a PocketIntentError if ``dim`` is greater than the dimension of the vectors, no word
        is frequent enough, fewer than two texts are left, or all of them are held out.
        """
        if dim > targets.dim:
            raise PocketIntentError(f"dim {dim} is more than the {targets.dim} of the targets")
        tokens = [tokenize(to_text(term)) for term in targets.terms]
        words = words or count_vocabulary(
            tokens,
            min_count=settings.min_count,
            max_words=settings.max_words,
            extra_words={text[0] for text in tokens if len(text) == 1},
        )
        numbers = {word: number for number, word in enumerate(words.words)}
        norms = np.linalg.norm(targets.vectors, axis=1)
        ids: dict[int, list[int]] = {}
        for row in np.flatnonzero(norms > 0).tolist():
            if keep_strangers:
                ids[row] = [numbers.setdefault(token, len(numbers)) for token in tokens[row]]
            else:
                ids[row] = [numbers[token] for token in tokens[row] if token in numbers]
        ids = {row: own for row, own in ids.items() if own}
        if len(ids) < 2:
            raise PocketIntentError(f"{len(ids)} usable texts; at least 2 are needed")
        rows = np.array(list(ids), np.int64)
        ends = np.cumsum([len(own) for own in ids.values()])
        texts = TargetTexts(
            np.array(list(chain.from_iterable(ids.values())), np.int64),
            np.append(0, ends),
            reduce_targets(targets.vectors[rows] / norms[rows, None], dim),
        )
        training, validation = texts.split(settings.validation, settings.seed)
        if not len(training):
            raise PocketIntentError(
                f"validation {settings.validation} holds out all {len(rows)} texts; give a smaller "
                "share, or more texts"
            )
        num_left_out = len(targets) - len(rows)
        return cls(words, training, validation, num_left_out, list(numbers)[len(words) :])


def to_text(term: str) -> str:
    """Write a term as people do: ``machine_learning`` with a space between its words."""
    return term if any(map(str.isspace, term)) else term.replace("_", " ").strip() or term


def reduce_targets(vectors: FloatArray, dim: int) -> FloatArray:
    """The first principal components of the centred vectors, at unit length, float32 [n, dim].

    Source: Mu and Viswanath 2018. ``dim`` is at most that of the vectors, float32 [n, teacher_dim].
    """
    mean, full = vectors.mean(axis=0), vectors.shape[1]
    blocks = [slice(start, start + _BLOCK) for start in range(0, len(vectors), _BLOCK)]
    directions = np.eye(full, dtype=np.float32)
    if dim < full:
        centred = (vectors[block] - mean for block in blocks)
        covariance = sum(part.T @ part for part in centred)
        directions = np.linalg.eigh(covariance)[1][:, -dim:].astype(np.float32)
    reduced = np.empty((len(vectors), dim), np.float32)
    for block in blocks:
        reduced[block] = (vectors[block] - mean) @ directions
    reduced /= np.linalg.norm(reduced, axis=1, keepdims=True).clip(1e-8)
    return reduced


def alignment(targets: FloatArray, vectors: FloatArray) -> FloatArray:
    """The orthogonal matrix, [dim, dim], that turns targets to a model's vectors of their texts.

    Source: Schönemann 1966, "A generalized solution of the orthogonal Procrustes problem".
    """
    left, _, right = np.linalg.svd(targets.T @ vectors)
    rotation: FloatArray = left @ right
    return rotation


def initial_word_vectors(
    texts: TargetTexts, counts: IntArray, frequency_weight: float
) -> FloatArray:
    """The initial vectors of words with ``counts``, int64 [num_words]: float32 [num_words, dim].

    That of a word is its target; where the word is not a text by itself, the mean of the texts that
    contain it. Its weight is a / (a + share of the text), where a is ``frequency_weight`` (Arora et
    al. 2017), 0 for no weights. Ids from ``len(counts)`` on belong to words without a vector.
    """
    torch = require("torch", "train")
    num_words = len(counts)
    sums = torch.zeros(num_words, texts.targets.shape[1])
    for first in range(0, len(texts), _BLOCK):
        block = texts.take(np.arange(first, min(first + _BLOCK, len(texts))))
        known = block.ids < num_words
        owners = torch.from_numpy(block.owners()[known])
        sums.index_add_(
            0, torch.from_numpy(block.ids[known]), torch.from_numpy(block.targets)[owners]
        )
    vectors: FloatArray = sums.numpy()
    alone = np.flatnonzero((texts.lengths == 1) & (texts.ids[texts.offsets[:-1]] < num_words))
    vectors[texts.ids[texts.offsets[alone]]] = texts.targets[alone]
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True).clip(1e-8)
    if frequency_weight:
        share = counts / counts.sum()
        vectors *= (frequency_weight / (frequency_weight + share))[:, None].astype(np.float32)
    return vectors
