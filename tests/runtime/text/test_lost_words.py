import string
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.text.lost_words import LostWords, can_be_corrected

WORDS = st.text(string.ascii_lowercase, min_size=3, max_size=16)


@given(st.lists(WORDS, max_size=30), st.lists(WORDS, max_size=30))
def test_every_lost_word_is_found_after_saving_and_losing_more(
    words: list[str], later: list[str]
) -> None:
    lost = LostWords().with_words(words).with_words(later)
    read = LostWords.from_tensors(lost.to_tensors() | {"vocabulary.bytes": np.zeros(3, np.uint8)})
    assert all(word in read for word in [*words, *later])
    assert read.filters == lost.filters


def test_a_word_takes_ten_bits_and_hardly_another_word_is_taken_for_it() -> None:
    letters = np.random.default_rng(0).integers(0, 26, (30_000, 8)) + ord("a")
    words = list(dict.fromkeys(bytes(row).decode() for row in letters.astype(np.uint8)))
    lost, others = LostWords().with_words(words[:20_000]), words[20_000:]
    assert [len(bits) for bits in lost.filters] == [25_000]
    assert sum(word in lost for word in others) < 0.013 * len(others)


def test_words_that_are_never_corrected_take_no_bytes() -> None:
    assert LostWords().with_words(["of", "a" * 17, "für", "3", "+", "'t"]).filters == ()
    assert not can_be_corrected("of") and can_be_corrected("off")
    assert "lamp" not in LostWords()


@pytest.mark.parametrize(
    ("tensors", "message"),
    [
        ({"vocabulary.lost.1": np.ones(2, np.uint8)}, "not numbered from 0"),
        ({"vocabulary.lost.x": np.ones(2, np.uint8)}, "not numbered from 0"),
        ({"vocabulary.lost.0": np.ones(0, np.uint8)}, "at least one byte"),
        ({"vocabulary.lost.0": np.ones(2, np.int8)}, "must be uint8"),
        ({"vocabulary.lost.0": np.ones((2, 2), np.uint8)}, "must be uint8"),
    ],
)
def test_bad_tensors_are_refused_by_name(tensors: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelFileError, match=message):
        LostWords.from_tensors(tensors)
