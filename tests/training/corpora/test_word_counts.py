from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.corpora.word_counts import FrequencySampler, count_vocabulary


def test_words_are_sorted_by_falling_count_then_alphabetically() -> None:
    vocabulary = count_vocabulary(iter([["b", "a", "c"], ["c", "b"], [], ["c", "d"]]))
    assert vocabulary.words == ["c", "b", "a", "d"]
    assert vocabulary.counts.tolist() == [3, 2, 1, 1]
    assert vocabulary.counts.dtype == np.int64
    assert len(vocabulary) == 4


def test_rare_words_and_words_beyond_the_limit_are_left_out() -> None:
    texts = [["a"] * 3 + ["b"] * 2 + ["c"] * 2 + ["d"]]
    assert count_vocabulary(texts, min_count=2).words == ["a", "b", "c"]
    assert count_vocabulary(texts, max_words=2).words == ["a", "b"]


@given(st.lists(st.lists(st.sampled_from("abcdefg")), min_size=1), st.integers(1, 4))
def test_counts_match_a_plain_count(texts: list[list[str]], min_count: int) -> None:
    counted = Counter(token for tokens in texts for token in tokens)
    expected = {word: count for word, count in counted.items() if count >= min_count}
    if not expected:
        with pytest.raises(PocketIntentError, match=f"no word that occurs {min_count} times"):
            count_vocabulary(texts, min_count=min_count)
        return
    vocabulary = count_vocabulary(texts, min_count=min_count)
    assert dict(zip(vocabulary.words, vocabulary.counts.tolist(), strict=True)) == expected


@pytest.mark.parametrize("texts", [[], [[]]])
def test_an_empty_corpus_is_an_error(texts: list[list[str]]) -> None:
    with pytest.raises(PocketIntentError, match="give a larger corpus"):
        count_vocabulary(texts)


def test_extra_words_need_only_one_occurrence() -> None:
    texts = [["play", "jazz"], ["play", "zebra"]]
    words = count_vocabulary(texts, min_count=2, extra_words={"zebra", "unseen"})
    assert (words.words, words.counts.tolist()) == (["play", "zebra"], [2, 1])


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0])
def test_negatives_follow_the_power_of_their_counts(power: float) -> None:
    counts = np.array([1, 10, 100, 1000])
    draws = FrequencySampler(counts, power).draw(np.random.default_rng(1), (50, 400))
    assert draws.shape == (50, 400)
    counted = np.bincount(draws.ravel(), minlength=4)
    expected = draws.size * counts**power / (counts**power).sum()
    assert (
        float(((counted - expected) ** 2 / expected).sum()) < 16.3
    )  # chi-square, 3 degrees, 0.1 %
