from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketintent.evaluation.intents.datasets import draw_templates, load_intent_data
from pocketintent.evaluation.intents.few_shot import (
    DECISIONS,
    EncoderSystem,
    evaluate_intents,
    score_intents,
)
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.recognizer import IntentRecognizer


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
def test_scores_are_those_of_the_plain_loop(seed: int, num_intents: int, decision: str) -> None:
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
    monkeypatch.setattr("pocketintent.evaluation.intents.few_shot._BLOCK", 7)
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


def test_report_has_a_row_for_each_number_of_shots_and_decision(
    tiny_encoder: StaticEncoder, intent_dir: Path
) -> None:
    report = evaluate_intents(tiny_encoder, intent_dir, shots=[1, 3], runs=4)
    head = {key: report[key] for key in ("dataset", "split", "runs", "num_intents", "num_queries")}
    assert head == {
        "dataset": "tiny", "split": "test", "runs": 4, "num_intents": 5, "num_queries": 7,
    }  # fmt: skip
    rows = [(row["shots"], row["decision"]) for row in report["results"]]
    assert rows == [(shots, decision) for shots in (1, 3) for decision in DECISIONS]
    for row in report["results"]:
        # Of seven queries one has an unseen intent and one no known word.
        assert 0 < row["accuracy"]["mean"] <= 5 / 7
        assert row["accuracy"].keys() == row["macro_f1"].keys() == {"mean", "std"}
    assert report == evaluate_intents(tiny_encoder, intent_dir, shots=[1, 3], runs=4)


def test_table_search_gives_what_the_recogniser_says(
    tiny_encoder: StaticEncoder, intent_dir: Path
) -> None:
    data = load_intent_data(intent_dir)
    draw = draw_templates(data.train_labels, 3, run=0)
    found = EncoderSystem(tiny_encoder, search="table").prepare(data)(draw)
    templates: dict[str, list[str]] = {}
    for index, label in zip(draw.indices, draw.labels, strict=True):
        templates.setdefault(data.intents[label], []).append(data.train_texts[index])
    for decision in ("nearest", "nearest+centroid"):
        recognizer = IntentRecognizer(tiny_encoder, templates, decision=decision)
        for text, label in zip(data.query_texts, found[decision].labels, strict=True):
            best = recognizer.rank(text, limit=1)
            assert data.intents[label] == (best[0].intent if best else data.intents[0])


def test_table_search_reports_how_often_it_differs(
    tiny_encoder: StaticEncoder, intent_dir: Path
) -> None:
    report = evaluate_intents(tiny_encoder, intent_dir, shots=3, runs=2, search="table")
    exact = evaluate_intents(tiny_encoder, intent_dir, shots=3, runs=2)
    for row, reference in zip(report["results"], exact["results"], strict=True):
        assert row["exact_accuracy"] == reference["accuracy"]
        assert 0 <= row["differing"]["mean"] <= 1
        assert "differing" not in reference


def test_unknown_choices_are_refused(tiny_encoder: StaticEncoder, intent_dir: Path) -> None:
    with pytest.raises(PocketIntentError, match="unknown decision"):
        evaluate_intents(tiny_encoder, intent_dir, shots=1, decisions=["closest"])
    with pytest.raises(PocketIntentError, match="unknown search"):
        evaluate_intents(tiny_encoder, intent_dir, shots=1, search="guess")
    with pytest.raises(PocketIntentError, match="runs must be at least 1"):
        evaluate_intents(tiny_encoder, intent_dir, shots=1, runs=0)


def test_unbalanced_real_set_is_measured(tiny_encoder: StaticEncoder, data_dir: Path) -> None:
    report = evaluate_intents(tiny_encoder, data_dir / "intents/atis", shots=5, runs=1)
    assert 0 < report["results"][0]["accuracy"]["mean"] < 1
