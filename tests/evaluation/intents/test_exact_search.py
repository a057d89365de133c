import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketintent.evaluation.intents.exact_search import DECISIONS, score_intents


def unit(vectors: np.ndarray) -> np.ndarray:
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def plain_scores(query: np.ndarray, groups: list[np.ndarray], decision: str) -> list[float]:
    scores = []
    for group in groups:
        score = max(float(query @ template) for template in group)
        if decision == "nearest+centroid":
            mean = group.mean(axis=0)
            score = (score + float(query @ mean) / float(np.linalg.norm(mean))) / 2
        scores.append(score)
    return scores


@given(st.integers(0, 10_000), st.integers(1, 5), st.sampled_from(DECISIONS))
def test_scores_equal_a_plain_loop(seed: int, num_intents: int, decision: str) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 5, num_intents)
    templates = unit(rng.standard_normal((int(sizes.sum()), 6)))
    queries = unit(rng.standard_normal((7, 6)))
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.intp)
    labels, scores = score_intents(queries, templates, starts, [decision])[decision]
    groups = np.split(templates, starts[1:])
    for query, label, score in zip(queries, labels, scores, strict=True):
        expected = plain_scores(query, groups, decision)
        assert score == pytest.approx(max(expected), abs=1e-5)
        assert expected[label] == pytest.approx(max(expected), abs=1e-5)


def test_blocks_of_queries_do_not_change_the_labels(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    queries, templates = unit(rng.standard_normal((25, 8))), unit(rng.standard_normal((12, 8)))
    starts = np.array([0, 5, 9], np.intp)
    whole = score_intents(queries, templates, starts)
    monkeypatch.setattr("pocketintent.evaluation.intents.exact_search._BLOCK", 7)
    for decision, (labels, _) in score_intents(queries, templates, starts).items():
        np.testing.assert_array_equal(labels, whole[decision][0])


def test_opposite_templates_give_a_centroid_of_zeros() -> None:
    templates = np.array([[1, 0], [-1, 0], [0, 1]], np.float32)
    queries = np.array([[0.6, 0.8]], np.float32)
    labels, scores = score_intents(queries, templates, np.array([0, 2], np.intp))[
        "nearest+centroid"
    ]
    assert labels.tolist() == [1]
    assert scores[0] == pytest.approx(0.8)
