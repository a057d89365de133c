"""The data of InferSent: sentences as word numbers, pairs with their targets, and batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pocketintent.runtime.arrays import FloatArray, IntArray
from pocketintent.runtime.encoders.sequence import readable_tokens
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.corpora.encoded import ragged_ranges
from pocketintent.training.corpora.word_counts import batches_of_similar_length
from pocketintent_lab.training.infersent.pairs import LARGEST_SCORE, LabelledPair

_SPLIT, _EPOCH, _BATCH = range(3)  # purposes of random generators, part of their seeds

SYMMETRIC = ("same", "score")
"""Questions whose answer does not depend on the order of the sentences."""


@dataclass(frozen=True, eq=False)
class Sentences:
    """Different sentences as numbers of words, concatenated."""

    vectors: FloatArray
    """The vectors of the words, float32 [num_words, word_dim]."""
    ids: IntArray
    """Words of all sentences, int64 [total]."""
    offsets: IntArray
    """Sentence ``i`` is ``ids[offsets[i]:offsets[i + 1]]``, never empty; [num_sentences + 1]."""

    @property
    def lengths(self) -> IntArray:
        """Number of words of each sentence, [num_sentences]."""
        return np.diff(self.offsets)

    def words(self, sentences: IntArray) -> tuple[IntArray, IntArray]:
        """The words of some sentences, int64 [n, longest], 0 after the end; and their lengths."""
        lengths = self.lengths[sentences]
        words = np.zeros((len(sentences), int(lengths.max())), np.int64)
        places = np.arange(words.shape[1]) < lengths[:, None]
        words[places] = self.ids[ragged_ranges(self.offsets[sentences], lengths)]
        return words, lengths


@dataclass(frozen=True, eq=False)
class PairSet:
    """Pairs that answer one question."""

    question: str
    """``"label"``, ``"same"`` or ``"score"``."""
    classes: tuple[str, ...]
    """The answers; of scores, the whole numbers."""
    pairs: IntArray
    """Numbers of the two sentences of each pair, int64 [num_pairs, 2]."""
    targets: FloatArray
    """The probability of each class, float32 [num_pairs, num_classes]."""

    def __len__(self) -> int:
        return len(self.pairs)

    def take(self, rows: IntArray) -> PairSet:
        """Some of the pairs."""
        return PairSet(self.question, self.classes, self.pairs[rows], self.targets[rows])


@dataclass(frozen=True, eq=False)
class PairData:
    """The sentences, the training pairs and the validation pairs, one set for each question."""

    sentences: Sentences
    """The sentences of all pairs."""
    training: list[PairSet]
    """Pairs that are learnt."""
    validation: list[PairSet]
    """Pairs that are held out, of some of the same questions; may be empty."""
    num_left_out: int
    """Number of pairs that were left out because a sentence has no word with a vector."""

    @property
    def num_training(self) -> int:
        """Number of training pairs."""
        return sum(map(len, self.training))

    @property
    def num_validation(self) -> int:
        """Number of validation pairs."""
        return sum(map(len, self.validation))


def make_data(
    table: StaticEncoder,
    training: Sequence[LabelledPair],
    validation: Sequence[LabelledPair] | float,
    seed: int,
) -> PairData:
    """Look up the words of pairs, and make the targets of their answers.

    Args:
        table: The words, whose tokenizer reads the sentences.
        training: The pairs to learn.
        validation: The pairs to hold out, or the share of the training pairs to hold out.
        seed: Seed of the draw of this share.

    Raises:
        PocketIntentError: A question has a single class, a class of the validation pairs is not in
            the training pairs, or no pair has words with vectors.
    """
    sentences = _Numbered(table)
    sets = _make_sets(sentences, training, _classes(training))
    held_out: list[PairSet] = []
    if isinstance(validation, int | float):
        rng = np.random.default_rng([seed, _SPLIT])
        orders = [rng.permutation(len(pairs)) for pairs in sets]
        ends = [min(round(validation * len(pairs)), len(pairs) - 1) for pairs in sets]
        parts = list(zip(sets, orders, ends, strict=True))
        held_out = [pairs.take(np.sort(order[:end])) for pairs, order, end in parts if end]
        sets = [pairs.take(np.sort(order[end:])) for pairs, order, end in parts]
    else:
        classes = {pairs.question: pairs.classes for pairs in sets}
        held_out = _make_sets(sentences, validation, classes)
    return PairData(sentences.finish(), sets, held_out, sentences.num_left_out)


def graded(scores: FloatArray) -> FloatArray:
    """Scores as distributions over whole numbers (Tai, Socher and Manning 2015, section 4.2).

    The two whole numbers around a score share the probability such that their mean is the score.

    Args:
        scores: Numbers from 0 to 5, [n].

    Returns:
        float32 [n, 6].
    """
    numbers = np.arange(LARGEST_SCORE + 1)
    shares: FloatArray = np.maximum(0, 1 - np.abs(scores[:, None] - numbers)).astype(np.float32)
    return shares


class _Numbered:
    """Gives numbers to sentences and their words.

    Args:
        table: The words.
    """

    def __init__(self, table: StaticEncoder) -> None:
        self._table = table
        self._words: dict[str, int] = {}
        self._sentences: dict[tuple[int, ...], int] = {}
        self.num_left_out = 0

    def numbers(self, pair: LabelledPair) -> tuple[int, int] | None:
        """The numbers of a pair's sentences; None if one has no word with a vector."""
        sentences = []
        for text in (pair.a, pair.b):
            tokens = readable_tokens(self._table, self._table.tokenize(text))
            words = tuple(self._words.setdefault(token, len(self._words)) for token in tokens)
            if not words:
                self.num_left_out += 1
                return None
            sentences.append(self._sentences.setdefault(words, len(self._sentences)))
        return sentences[0], sentences[1]

    def finish(self) -> Sentences:
        """All sentences, with the vectors of their words."""
        lengths = [len(sentence) for sentence in self._sentences]
        ids = [word for sentence in self._sentences for word in sentence]
        vectors = self._table.embed_tokens(list(self._words))
        return Sentences(vectors, np.array(ids, np.int64), np.cumsum([0, *lengths]))


