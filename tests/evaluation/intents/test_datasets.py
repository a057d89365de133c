from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketintent.evaluation.intents.datasets import draw_templates, load_intent_data
from pocketintent.runtime.errors import PocketIntentError

LABELS = st.lists(st.integers(0, 5), min_size=1, max_size=80).map(
    lambda labels: np.unique(np.array(labels), return_inverse=True)[1].astype(np.intp)
)


def test_intents_that_only_the_queries_have_come_last(intent_dir: Path) -> None:
    data = load_intent_data(intent_dir)
    assert data.intents == ["food", "greet", "lights_off", "lights_on", "music", "unseen"]
    assert data.num_trained == 5
    assert data.train_labels.max() == 4
    assert data.query_labels.max() == 5
    assert (data.name, data.split) == ("tiny", "test")


def test_the_key_differs_between_splits(intent_dir: Path) -> None:
    test, valid = (load_intent_data(intent_dir, split) for split in ("test", "valid"))
    assert test.key != valid.key
    assert test.key == load_intent_data(intent_dir).key


def test_an_unknown_split_and_a_missing_folder_are_rejected(intent_dir: Path) -> None:
    with pytest.raises(PocketIntentError, match="unknown split 'train'"):
        load_intent_data(intent_dir, "train")
    with pytest.raises(PocketIntentError, match="no such folder"):
        load_intent_data(intent_dir / "absent")


@given(LABELS, st.integers(1, 12), st.integers(0, 3), st.integers(0, 3))
def test_a_draw_has_the_shots_of_each_intent_or_all_its_utterances(
    labels: np.ndarray, shots: int, run: int, seed: int
) -> None:
    draw = draw_templates(labels, shots, run, seed)
    assert len(set(draw.indices.tolist())) == len(draw.indices)
    np.testing.assert_array_equal(labels[draw.indices], draw.labels)
    available = np.bincount(labels)
    np.testing.assert_array_equal(np.bincount(draw.labels), np.minimum(available, shots))
    for label, start in enumerate(draw.starts):
        assert draw.labels[start] == label
        assert start == 0 or draw.labels[start - 1] == label - 1


@given(LABELS, st.integers(1, 6))
def test_draws_of_a_run_are_nested_and_repeatable(labels: np.ndarray, shots: int) -> None:
    few, many = draw_templates(labels, shots, run=1), draw_templates(labels, shots + 3, run=1)
    assert set(few.indices.tolist()) <= set(many.indices.tolist())
    np.testing.assert_array_equal(few.indices, draw_templates(labels, shots, run=1).indices)


def test_draws_differ_between_runs_and_seeds() -> None:
    labels = np.repeat(np.arange(3), 50)
    first = draw_templates(labels, 5, run=0)
    for other in (draw_templates(labels, 5, run=1), draw_templates(labels, 5, run=0, seed=1)):
        assert set(first.indices.tolist()) != set(other.indices.tolist())
        assert first.seed != other.seed


def test_zero_shots_are_rejected() -> None:
    with pytest.raises(PocketIntentError, match="shots must be at least 1"):
        draw_templates(np.zeros(3, np.intp), 0, run=0)


def test_the_real_sets_are_read(data_dir: Path) -> None:
    atis = load_intent_data(data_dir / "intents/atis")
    draw = draw_templates(atis.train_labels, 5, run=0)
    assert len(draw.starts) == atis.num_trained
    assert len(load_intent_data(data_dir / "intents/clinc150", "valid").query_texts) == 3000
