"""Batches of Sent2Vec training, each a function of seed, epoch and number alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import IntArray
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.corpora.encoded import EncodedCorpus, ragged_ranges
from pocketintent.training.corpora.word_counts import FrequencySampler
from pocketintent_lab.training.sent2vec.settings import Sent2VecSettings

GROUP = 16
"""Targets that share their negatives."""

_FIRST, _SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)


@dataclass(frozen=True)
class SentenceBatch:
    """Whole sentences, end to end; each word is predicted from the rest of its sentence."""

    words: IntArray
    """Words of the sentences, int64 [num_words]."""
    owners: IntArray
    """Sentence of each word, rising from 0, int64 [num_words]."""
    bigrams: IntArray
    """Bucket of each bigram, int64 [num_bigrams]; empty without buckets."""
    places: IntArray
    """Place in ``words`` of each bigram's first word, int64 [num_bigrams]."""
    predicted: NDArray[np.bool_]
    """Whether a word is predicted, [num_words]."""
    negatives: IntArray
    """Wrong words of each group of 16 words, int64 [groups, k]."""


class SentenceBatches:
    """Batches of whole sentences.

    Args:
        corpus: The encoded corpus; sentences of a single word are left out.
        counts: Occurrences of each word, int64 [num_words].
        settings: The run's settings.

    Raises:
        PocketIntentError: No sentence has two known words.
    """

    def __init__(self, corpus: EncodedCorpus, counts: IntArray, settings: Sent2VecSettings) -> None:
        self._ids = corpus.ids
        self._settings = settings
        lengths = np.diff(corpus.sentences)
        long_enough = lengths > 1
        self._starts, self._lengths = corpus.sentences[:-1][long_enough], lengths[long_enough]
        if not len(self._starts):
            raise PocketIntentError("the corpus has no sentence of two known words to learn from")
        self.words_per_epoch = int(self._lengths.sum())
        self._negatives = FrequencySampler(counts, settings.negative_power)
        self._keep = None
        if settings.subsample:
            ratio = settings.subsample * counts.sum() / counts
            self._keep = np.sqrt(ratio) + ratio
        self.start_epoch(0)

    def __len__(self) -> int:
        """Number of batches in the current epoch; it depends on the order of the sentences."""
        return len(self._firsts) - 1

    def start_epoch(self, epoch: int) -> int:
        """Shuffle the sentences for an epoch, and deal them into batches."""
        rng = np.random.default_rng([self._settings.seed, epoch])
        self._epoch = epoch
        self._order = rng.permutation(len(self._starts))
        ends = np.cumsum(self._lengths[self._order])
        batch = (ends - 1) // self._settings.batch_tokens  # of each sentence's last word
        self._firsts = np.append(np.flatnonzero(np.diff(batch, prepend=-1)), len(batch))
        return len(self)

    def batch(self, number: int) -> SentenceBatch:
        """One batch of the current epoch."""
        rng = np.random.default_rng([self._settings.seed, self._epoch, number])
        sentences = self._order[self._firsts[number] : self._firsts[number + 1]]
        lengths = self._lengths[sentences]
        words = self._ids[ragged_ranges(self._starts[sentences], lengths)].astype(np.int64)
        owners = np.repeat(np.arange(len(sentences)), lengths)
        predicted = np.ones(len(words), np.bool_)
        if self._keep is not None:
            predicted = rng.random(len(words)) < self._keep[words]
        in_one_sentence = owners[1:] == owners[:-1]
        places = np.flatnonzero(in_one_sentence & (self._settings.num_buckets > 0))
        bigrams = bigram_buckets(
            words[places], words[places + 1], max(self._settings.num_buckets, 1)
        )
        shape = (-(-len(words) // GROUP), self._settings.negatives)
        negatives = self._negatives.draw(rng, shape)
        return SentenceBatch(words, owners, bigrams, places, predicted, negatives)


def bigram_buckets(first: IntArray, second: IntArray, num_buckets: int) -> IntArray:
    """The hash buckets of pairs of words.

    Args:
        first: Ids of the first words, int64 [n].
        second: Ids of the second words, int64 [n].
        num_buckets: Number of buckets.

    Returns:
        int64 [n], from 0 to below ``num_buckets``.
    """
    mixed = (first.astype(np.uint64) + np.uint64(1)) * _FIRST
    mixed = (mixed ^ (mixed >> np.uint64(29))) + second.astype(np.uint64)
    mixed *= _SECOND
    mixed ^= mixed >> np.uint64(32)
    return (mixed % np.uint64(num_buckets)).astype(np.int64)
