"""The data of contextual encoders: texts as word ids, with n-grams for words without a vector."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import FloatArray, IndexArray, IntArray
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.text.ngrams import NgramSettings
from pocketintent.runtime.text.tokenizer import simple_tokenize
from pocketintent.training.contextual.settings import ContextualSettings
from pocketintent.training.corpora.encoded import ragged_ranges
from pocketintent.training.corpora.word_counts import CountedVocabulary, count_vocabulary
from pocketintent.training.teachers.encode import to_text
from pocketintent.training.teachers.targets import TargetTexts, reduce_targets
from pocketintent.training.vectors.table import TermVectors

_MOST_TEXTS = 2048  # in a batch: the similarities of a batch are a matrix of its texts


@dataclass(frozen=True, eq=False)
class ContextualData:
    """The vocabulary, the n-grams of all words, the training texts and the validation texts."""

    words: CountedVocabulary
    """The words that get a vector, with their counts in the texts."""
    buckets: IndexArray
    """N-gram buckets of all words, with and without a vector, word after word."""
    offsets: IntArray
    """The buckets of word ``i`` are ``buckets[offsets[i]:offsets[i + 1]]``."""
    training: TargetTexts
    """Texts that are learnt. Ids from ``len(words)`` on belong to words without a vector."""
    validation: TargetTexts
    """Texts of several words that are held out of training; may be empty."""
    num_left_out: int = 0
    """Number of texts without a word, or with a zero vector."""

    def turn(self, rotation: FloatArray) -> ContextualData:
        """The same texts with rotated targets.

        Args:
            rotation: Orthogonal matrix, float32 [dim, dim].
        """

        def turned(texts: TargetTexts) -> TargetTexts:
            return replace(texts, targets=texts.targets @ rotation)

        return replace(self, training=turned(self.training), validation=turned(self.validation))

    @classmethod
    def prepare(
        cls,
        targets: TermVectors,
        settings: ContextualSettings,
        words: CountedVocabulary | None = None,
        ngrams: NgramSettings | None = None,
    ) -> ContextualData:
        """Tokenise the texts, count their words, hash n-grams, and reduce the vectors to ``dim``.

        Args:
            targets: The texts with their vectors.
            settings: The settings of the run.
            words: The words that have a vector; None to choose them by the settings.
            ngrams: How words are hashed; None to hash them by the settings.

        Raises:
            PocketIntentError: ``dim`` is greater than the dimension of the vectors, no word is
                frequent enough, fewer than two texts are left, or all of them are held out.
        """
        if settings.dim > targets.dim:
            raise PocketIntentError(
                f"dim {settings.dim} is more than the {targets.dim} of the targets"
            )
        tokens = [simple_tokenize(to_text(term))[: settings.max_length] for term in targets.terms]
        words = words or count_vocabulary(
            tokens,
            min_count=settings.min_count,
            max_words=settings.max_words,
            extra_words={text[0] for text in tokens if len(text) == 1},
        )
        numbers = {word: number for number, word in enumerate(words.words)}
        norms = np.linalg.norm(targets.vectors, axis=1)
        rows = np.array([i for i, text in enumerate(tokens) if text and norms[i] > 0], np.int64)
        if len(rows) < 2:
            raise PocketIntentError(f"{len(rows)} usable texts; at least 2 are needed")
        ids = [numbers.setdefault(token, len(numbers)) for row in rows for token in tokens[row]]
        lengths = np.array([len(tokens[row]) for row in rows], np.int64)
        texts = TargetTexts(
            np.array(ids, np.int64),
            np.append(0, lengths.cumsum()),
            reduce_targets(targets.vectors[rows] / norms[rows, None], settings.dim),
        )
        training, validation = texts.split(settings.validation, settings.seed)
        if not len(training):
            raise PocketIntentError(
                f"validation {settings.validation} holds out all {len(rows)} texts; give a smaller "
                "share, or more texts"
            )
        ngrams = ngrams or ngram_settings(settings)
        buckets, counts = ngrams.buckets_of_words(list(numbers))
        offsets = np.append(0, counts.cumsum())
        num_left_out = len(targets) - len(rows)
        return cls(words, buckets, offsets, training, validation, num_left_out)


def ngram_settings(settings: ContextualSettings) -> NgramSettings:
    """How words without a vector are hashed."""
    return NgramSettings(settings.min_n, settings.max_n, settings.num_buckets)


@dataclass(frozen=True, eq=False)
class TextBatch:
    """Texts, one after the other, some of whose words are read by their n-grams."""

    words: IntArray
    """Distinct words that are read by their vectors, int64 [num_words]."""
    word_places: IntArray
    """For each token the index in ``words``; 0 where it is read by n-grams, [num_tokens]."""
    spelt: IntArray
    """Places of the tokens that are read by n-grams, [num_spelt]."""
    spelt_words: IntArray
    """The word of each such token, as its index among the bags, [num_spelt]."""
    buckets: IntArray
    """Distinct n-gram buckets, int64 [num_buckets]."""
    bucket_places: IntArray
    """The bags' n-grams as indices in ``buckets``, bag after bag."""
    bags: IntArray
    """Where the bag of each distinct spelt word starts in ``bucket_places``, [num_bags]."""
    texts: TargetTexts
    """The texts, with their targets."""


