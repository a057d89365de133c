"""Batches of StarSpace training, each a function of seed, epoch and number alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pocketintent.runtime.arrays import IntArray
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.corpora.encoded import EncodedCorpus, ragged_ranges
from pocketintent.training.corpora.word_counts import FrequencySampler
from pocketintent.training.starspace.settings import StarSpaceSettings

_GROUP = 16  # examples of sentence and labelled mode that share their negatives


@dataclass(frozen=True)
class WordBatch:
    """Rows of whole sentences: each word is an example, its context the left side."""

    slots: IntArray  # word in each slot, int64 [rows, row_length]; -1 is padding
    sentences: IntArray  # of each slot, the same shape; -1 for padding and subsampled words
    negatives: IntArray  # negative words of each row, int64 [rows, k]


@dataclass(frozen=True)
class Bags:
    """Sets of words or labels, each of which is summed to one vector."""

    ids: IntArray  # rows of all bags, int64 [num_ids]
    owners: IntArray  # the bag of each row, int64 [num_ids]
    keys: IntArray  # the identity of each bag, its label or document, int64 [num_bags]


@dataclass(frozen=True)
class BagBatch:
    """Pairs of bags: utterance and label, or two parts of a document."""

    left: Bags  # of the n examples; n is a multiple of the number of groups
    right: Bags  # of the n examples, then further negatives
    negatives: IntArray  # right sides that are the negatives of each group, int64 [groups, k]


class WordBatches:
    """Batches of word mode: a word and the words around it.

    Sentences longer than a row are cut into pieces. ``counts`` are the occurrences of each word,
    int64 [num_words]. It is a PocketIntentError if no sentence has two known words.
    """

    def __init__(
        self, corpus: EncodedCorpus, counts: IntArray, settings: StarSpaceSettings
    ) -> None:
        self._ids, self._settings = corpus.ids, settings
        self._starts, self._lengths = _pieces(corpus.sentences, settings.row_length)
        if not len(self._starts):
            raise PocketIntentError("the corpus has no sentence of two known words to learn from")
        self.words_per_epoch = int(self._lengths.sum())
        self._rows_per_batch = max(1, settings.batch_tokens // settings.row_length)
        self._negatives = FrequencySampler(counts, settings.negative_power)
        share = counts / counts.sum()
        self._keep = np.sqrt(settings.subsample / share) if settings.subsample else None
        self.start_epoch(0)

    def __len__(self) -> int:
        """Number of batches in the current epoch."""
        return -(-(len(self._rows) - 1) // self._rows_per_batch)

    def start_epoch(self, epoch: int) -> int:
        """Shuffle the sentences for an epoch and pack them into rows."""
        rng = np.random.default_rng([self._settings.seed, epoch])
        self._epoch = epoch
        self._order = rng.permutation(len(self._starts))
        self._rows = pack_rows(self._lengths[self._order], self._settings.row_length)
        return len(self)

    def batch(self, number: int) -> WordBatch:
        """One batch of the current epoch."""
        rng = np.random.default_rng([self._settings.seed, self._epoch, number])
        first = number * self._rows_per_batch
        rows = self._rows[first : first + self._rows_per_batch + 1]
        pieces = self._order[rows[0] : rows[-1]]
        lengths = self._lengths[pieces]
        words = self._ids[ragged_ranges(self._starts[pieces], lengths)].astype(np.int64)
        piece_row = np.repeat(np.arange(len(rows) - 1), np.diff(rows))
        row = np.repeat(piece_row, lengths)
        row_start = np.searchsorted(row, np.arange(len(rows) - 1))
        column = np.arange(len(words)) - row_start[row]
        shape = (len(rows) - 1, self._settings.row_length)
        slots, sentences = np.full(shape, -1, np.int64), np.full(shape, -1, np.int64)
        slots[row, column] = words
        sentences[row, column] = np.repeat(np.arange(len(pieces)), lengths)
        if self._keep is not None:
            dropped = rng.random(len(words)) > self._keep[words]
            sentences[row[dropped], column[dropped]] = -1
        negatives = self._negatives.draw(rng, (len(slots), self._settings.negatives))
        return WordBatch(slots, sentences, negatives)


class BagBatches:
    """Batches of sentence mode and labelled mode.

    In labelled mode the right side is the utterance's label. In sentence mode it is another
    sentence of the same document; a document of one sentence is cut into two random halves.
    Documents that cannot make a pair are left out; it is a PocketIntentError if fewer than two can.
    ``label_counts`` are the utterances of each label, int64 [num_labels], None for sentence mode;
    the rows of ``num_words`` words precede those of the labels.
    """

    def __init__(
        self,
        corpus: EncodedCorpus,
        label_counts: IntArray | None,
        num_words: int,
        settings: StarSpaceSettings,
    ) -> None:
        self._corpus, self._settings, self._num_words = corpus, settings, num_words
        self._labels = None
        lengths = np.diff(corpus.sentences[corpus.documents])
        usable = lengths > 1
        if label_counts is not None:
            self._labels = FrequencySampler(label_counts, settings.negative_power)
            usable = corpus.labels >= 0
        self._documents = np.flatnonzero(usable)
        if len(self._documents) < 2:
            raise PocketIntentError(
                "labelled mode needs a corpus of .jsonl lines with text and intent"
                if self._labels
                else "sentence mode needs documents of two known words or more"
            )
        lengths = lengths[self._documents]
        self.words_per_epoch = int(lengths.sum())
        size = settings.batch_tokens / float(lengths.mean())
        self._batch_size = max(1, int(size) // _GROUP) * _GROUP
        self.start_epoch(0)

    def __len__(self) -> int:
        """Number of batches in an epoch."""
        return -(-len(self._documents) // self._batch_size)

    def start_epoch(self, epoch: int) -> int:
        """Shuffle the documents for an epoch."""
        rng = np.random.default_rng([self._settings.seed, epoch])
        self._epoch = epoch
        self._order = rng.permutation(self._documents)
        return len(self)

    def batch(self, number: int) -> BagBatch:
        """One batch of the current epoch; a short last batch is filled from the epoch's start."""
        rng = np.random.default_rng([self._settings.seed, self._epoch, number])
        first = number * self._batch_size
        size = min(self._batch_size, -(-(len(self._order) - first) // _GROUP) * _GROUP)
        documents = np.take(self._order, np.arange(first, first + size), mode="wrap")
        groups = (size // _GROUP, self._settings.negatives)
        if self._labels is not None:
            labels = self._corpus.labels[documents].astype(np.int64)
            wrong = self._labels.draw(rng, groups)
            keys = np.concatenate([labels, wrong.ravel()])
            right = Bags(keys + self._num_words, np.arange(len(keys)), keys)
            negatives = size + np.arange(wrong.size).reshape(groups)
            first, last = self._corpus.documents[documents], self._corpus.documents[documents + 1]
            return BagBatch(self._bags(documents, first, last), right, negatives)
        left, right = self._two_parts(documents, rng)
        return BagBatch(left, right, rng.integers(0, size, groups))

    def _bags(self, keys: IntArray, first: IntArray, last: IntArray) -> Bags:
        """The words from one sentence up to another, as a bag for each key."""
        starts = self._corpus.sentences[first]
        lengths = self._corpus.sentences[last] - starts
        ids = self._corpus.ids[ragged_ranges(starts, lengths)].astype(np.int64)
        return Bags(ids, np.repeat(np.arange(len(keys)), lengths), keys)

    def _two_parts(self, documents: IntArray, rng: np.random.Generator) -> tuple[Bags, Bags]:
        first = self._corpus.documents[documents]
        count = self._corpus.documents[documents + 1] - first
        one = rng.integers(0, count)
        other = (one + rng.integers(1, np.maximum(count, 2))) % count
        left = self._bags(documents, first + one, first + one + 1)
        right = self._bags(documents, first + other, first + other + 1)
        # Both sides of a single sentence have the same words; each word is kept on one side.
        single = count == 1
        rank = np.lexsort((rng.random(len(left.ids)), left.owners))
        place = np.empty(len(rank), np.int64)
        lengths = np.bincount(left.owners, minlength=len(documents))
        place[rank] = np.arange(len(rank)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        in_left = place < (lengths // 2)[left.owners]
        keep_left = ~single[left.owners] | in_left
        halves = Bags(left.ids[keep_left], left.owners[keep_left], documents)
        keep_right = np.ones(len(right.ids), bool)
        keep_right[single[right.owners]] = ~in_left[single[left.owners]]
        return halves, Bags(right.ids[keep_right], right.owners[keep_right], documents)


def pack_rows(lengths: IntArray, row_length: int) -> IntArray:
    """Fill rows of ``row_length`` slots with whole pieces, none of them longer, in order.

    Returns each row's first piece, then the number of pieces, int64 [num_rows + 1].
    """
    firsts, used = [], row_length
    for index, length in enumerate(lengths.tolist()):
        used += length
        if used > row_length:
            firsts.append(index)
            used = length
    return np.array([*firsts, len(lengths)], np.int64)


def _pieces(sentences: IntArray, longest: int) -> tuple[IntArray, IntArray]:
    """Starts and lengths of the sentences, cut to ``longest``, without pieces of a single word."""
    lengths = np.diff(sentences)
    parts = -(-lengths // longest)
    part = ragged_ranges(np.zeros(len(parts), np.int64), parts)
    starts = np.repeat(sentences[:-1], parts) + part * longest
    ends = np.minimum(starts + longest, np.repeat(sentences[1:], parts))
    long_enough = ends - starts > 1
    return starts[long_enough], (ends - starts)[long_enough]
