import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.vocabulary import BYTES, OFFSETS, Vocabulary

WORDS = st.lists(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8), unique=True
)


@given(WORDS)
def test_words_survive_the_way_through_tensors(words: list[str]) -> None:
    tensors = Vocabulary(words).to_tensors()

    assert Vocabulary.from_tensors(tensors).words == words
    assert tensors[BYTES].dtype == np.uint8
    assert tensors[OFFSETS].dtype == np.uint32
    assert tensors[OFFSETS].shape == (len(words) + 1,)


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


def test_a_lone_surrogate_has_no_place_in_a_model_file() -> None:
    with pytest.raises(ModelFileError, match="not valid Unicode"):
        Vocabulary(["\ud800"]).to_tensors()


def _tensors(data: bytes, offsets: list[int]) -> dict[str, np.ndarray]:
    return {BYTES: np.frombuffer(data, np.uint8), OFFSETS: np.array(offsets, np.uint32)}


@pytest.mark.parametrize(
    ("tensors", "message"),
    [
        ({}, "is missing"),
        (_tensors(b"abc", [0, 2, 1, 3]), "must rise"),
        (_tensors(b"abc", [1, 3]), "must rise"),
        (_tensors(b"abc", [0, 2]), "must rise"),
        (_tensors(b"abc", [0, 9]), "must rise"),
        (_tensors(b"abc", []), "words \\+ 1"),
        (_tensors(b"\xff", [0, 1]), "not UTF-8"),
        (_tensors("é".encode(), [0, 1, 2]), "not UTF-8"),
        (_tensors(b"aa", [0, 1, 2]), "twice"),
        (_tensors(b"a", [0, 1, 1]), "empty"),
        ({**_tensors(b"a", [0, 1]), BYTES: np.zeros(1, np.int8)}, "must be uint8"),
        ({**_tensors(b"a", [0, 1]), OFFSETS: np.zeros(2, np.int64)}, "must be uint32"),
    ],
)
def test_tensors_that_make_no_vocabulary_are_refused(
    tensors: dict[str, np.ndarray], message: str
) -> None:
    with pytest.raises(ModelFileError, match=message):
        Vocabulary.from_tensors(tensors)