@dataclass(eq=False)
class TextBatches:
    """Batches of texts of any length, each a function of seed, epoch and number alone."""

    data: ContextualData
    """The texts and n-grams."""
    settings: ContextualSettings
    """The run's settings."""
    _batches: list[IndexArray] = field(default_factory=list, repr=False)
    _epoch: int = 0

    @property
    def words_per_epoch(self) -> int:
        """Number of words that one pass over the texts trains on."""
        return len(self.data.training.ids)

    @property
    def batches_per_epoch(self) -> int:
        """Number of batches of a pass, but for the limit of texts in a batch."""
        return max(1, -(-self.words_per_epoch // self.settings.batch_words))

    def start_epoch(self, epoch: int) -> int:
        """Shuffle the texts for an epoch; returns the number of batches."""
        rng = np.random.default_rng([self.settings.seed, epoch])
        order = rng.permutation(len(self.data.training))
        self._batches = cut(order, self.data.training.lengths[order], self.settings.batch_words)
        self._epoch = epoch
        return len(self._batches)

    def batch(self, number: int) -> TextBatch:
        """One batch of the current epoch; a random share of its words is read by n-grams."""
        texts = self.data.training.take(self._batches[number])
        rng = np.random.default_rng([self.settings.seed, self._epoch, number])
        return make_batch(self.data, texts, rng.random(len(texts.ids)) < self.settings.unknown)


def cut(order: IndexArray, lengths: IntArray, batch_words: int) -> list[IndexArray]:
    """Cut an order of texts into batches of about equally many words, at most 2,048 texts each.

    Args:
        order: Numbers of texts, intp [num_texts].
        lengths: Their numbers of words, int64 [num_texts].
        batch_words: Words of a batch, which the words of its first text may exceed.
    """
    ends = lengths.cumsum()
    total = int(lengths.sum())
    num = max(1, -(-total // batch_words))
    bounds = ends.searchsorted(np.arange(1, num) * (total / num), side="right")
    parts = [
        part
        for batch in np.split(order, bounds)
        if len(batch)
        for part in np.array_split(batch, -(-len(batch) // _MOST_TEXTS))
    ]
    return parts


def make_batch(data: ContextualData, texts: TargetTexts, spelt: NDArray[np.bool_]) -> TextBatch:
    """Collect the rows that texts need.

    Args:
        data: The n-grams of all words.
        texts: The texts.
        spelt: bool [num_tokens]: the tokens that are read by n-grams although they have a vector.
    """
    spelt = spelt | (texts.ids >= len(data.words))
    words, inverse = np.unique(texts.ids[~spelt], return_inverse=True)
    places = np.zeros(len(texts.ids), np.int64)
    places[~spelt] = inverse
    distinct, spelt_words = np.unique(texts.ids[spelt], return_inverse=True)
    starts, counts = data.offsets[distinct], np.diff(data.offsets)[distinct]
    buckets, bucket_places = np.unique(
        data.buckets[ragged_ranges(starts, counts)], return_inverse=True
    )
    return TextBatch(
        words,
        places,
        np.flatnonzero(spelt),
        spelt_words,
        buckets.astype(np.int64),
        bucket_places,
        np.cumsum(counts) - counts,
        texts,
    )