def _classes(pairs: Sequence[LabelledPair]) -> dict[str, tuple[str, ...]]:
    """The classes of each question, in the order of the questions."""
    answers: dict[str, set[str]] = {}
    for pair in pairs:
        answers.setdefault(pair.question, set()).add(str(pair.answer))
    for question, found in answers.items():
        if question != "score" and len(found) < 2:
            raise PocketIntentError(
                f"all pairs have the same {question}, {next(iter(found))!r}; there is nothing to "
                "learn from them"
            )
    whole_numbers = tuple(map(str, range(LARGEST_SCORE + 1)))
    return {
        question: whole_numbers if question == "score" else tuple(sorted(answers[question]))
        for question in sorted(answers)
    }


def _make_sets(
    sentences: _Numbered, pairs: Sequence[LabelledPair], classes: dict[str, tuple[str, ...]]
) -> list[PairSet]:
    numbers: dict[str, list[tuple[int, int]]] = {question: [] for question in classes}
    answers: dict[str, list[str | float]] = {question: [] for question in classes}
    for pair in pairs:
        if pair.question not in classes:
            raise PocketIntentError(
                f"{pair.place}: a pair with a {pair.question}, but no training pair has one"
            )
        if pair.question != "score" and pair.answer not in classes[pair.question]:
            raise PocketIntentError(
                f"{pair.place}: no training pair has the {pair.question} {pair.answer!r}; the "
                f"classes are {', '.join(classes[pair.question])}"
            )
        if (both := sentences.numbers(pair)) is not None:
            numbers[pair.question].append(both)
            answers[pair.question].append(pair.answer)
    sets = []
    for question, names in classes.items():
        if not numbers[question]:
            continue
        if question == "score":
            targets = graded(np.array(answers[question], np.float32))
        else:
            rows = [names.index(str(answer)) for answer in answers[question]]
            targets = np.eye(len(names), dtype=np.float32)[rows]
        sets.append(PairSet(question, names, np.array(numbers[question]), targets))
    if not sets:
        raise PocketIntentError("no pair has words with vectors; give vectors of the same language")
    return sets


@dataclass(frozen=True, eq=False)
class PairBatch:
    """The pairs of one step, which answer one question."""

    question: str
    """The question."""
    sentences: IntArray
    """Numbers of the first sentences and then of the second, int64 [2 * num_pairs]."""
    targets: FloatArray
    """The probability of each class, float32 [num_pairs, num_classes]."""


class PairBatches:
    """The batches of an epoch, each of one question and of about equal lengths.

    A batch depends only on the seed, the epoch and the batch's number, so a run can be resumed
    anywhere.

    Args:
        data: The pairs.
        batch_size: Pairs of a batch.
        seed: Seed of the order.
    """

    def __init__(self, data: PairData, batch_size: int, seed: int) -> None:
        self._sets, self._size, self._seed = data.training, batch_size, seed
        lengths = data.sentences.lengths
        self._lengths = [lengths[pairs.pairs].max(axis=1) for pairs in self._sets]
        self._batches: list[tuple[int, IntArray]] = []
        self._epoch = -1

    def __len__(self) -> int:
        """Number of batches in an epoch."""
        return sum(-(-len(pairs) // self._size) for pairs in self._sets)

    def start_epoch(self, epoch: int) -> int:
        """Shuffle the pairs for an epoch, from 0."""
        rng = np.random.default_rng([self._seed, _EPOCH, epoch])
        batches = []
        for number, pairs in enumerate(self._sets):
            order = rng.permutation(len(pairs))
            parts = batches_of_similar_length(order, self._lengths[number], self._size)
            batches += [(number, part) for part in parts]
        self._batches = [batches[place] for place in rng.permutation(len(batches))]
        self._epoch = epoch
        return len(batches)

    def batch(self, number: int) -> PairBatch:
        """One batch of the current epoch.

        The sentences of a pair change places at random if their order means nothing.
        """
        which, rows = self._batches[number]
        pairs = self._sets[which].take(rows)
        sides = pairs.pairs.copy()
        if pairs.question in SYMMETRIC:
            rng = np.random.default_rng([self._seed, _BATCH, self._epoch, number])
            swapped = rng.random(len(sides)) < 0.5
            sides[swapped] = sides[swapped][:, ::-1]
        return PairBatch(pairs.question, sides.T.reshape(-1), pairs.targets)
