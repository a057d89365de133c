from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.corpora.encoded import EncodedCorpus
from pocketintent.training.starspace.data import (
    BagBatch,
    BagBatches,
    Bags,
    WordBatch,
    WordBatches,
    pack_rows,
)
from pocketintent.training.starspace.settings import StarSpaceSettings

MakeCorpus = Callable[..., EncodedCorpus]
IntArray = np.ndarray[Any, np.dtype[np.int64]]
NUM_WORDS = 12
SENTENCES = st.lists(
    st.lists(st.integers(0, NUM_WORDS - 1), min_size=1, max_size=20), min_size=1, max_size=30
)


def counts_of(sentences: list[list[int]]) -> IntArray:
    words = [word for sentence in sentences for word in sentence]
    return np.bincount(words, minlength=NUM_WORDS) + 1


def sentences_of(batch: WordBatch) -> list[list[int]]:
    """The pieces of a batch, in order."""
    pieces: list[list[int]] = []
    for slots, numbers in zip(batch.slots, batch.sentences, strict=True):
        used = numbers >= 0
        for number in dict.fromkeys(numbers[used].tolist()):
            pieces.append(slots[numbers == number].tolist())
    return pieces


def pieces_of(sentence: list[int], longest: int) -> list[list[int]]:
    cuts = (sentence[at : at + longest] for at in range(0, len(sentence), longest))
    return [piece for piece in cuts if len(piece) > 1]


@given(SENTENCES, st.integers(2, 8), st.integers(1, 4), st.integers(0, 3))
def test_an_epoch_has_every_sentence_once_and_cuts_long_sentences(
    make_corpus: MakeCorpus,
    sentences: list[list[int]],
    row_length: int,
    rows_per_batch: int,
    epoch: int,
) -> None:
    run = StarSpaceSettings(row_length=row_length, batch_tokens=row_length * rows_per_batch)
    expected = [piece for sentence in sentences for piece in pieces_of(sentence, row_length)]
    corpus = make_corpus([[sentence] for sentence in sentences])
    if not expected:
        with pytest.raises(PocketIntentError, match="no sentence of two known words"):
            WordBatches(corpus, counts_of(sentences), run)
        return
    batches = WordBatches(corpus, counts_of(sentences), run)
    batches.start_epoch(epoch)
    epoch_batches = [batches.batch(number) for number in range(len(batches))]
    pieces = [piece for batch in epoch_batches for piece in sentences_of(batch)]
    assert Counter(map(tuple, pieces)) == Counter(map(tuple, expected))
    assert batches.words_per_epoch == sum(map(len, expected))
    for batch in epoch_batches:
        assert batch.slots.shape == batch.sentences.shape
        assert 1 <= len(batch.slots) <= rows_per_batch
        assert batch.slots.shape[1] == row_length
        assert batch.negatives.shape == (len(batch.slots), run.negatives)
        assert ((batch.slots >= 0) == (batch.sentences >= 0)).all()


@pytest.fixture
def word_batches(make_corpus: MakeCorpus) -> WordBatches:
    rng = np.random.default_rng(0)
    sentences = [rng.integers(0, NUM_WORDS, rng.integers(2, 9)).tolist() for _ in range(200)]
    run = StarSpaceSettings(row_length=16, batch_tokens=64, subsample=0.02, seed=3)
    return WordBatches(make_corpus([[s] for s in sentences]), counts_of(sentences), run)


def flat(batch: WordBatch) -> list[int]:
    parts = (batch.slots, batch.sentences, batch.negatives)
    return [value for part in parts for value in part.ravel().tolist()]


def test_a_batch_is_a_function_of_seed_epoch_and_number(word_batches: WordBatches) -> None:
    first = {}
    for epoch in (0, 1):
        word_batches.start_epoch(epoch)
        first |= {(epoch, n): flat(word_batches.batch(n)) for n in range(len(word_batches))}
    assert len({tuple(batch) for batch in first.values()}) == len(first)
    for (epoch, number), batch in reversed(first.items()):
        word_batches.start_epoch(epoch)
        assert flat(word_batches.batch(number)) == batch


