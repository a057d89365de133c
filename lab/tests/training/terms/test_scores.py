import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketintent_lab.training.terms.scores import c_values, npmi, specificity


@given(st.integers(1, 50), st.integers(0, 400), st.integers(0, 400), st.integers(1, 10_000))
def test_npmi_of_two_words_equals_gensims(both: int, more_a: int, more_b: int, rest: int) -> None:
    phrases = pytest.importorskip("gensim.models.phrases")
    a, b = both + more_a, both + more_b
    total = a + b + rest
    expected = phrases.npmi_scorer(a, b, both, len_vocab=0, min_count=1, corpus_word_count=total)
    assert npmi(both, [a, b], total) == pytest.approx(expected)


def test_npmi_is_1_for_inseparable_words_and_0_by_chance() -> None:
    assert npmi(10, [10, 10, 10], 1000) == pytest.approx(1.0)
    assert npmi(10, [100, 100], 1000) == pytest.approx(0.0)
    assert npmi(1, [100, 100, 100], 1000) == pytest.approx(0.0)
    assert npmi(5, [5, 5], 5) == 1.0


def test_rare_words_are_specific() -> None:
    assert specificity(1, 1000) == pytest.approx(1.0)
    assert specificity(1000, 1000) == 0.0
    assert specificity(10, 1000) > specificity(100, 1000)
    assert specificity(1, 1) == 1.0


def test_c_values_follow_the_formula() -> None:
    counts = {"soft contact lens": 5, "contact lens": 9, "hard contact lens": 3, "lens": 20}
    values = c_values(counts)
    assert list(values) == list(counts)
    assert values["soft contact lens"] == pytest.approx(2.0 * 5)
    assert values["contact lens"] == pytest.approx(math.log2(3) * (9 - (5 + 3) / 2))
    assert values["lens"] == pytest.approx(1.0 * (20 - (5 + 9 + 3) / 3))


def test_a_phrase_that_only_occurs_in_a_longer_one_gets_0() -> None:
    assert c_values({"a b c": 4, "a b": 4})["a b"] == 0.0


def test_a_phrase_that_contains_a_part_twice_counts_once() -> None:
    assert c_values({"a b a": 2, "a": 6})["a"] == pytest.approx(4.0)
