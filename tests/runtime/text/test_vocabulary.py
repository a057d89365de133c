import string
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.text.vocabulary import BYTES, LostWords, Vocabulary, can_be_corrected

WORDS = st.lists(
    st.text(
        st.characters(exclude_categories=["Cs"], exclude_characters="\n"), min_size=1, max_size=8
    ),
    unique=True,
)
LONG_WORDS = st.text(string.ascii_lowercase, min_size=3, max_size=16)


@given(WORDS)
def test_words_survive_the_way_through_tensors(words: list[str]) -> None:
    tensors = Vocabulary(words).to_tensors()

    assert Vocabulary.from_tensors(tensors).words == words
    assert tensors[BYTES].dtype == np.uint8
    assert tensors.keys() == {BYTES}


def test_ids_are_positions_and_unknown_tokens_are_dropped() -> None:
    vocabulary = Vocabulary(["on", "off", "café"])

    assert vocabulary.ids(["off", "never", "café", "off"]) == [1, 2, 1]
    assert vocabulary.get("on") == 0
    assert vocabulary.get("never") is None
    assert "café" in vocabulary
    assert "never" not in vocabulary
    assert len(vocabulary) == 3


@pytest.mark.parametrize(
    ("words", "message"),
    [(["a", "b", "a"], "'a' twice, at 0 and 2"), (["a", ""], "word 1 of the vocabulary is empty")],
)
def test_a_word_that_is_empty_or_stands_twice_is_refused(words: list[str], message: str) -> None:
    with pytest.raises(ModelFileError, match=message):
        Vocabulary(words)


@pytest.mark.parametrize(
    ("word", "message"), [("\ud800", "not valid Unicode"), ("a\nb", "line feed")]
)
def test_a_word_that_a_model_file_cannot_hold_is_named(word: str, message: str) -> None:
    with pytest.raises(ModelFileError, match=message) as raised:
        Vocabulary(["on", word]).to_tensors()
    assert repr(word) in str(raised.value)


@pytest.mark.parametrize(
    ("tensors", "message"),
    [
        ({}, "is missing"),
        ({BYTES: np.frombuffer(b"a\n\xff", np.uint8)}, "not UTF-8"),
        ({BYTES: np.frombuffer(b"a\na", np.uint8)}, "twice"),
        ({BYTES: np.frombuffer(b"a\n\nb", np.uint8)}, "empty"),
        ({BYTES: np.frombuffer(b"a\n", np.uint8)}, "empty"),
        ({BYTES: np.zeros(1, np.int8)}, "must be uint8"),
        ({BYTES: np.zeros((1, 1), np.uint8)}, "must be uint8"),
    ],
)
def test_tensors_that_make_no_vocabulary_are_refused(
    tensors: dict[str, np.ndarray], message: str
) -> None:
    with pytest.raises(ModelFileError, match=message):
        Vocabulary.from_tensors(tensors)


@given(st.lists(st.lists(st.sampled_from(["on", "off", "unheard"]), max_size=4), max_size=5))
def test_ids_of_several_lists_are_those_of_each(token_lists: list[list[str]]) -> None:
    vocabulary = Vocabulary(["on", "off", "café"])

    ids, counts = vocabulary.ids_of_lists(token_lists)

    lists = [vocabulary.ids(tokens) for tokens in token_lists]
    assert ids.tolist() == [word_id for ids_of_one in lists for word_id in ids_of_one]
    assert counts.tolist() == [len(ids_of_one) for ids_of_one in lists]


@given(st.lists(LONG_WORDS, max_size=30), st.lists(LONG_WORDS, max_size=30))
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