def test_another_seed_makes_other_batches(make_corpus: MakeCorpus) -> None:
    corpus, counts = make_corpus([[list(range(NUM_WORDS))]] * 5), np.ones(NUM_WORDS)
    one, other = (
        WordBatches(corpus, counts, StarSpaceSettings(seed=seed)).batch(0) for seed in (1, 2)
    )
    assert flat(one) != flat(other)


def test_subsampling_leaves_frequent_words_out_and_keeps_rare_ones(make_corpus: MakeCorpus) -> None:
    sentences = [[0, 0, 0, 0, 0, 0, 0, 0, 0, 1]] * 400
    counts = np.array([3600, 400])
    run = StarSpaceSettings(row_length=10, batch_tokens=5000, subsample=0.225)
    batches = WordBatches(make_corpus([[s] for s in sentences]), counts, run)
    remaining: Counter[int] = Counter()
    for number in range(len(batches)):
        batch = batches.batch(number)
        remaining.update(batch.slots[batch.sentences >= 0].tolist())
    assert remaining[1] == 400  # its share is 0.1, under the limit
    assert remaining[0] == pytest.approx(3600 * 0.5, rel=0.05)  # sqrt(0.225 / 0.9)


def test_word_negatives_follow_the_counts(make_corpus: MakeCorpus) -> None:
    counts = np.array([900, 100])
    run = StarSpaceSettings(negative_power=1.0, row_length=2, batch_tokens=4000)
    batches = WordBatches(make_corpus([[[0, 1]]] * 2000), counts, run)
    assert batches.batch(0).negatives.mean() == pytest.approx(0.1, abs=0.01)


@given(st.lists(st.integers(1, 9), min_size=1), st.integers(9, 20))
def test_rows_are_filled_with_whole_pieces_in_order(lengths: list[int], row_length: int) -> None:
    firsts = pack_rows(np.array(lengths), row_length).tolist()
    assert firsts[0] == 0 and firsts[-1] == len(lengths)
    rows = [lengths[a:b] for a, b in pairwise(firsts)]
    assert [length for row in rows for length in row] == lengths
    assert all(row and sum(row) <= row_length for row in rows)
    assert all(sum(row) + after[0] > row_length for row, after in pairwise(rows))


def bag(bags: Bags, number: int) -> list[int]:
    return bags.ids[bags.owners == number].tolist()


def all_batches(batches: BagBatches, epoch: int = 0) -> list[BagBatch]:
    batches.start_epoch(epoch)
    return [batches.batch(number) for number in range(len(batches))]


SINGLE = [[[n, n + 1, n + 1, n + 2, n + 3][: n % 4 + 2]] for n in range(40)]


def test_the_halves_of_a_single_sentence_are_disjoint_and_complete(make_corpus: MakeCorpus) -> None:
    run = StarSpaceSettings(mode="sentence", batch_tokens=70)
    splits = set()
    for epoch in range(4):
        for batch in all_batches(BagBatches(make_corpus(SINGLE), None, 50, run), epoch):
            for number, key in enumerate(batch.left.keys):
                left, right = bag(batch.left, number), bag(batch.right, number)
                assert sorted(left + right) == SINGLE[key][0]
                assert len(left) == len(SINGLE[key][0]) // 2
                if key == 3:
                    splits.add(tuple(left))
    assert len(splits) > 1  # the halves are random


def test_the_negatives_of_sentences_do_not_depend_on_the_power(make_corpus: MakeCorpus) -> None:
    negatives = []
    for power in (0.0, 1.0):
        run = StarSpaceSettings(mode="sentence", batch_tokens=70, negative_power=power)
        batches = all_batches(BagBatches(make_corpus(SINGLE), None, 50, run))
        negatives.append(np.concatenate([batch.negatives for batch in batches]))
    np.testing.assert_array_equal(*negatives)


