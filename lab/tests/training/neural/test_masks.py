import numpy as np
import pytest

from pocketintent.runtime.errors import PocketIntentError
from pocketintent_lab.training.neural.masks import mask_piece, split_steps, split_text
from pocketintent_lab.training.neural.settings import BLUEPRINTS, Blueprint, NeuralSettings

PIECE = np.array([1, 11, 12, 13, 14, 15, 2])


@pytest.mark.parametrize("blueprint", BLUEPRINTS)
def test_every_shift_of_a_blueprint_is_used_and_masks_every_token_equally(
    blueprint: Blueprint,
) -> None:
    copies = mask_piece(PIECE, 1, 6, 99, [blueprint])
    assert len({tuple(copy.places) for copy in copies}) == sum(blueprint)
    masked = np.bincount(np.concatenate([copy.places for copy in copies]), minlength=7)
    assert masked.tolist() == [0, *[blueprint.masked] * 5, 0]
    for copy in copies:
        assert (copy.ids[copy.places] == 99).all()
        np.testing.assert_array_equal(copy.labels, PIECE[copy.places])
        np.testing.assert_array_equal(
            np.delete(copy.ids, copy.places), np.delete(PIECE, copy.places)
        )


def test_a_mask_follows_the_shown_tokens() -> None:
    copies = mask_piece(PIECE, 1, 6, 99, [Blueprint(1, 3)])
    assert [copy.places.tolist() for copy in copies] == [
        *([2, 3, 4], [1, 2, 3, 5], [1, 2, 4, 5], [1, 3, 4, 5])
    ]


def test_the_blueprints_of_the_paper_make_one_step_of_a_text() -> None:
    copies = mask_piece(PIECE, 1, 6, 99, BLUEPRINTS)
    assert len(split_steps(copies, NeuralSettings().tuning.tuning_copies)) == 1
    assert [len(step) for step in split_steps(copies, 5)] == [5, 5, 2]


def test_a_copy_without_a_mask_is_left_out() -> None:
    copies = mask_piece(PIECE[:3], 1, 2, 99, [Blueprint(2, 1)])
    assert [copy.places.tolist() for copy in copies] == [[1]]


def test_a_long_text_is_split_by_sentences() -> None:
    def to_ids(text: str) -> list[int]:
        return [len(word) for word in text.split()]

    assert split_text("a bb. ccc", to_ids, 3) == [[1, 3, 3]]
    assert split_text("a bb. ccc dd! e f g h i", to_ids, 4) == [[1, 3, 3, 3], [1, 1, 1, 1], [1]]
    assert split_text("a. b. c d e? f", to_ids, 3) == [[2, 2], [1, 1, 2], [1]]
    assert split_text(" ", to_ids, 3) == []


@pytest.mark.parametrize("text", ["2", "2,1,1", "a,b", "0,1", "1,-1", "1;2", ""])
def test_a_bad_blueprint_is_rejected(text: str) -> None:
    with pytest.raises(PocketIntentError, match="is not a blueprint"):
        Blueprint.parse(text)


def test_a_blueprint_is_read() -> None:
    assert Blueprint.parse("2,1") == BLUEPRINTS[0]
