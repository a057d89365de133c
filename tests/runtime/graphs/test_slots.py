import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.graphs.inputs import GraphInputs, Slots
from pocketintent.runtime.quantization.matrices import DenseMatrix
from pocketintent.runtime.text.ngrams import NgramSettings, ngram_buckets
from pocketintent.runtime.text.tokenizer import SIMPLE_SPEC
from pocketintent.runtime.text.vocabulary import Vocabulary

WORDS = ["turn", "on", "off", "light", "café", "don't"]
NGRAMS = NgramSettings(2, 3, 11, 0.5)
HOSTILE = ["", " \n\t", "\0", "\ud800", "\u202e", "\N{GRINNING FACE}", "!?", "e\u0301" * 999]


def _encoder(with_ngrams: bool) -> StaticEncoder:
    rng = np.random.default_rng(2)
    words, buckets = (
        DenseMatrix(rng.normal(size=(num, 8)).astype(np.float32)) for num in (len(WORDS), 11)
    )
    if not with_ngrams:
        return StaticEncoder(Vocabulary(WORDS), words)
    return StaticEncoder(Vocabulary(WORDS), words, ngrams=buckets, ngram_settings=NGRAMS)


ENCODERS = {with_ngrams: _encoder(with_ngrams) for with_ngrams in (True, False)}


def _slots(
    text: str,
    *limits: int | None,
    words: list[str] = WORDS,
    ngrams: NgramSettings | None = NGRAMS,
) -> Slots:
    slots = GraphInputs(SIMPLE_SPEC, Vocabulary(words), ngrams, *limits)(text).slots
    assert slots is not None
    return slots


def _ngrams(with_ngrams: bool) -> NgramSettings | None:
    return NGRAMS if with_ngrams else None


def _vector_of_slots(encoder: StaticEncoder, ids: np.ndarray, weights: np.ndarray) -> np.ndarray:
    rows = encoder.words.decode()
    if encoder.ngrams is not None:
        rows = np.concatenate([rows, encoder.ngrams.decode()])
    total = weights @ rows[ids]
    return total / (np.linalg.norm(total) or 1.0)


@pytest.mark.parametrize("with_ngrams", [True, False])
@given(
    text=st.one_of(
        st.text(max_size=40),
        st.lists(st.sampled_from([*WORDS, "CAFÉ", "unheard", "x", "?"]), max_size=9).map(" ".join),
    )
)
def test_the_weighted_sum_of_the_slots_is_the_vector_of_the_encoder(
    with_ngrams: bool, text: str
) -> None:
    encoder = ENCODERS[with_ngrams]

    ids, weights, _ = _slots(text, ngrams=_ngrams(with_ngrams))

    assert (ids.dtype, weights.dtype) == (np.int32, np.float32)
    assert ids.shape == weights.shape
    expected = encoder.encode(text)
    np.testing.assert_allclose(_vector_of_slots(encoder, ids, weights), expected, atol=1e-5)


def test_slots_are_in_the_order_of_the_tokens() -> None:
    buckets = ngram_buckets("dim", 2, 3, 11)

    ids, weights, _ = _slots("Turn dim light")

    assert ids.tolist() == [0, *(len(WORDS) + bucket for bucket in buckets), 3]
    np.testing.assert_allclose(weights, [1, *[0.5 / len(buckets)] * len(buckets), 1])


def test_without_ngrams_an_unknown_word_takes_no_slot() -> None:
    ids, weights, _ = _slots("turn the big light", ngrams=None)

    assert ids.tolist() == [0, 3]
    assert weights.tolist() == [1, 1]


@pytest.mark.parametrize("max_length", [1, 2, 5, 7, 8, 99])
def test_slots_beyond_the_maximum_are_cut_off_even_within_a_word(max_length: int) -> None:
    text = "turn unheard light on off"
    ids, weights, _ = _slots(text)

    cut_ids, cut_weights, _ = _slots(text, max_length)

    np.testing.assert_array_equal(cut_ids, ids[:max_length])
    np.testing.assert_array_equal(cut_weights, weights[:max_length])


@pytest.mark.parametrize("with_ngrams", [True, False])
@pytest.mark.parametrize("text", [*HOSTILE, "x" * 10**6, "on " * 10**5])
def test_hostile_text_has_slots_within_range(with_ngrams: bool, text: str) -> None:
    ids, weights, _ = _slots(text, ngrams=_ngrams(with_ngrams))

    rows = len(WORDS) + (11 if with_ngrams else 0)
    assert ((ids >= 0) & (ids < rows)).all()
    assert ((weights > 0) & (weights <= 1)).all()
    assert len(_slots(text, 128, ngrams=_ngrams(with_ngrams))[0]) == min(len(ids), 128)


def test_an_empty_vocabulary_leaves_the_ngrams() -> None:
    assert _slots("on", words=[])[0].tolist() == ngram_buckets("on", 2, 3, 11)
    assert _slots("on", words=[], ngrams=None)[0].tolist() == []


def test_an_unknown_tokenizer_is_refused() -> None:
    with pytest.raises(ModelFileError, match="unknown tokenizer"):
        GraphInputs({"name": "runes"}, Vocabulary(WORDS))


def test_the_tokens_with_slots_are_numbered() -> None:
    size = len(ngram_buckets("dim", 2, 3, 11))
    slots = _slots("turn dim light", None, 9)
    assert slots.token_numbers is not None
    assert slots.token_numbers.dtype == np.int32
    assert slots.token_numbers.tolist() == [0, *[1] * size, 2]
    assert list(slots.arrays()) == ["ids", "weights", "token_numbers"]
    known = _slots("turn dim light", None, 9, ngrams=None)
    assert known.token_numbers is not None
    assert known.token_numbers.tolist() == [0, 1]


@pytest.mark.parametrize("max_length", [None, 1, 2, 5, 99])
@pytest.mark.parametrize("max_tokens", [1, 2, 3, 99])
def test_tokens_beyond_the_maximum_take_no_slot(max_length: int | None, max_tokens: int) -> None:
    text = "turn unheard light on off"
    ids, weights, numbers = _slots(text, None, 99)
    assert numbers is not None

    cut = _slots(text, max_length, max_tokens)

    end = min(int((numbers < max_tokens).sum()), max_length or 10**6)
    np.testing.assert_array_equal(cut.ids, ids[:end])
    np.testing.assert_array_equal(cut.weights, weights[:end])
    np.testing.assert_array_equal(cut.token_numbers, numbers[:end])


def test_without_a_maximum_the_tokens_are_not_numbered() -> None:
    slots = _slots("turn dim light")
    assert slots.token_numbers is None
    assert list(slots.arrays()) == ["ids", "weights"]
