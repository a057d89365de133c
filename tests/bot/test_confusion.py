import numpy as np

from bot_answers import make_answer
from pocketintent.bot.confusion import ConfusionMatrix

ANSWERS = [
    make_answer("a", "a"),
    make_answer("a", "b"),
    make_answer("c", "b"),
    make_answer("d", "d", reason="below_threshold"),
    make_answer(None, "c"),
    make_answer(None, "a", reason="ambiguous"),
]
MATRIX = ConfusionMatrix.count(ANSWERS, ["a", "b", "c", "d"])


def test_rows_are_expected_and_columns_given() -> None:
    assert MATRIX.to_dict() == {
        "intents": ["a", "b", "c", "d", None],
        "counts": [
            [1, 1, 0, 0, 0],
            [0, 0, 0, 0, 0],
            [0, 1, 0, 0, 0],
            [0, 0, 0, 0, 1],
            [0, 0, 1, 0, 1],
        ],
    }


def test_refusals_are_no_confusions() -> None:
    assert MATRIX.confused.tolist() == [1, 2, 2, 0]


def test_a_small_matrix_is_shown_whole() -> None:
    assert MATRIX.focus(4) is MATRIX


def test_a_large_matrix_keeps_the_confused_intents_in_their_order() -> None:
    three, two = MATRIX.focus(3), MATRIX.focus(2)
    assert three.intents == ["a", "b", "c"]
    assert two.intents == ["b", "c"]
    assert two.counts.tolist() == [[0, 0, 0], [1, 0, 0], [0, 1, 1]]


def test_a_large_matrix_without_confusions_has_no_intent() -> None:
    names = [f"intent {number}" for number in range(5)]
    matrix = ConfusionMatrix.count([make_answer(name, name) for name in names], names).focus(3)
    assert matrix.intents == []
    np.testing.assert_array_equal(matrix.counts, [[0]])
