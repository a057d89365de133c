import numpy as np
import pytest

from pocketintent.runtime.errors import PocketIntentError
from pocketintent_lab.training.convrr.data import GroupBatches, GroupedTexts, group_texts


def texts_of(groups: list[int], **options: object) -> GroupedTexts:
    rng = np.random.default_rng(0)
    words = [
        rng.normal(size=(number % 3 + 1, 4)).astype(np.float32) for number in range(len(groups))
    ]
    return group_texts(words, groups, **options)  # type: ignore[arg-type]


def test_the_base_of_a_text_is_the_direction_of_its_mean() -> None:
    words = np.array([[3, 0], [0, 4]], np.float32)
    texts = group_texts([words, words[:0]], [0, 1])
    np.testing.assert_allclose(texts.bases, [[0.6, 0.8], [0, 0]], atol=1e-6)
    assert texts.counts.tolist() == [2, 1]
    assert texts.mean_length() == pytest.approx(3.5)


def test_a_selection_has_the_words_of_its_texts() -> None:
    texts = texts_of([0, 0, 1, 1])
    part = texts.take(np.array([2, 0]))
    np.testing.assert_array_equal(part.words, texts.words[[3, 4, 5, 0]])
    assert part.groups.tolist() == [1, 0]


def test_an_epoch_has_each_text_once_in_batches_of_whole_groups() -> None:
    groups = [number // 3 for number in range(30)]
    batches = GroupBatches(texts_of(groups), batch_size=7, seed=1)
    epochs = []
    for epoch in (0, 1, 0):
        drawn = [batches.batch(number).groups for number in range(batches.start_epoch(epoch))]
        assert sorted(np.concatenate(drawn).tolist()) == groups
        assert all(len(set(batch.tolist())) >= 2 for batch in drawn)
        epochs.append([batch.tolist() for batch in drawn])
    assert epochs[2] == epochs[0]
    assert epochs[1] != epochs[0]


def test_a_batch_never_has_a_single_group() -> None:
    batches = GroupBatches(texts_of([0, 0, 1, 1, 2]), batch_size=2, seed=0)
    assert batches.start_epoch(0) == 1


@pytest.mark.parametrize(
    ("groups", "options", "message"),
    [
        ([0, 0], {}, "at least two groups"),
        ([0, 1, 2], {}, "a group of at least two texts"),
        ([0, 0, 1], {"is_answer": [False, False, True]}, "a group of at least two texts"),
    ],
)
def test_texts_without_triplets_are_refused(
    groups: list[int], options: dict[str, object], message: str
) -> None:
    with pytest.raises(PocketIntentError, match=message):
        GroupBatches(texts_of(groups, **options), batch_size=8, seed=0)


def test_a_question_and_its_document_are_a_pair() -> None:
    texts = texts_of([0, 0, 1], is_query=[True, False, False], is_answer=[False, True, True])
    assert GroupBatches(texts, batch_size=8, seed=0).start_epoch(0) == 1