def test_two_sentences_of_a_longer_document_make_a_pair(make_corpus: MakeCorpus) -> None:
    documents = [[[n, n], [n, n + 1], [n, n + 2]][: 2 + n % 2] for n in range(40)]
    run = StarSpaceSettings(mode="sentence", batch_tokens=200)
    pairs = set()
    for epoch in range(20):
        for batch in all_batches(BagBatches(make_corpus(documents), None, 50, run), epoch):
            for number, key in enumerate(batch.left.keys):
                left, right = bag(batch.left, number), bag(batch.right, number)
                assert left in documents[key] and right in documents[key] and left != right
                if key == 1:
                    pairs.add((left[1], right[1]))
    assert len(pairs) == 6


def test_documents_that_make_no_pair_are_left_out(make_corpus: MakeCorpus) -> None:
    run = StarSpaceSettings(mode="sentence", batch_tokens=64)
    corpus = make_corpus([[[1]], [[2, 3]], [[4], [5]], [[6]]])
    (batch,) = all_batches(BagBatches(corpus, None, 9, run))
    assert set(batch.left.keys.tolist()) == {1, 2}
    with pytest.raises(PocketIntentError, match="sentence mode needs documents"):
        BagBatches(make_corpus([[[1]], [[2, 3]]]), None, 9, run)


def test_labelled_pairs_are_the_words_and_the_labels_row(make_corpus: MakeCorpus) -> None:
    documents = [[[n % 7, n % 5], [n % 3]] for n in range(50)]
    labels = [n % 3 - 1 for n in range(50)]  # -1 is without a label
    run = StarSpaceSettings(mode="labelled", batch_tokens=64, negatives=2)
    batches = BagBatches(make_corpus(documents, labels), np.array([17, 16]), 10, run)
    seen: Counter[int] = Counter()
    for batch in all_batches(batches):
        count = len(batch.left.keys)
        assert count % len(batch.negatives) == 0
        assert batch.negatives.shape[1] == 2
        assert set(batch.right.ids[batch.negatives].ravel().tolist()) <= {10, 11}
        for number, document in enumerate(batch.left.keys.tolist()):
            seen[document] += 1
            assert bag(batch.left, number) == [w for part in documents[document] for w in part]
            assert bag(batch.right, number) == [10 + labels[document]]
            assert batch.right.keys[number] == labels[document]
    assert set(seen) == {n for n in range(50) if labels[n] >= 0}
    # The last batch is filled up from the epoch's beginning, less than a group of it.
    assert sum(seen.values()) - len(seen) < 16
    assert batches.words_per_epoch == 3 * len(seen)


def test_labelled_mode_without_labels_is_an_error(make_corpus: MakeCorpus) -> None:
    run = StarSpaceSettings(mode="labelled")
    with pytest.raises(PocketIntentError, match="labelled mode needs"):
        BagBatches(make_corpus([[[1, 2]]] * 3, [-1, -1, -1]), np.array([1]), 9, run)


@pytest.mark.parametrize("labelled", [True, False])
def test_bag_batches_are_functions_of_seed_epoch_and_number(
    make_corpus: MakeCorpus, labelled: bool
) -> None:
    run = StarSpaceSettings(mode="labelled" if labelled else "sentence", batch_tokens=70)
    corpus = make_corpus(SINGLE, [n % 4 for n in range(40)])
    counts = np.array([10] * 4) if labelled else None
    batches = BagBatches(corpus, counts, 50, run)

    def flat(batch: BagBatch) -> list[list[int]]:
        parts = (batch.left.ids, batch.left.owners, batch.right.ids, batch.negatives.ravel())
        return [part.tolist() for part in parts]

    first = [[flat(batch) for batch in all_batches(batches, epoch)] for epoch in (0, 1)]
    assert first[0] != first[1]
    again = BagBatches(corpus, counts, 50, run)
    again.start_epoch(1)
    assert flat(again.batch(2)) == first[1][2]
