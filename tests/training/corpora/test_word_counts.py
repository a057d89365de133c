from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.corpora.word_counts import count_vocabulary


def test_words_come_by_falling_count_then_alphabetically() -> None:
    vocabulary = count_vocabulary(iter([["b", "a", "c"], ["c", "b"], [], ["c", "d"]]))
    assert vocabulary.words == ["c", "b", "a", "d"]
    assert vocabulary.counts.tolist() == [3, 2, 1, 1]
    assert vocabulary.counts.dtype == np.int64
    assert len(vocabulary) == 4


def test_rare_words_and_those_past_the_limit_are_left_out() -> None:
    texts = [["a"] * 3 + ["b"] * 2 + ["c"] * 2 + ["d"]]
    assert count_vocabulary(texts, min_count=2).words == ["a", "b", "c"]
    assert count_vocabulary(texts, max_words=2).words == ["a", "b"]


@given(st.lists(st.lists(st.sampled_from("abcdefg")), min_size=1), st.integers(1, 4))
def test_counts_are_those_of_the_texts(texts: list[list[str]], min_count: int) -> None:
    counted = Counter(token for tokens in texts for token in tokens)
    wanted = {word: count for word, count in counted.items() if count >= min_count}
    if not wanted:
        with pytest.raises(PocketIntentError, match=f"no word that occurs {min_count} times"):
            count_vocabulary(texts, min_count=min_count)
        return
    vocabulary = count_vocabulary(texts, min_count=min_count)
    assert dict(zip(vocabulary.words, vocabulary.counts.tolist(), strict=True)) == wanted


@pytest.mark.parametrize("texts", [[], [[]]])
def test_an_empty_corpus_is_an_error(texts: list[list[str]]) -> None:
    with pytest.raises(PocketIntentError, match="give a larger corpus"):
        count_vocabulary(texts)


def test_wanted_words_are_kept_once_they_are_seen() -> None:
    texts = [["play", "jazz"], ["play", "zebra"]]
    words = count_vocabulary(texts, min_count=2, wanted={"zebra", "unseen"})
    assert (words.words, words.counts.tolist()) == (["play", "zebra"], [2, 1])
