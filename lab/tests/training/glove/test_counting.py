from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pocketintent.training.corpora.encoded import EncodedCorpus
from pocketintent_lab.training.glove.counting import UNIT, PairCounter, count_pairs

MakeCorpus = Callable[..., EncodedCorpus]
NUM_WORDS = 6


def counted(counter: PairCounter) -> dict[tuple[int, int], float]:
    """The counts by pair of words; keys must come in ascending order, each once."""
    blocks = list(counter.merged())
    keys = [key for block in blocks for key in block[0].tolist()]
    assert keys == sorted(set(keys))
    counts = [count * UNIT for block in blocks for count in block[1].tolist()]
    return {divmod(key, NUM_WORDS): count for key, count in zip(keys, counts, strict=True)}


def by_definition(documents: list[list[list[int]]], window: int) -> dict[tuple[int, int], Fraction]:
    """The smaller word first; a word with itself counts from both sides."""
    counts: Counter[tuple[int, int]] = Counter()
    for document in documents:
        for sentence in document:
            for place, word in enumerate(sentence):
                for distance, other in enumerate(sentence[place + 1 : place + 1 + window], 1):
                    times = 2 if word == other else 1
                    counts[min(word, other), max(word, other)] += Fraction(times, distance)  # type: ignore[assignment]
    return dict(counts)  # type: ignore[arg-type]


@given(
    st.lists(
        st.lists(st.lists(st.integers(0, NUM_WORDS - 1), min_size=1, max_size=9), min_size=1),
        min_size=1,
        max_size=6,
    ),
    st.integers(1, 12),
)
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_pair_counts_the_sum_of_its_inverse_distances(
    make_corpus: MakeCorpus, tmp_path: Path, documents: list[list[list[int]]], window: int
) -> None:
    counts = counted(count_pairs(make_corpus(documents), NUM_WORDS, window, tmp_path, 1))
    expected = by_definition(documents, window)
    assert counts.keys() == expected.keys()
    for pair, count in counts.items():
        assert count == pytest.approx(float(expected[pair]), rel=1e-6)


def test_a_corpus_is_counted_the_same_where_it_is_cut_into_blocks(
    make_corpus: MakeCorpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    documents = [[rng.integers(0, NUM_WORDS, rng.integers(1, 9)).tolist()] for _ in range(40)]
    whole = counted(count_pairs(make_corpus(documents), NUM_WORDS, 5, tmp_path, 1))
    monkeypatch.setattr("pocketintent_lab.training.glove.counting._TOKENS_AT_ONCE", 7)
    assert counted(count_pairs(make_corpus(documents), NUM_WORDS, 5, tmp_path, 1)) == whole


@pytest.mark.parametrize("capacity", [1, 3, 10, 1000])
def test_counts_that_outgrow_memory_are_merged_from_disk(tmp_path: Path, capacity: int) -> None:
    rng = np.random.default_rng(0)
    counter = PairCounter(tmp_path, capacity)
    expected: Counter[int] = Counter()
    for _ in range(20):
        keys, counts = rng.integers(0, NUM_WORDS**2, 9), rng.integers(1, 2**40, 9)
        counter.add(keys, counts)
        for key, count in zip(keys.tolist(), counts.tolist(), strict=True):
            expected[key] += count
    blocks = list(counter.merged())
    assert bool(counter.files) == (capacity < 1000)
    keys, counts = (np.concatenate(part) for part in zip(*blocks, strict=True))
    assert keys.tolist() == sorted(expected)
    assert counts.tolist() == [expected[key] for key in sorted(expected)]
    if capacity < 1000:
        assert max(len(block[0]) for block in blocks) <= max(capacity, len(counter.files))


def test_nothing_is_counted_in_sentences_of_one_word(
    make_corpus: MakeCorpus, tmp_path: Path
) -> None:
    assert counted(count_pairs(make_corpus([[[1]], [[2], [3]]]), NUM_WORDS, 5, tmp_path, 1)) == {}
