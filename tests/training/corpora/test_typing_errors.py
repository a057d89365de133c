import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketintent.training.corpora.typing_errors import NEIGHBOURS, add_typing_errors

SEEDS = st.integers(0, 2**32)


def errors_of(text: str, count: int = 1, draws: int = 300) -> set[str]:
    rng = np.random.default_rng(0)
    return {add_typing_errors(text, count, rng) for _ in range(draws)}


@given(st.text(), st.integers(0, 5), SEEDS)
def test_one_seed_gives_one_text(text: str, count: int, seed: int) -> None:
    first, second = (add_typing_errors(text, count, np.random.default_rng(seed)) for _ in range(2))
    assert first == second


@given(st.text(), SEEDS)
def test_one_error_changes_any_text_with_a_letter(text: str, seed: int) -> None:
    changed = add_typing_errors(text, 1, np.random.default_rng(seed))
    assert (changed != text) == any(char.isalpha() for char in text)
    assert abs(len(changed) - len(text)) <= 1


@given(st.text(alphabet="ab c1.Zé日"), st.integers(0, 8), SEEDS)
def test_spaces_digits_and_punctuation_stay(text: str, count: int, seed: int) -> None:
    changed = add_typing_errors(text, count, np.random.default_rng(seed))
    assert [char for char in changed if not char.isalpha()] == [
        char for char in text if not char.isalpha()
    ]
    assert len(changed.split()) == len(text.split())


def test_every_kind_of_error_is_made_and_no_other() -> None:
    wanted = {"ba", "a", "b", "aab", "abb"}  # swapped, dropped, doubled
    for key in NEIGHBOURS["a"]:
        wanted |= {f"{key}b", f"a{key}b"}
    for key in NEIGHBOURS["b"]:
        wanted |= {f"a{key}", f"ab{key}"}
    assert errors_of("ab") == wanted


def test_keys_are_neighbours_of_each_other() -> None:
    assert set(NEIGHBOURS["g"]) == set("tyfhvb")
    assert set(NEIGHBOURS["a"]) == set("qwsz")
    for key, others in NEIGHBOURS.items():
        assert all(key in NEIGHBOURS[other] for other in others)


def test_case_is_kept_and_a_word_of_one_letter_stays_a_word() -> None:
    assert errors_of("A") == {"AA"} | {k.upper() for k in "qwsz"} | {
        f"A{k.upper()}" for k in "qwsz"
    }
    assert errors_of("日") == {"日日"}


@pytest.mark.parametrize("text", ["", " ", "12:30", "\0", "🙂"])
def test_a_text_without_letters_stays(text: str) -> None:
    assert errors_of(text, count=3, draws=5) == {text}


def test_more_errors_are_more_changes() -> None:
    rng = np.random.default_rng(1)
    text = "turn on the lights in the kitchen"
    kept = [
        np.mean(
            [
                sum(word in text.split() for word in add_typing_errors(text, n, rng).split())
                for _ in range(200)
            ]
        )
        for n in (0, 1, 2, 3)
    ]
    assert kept == sorted(kept, reverse=True)
