from pathlib import Path

import pytest

from pocketintent.evaluation.intents.datasets import draw_templates, load_intent_data
from pocketintent.evaluation.intents.few_shot import evaluate_intents
from pocketintent.evaluation.intents.systems import EncoderSystem
from pocketintent.recognizer import IntentRecognizer
from pocketintent.runtime.decision.registry import DECISIONS
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError


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
        # One of the seven queries has an unseen intent, and one has no known word.
        assert 0 < row["accuracy"]["mean"] <= 5 / 7
        assert row["accuracy"].keys() == row["macro_f1"].keys() == {"mean", "std"}
    assert report == evaluate_intents(tiny_encoder, intent_dir, shots=[1, 3], runs=4)


def test_table_search_predicts_the_intents_of_the_recogniser(
    tiny_encoder: StaticEncoder, intent_dir: Path
) -> None:
    data = load_intent_data(intent_dir)
    draw = draw_templates(data.train_labels, 3, run=0)
    predictions = EncoderSystem(tiny_encoder, search="table").prepare(data)(draw)
    templates: dict[str, list[str]] = {}
    for index, label in zip(draw.indices, draw.labels, strict=True):
        templates.setdefault(data.intents[label], []).append(data.train_texts[index])
    for decision in DECISIONS:
        recognizer = IntentRecognizer(tiny_encoder, templates, decision=decision)
        for text, label in zip(data.query_texts, predictions[decision].labels, strict=True):
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


def test_names_can_be_left_out(tiny_encoder: StaticEncoder, tmp_path: Path) -> None:
    """The query has the words of one intent's name and, less clearly, of another's template."""
    lines = {"open_the_door": "jazz", "order": "warm gate"}
    train = [f'{{"text": "{text}", "intent": "{intent}"}}' for intent, text in lines.items()]
    (tmp_path / "train.jsonl").write_text("\n".join(train))
    (tmp_path / "test.jsonl").write_text('{"text": "unlock door", "intent": "open_the_door"}')
    for learn_names, accuracy in ((True, 1.0), (False, 0.0)):
        report = evaluate_intents(
            tiny_encoder, tmp_path, shots=1, runs=1, learn_names=learn_names, decisions=["logistic"]
        )
        assert report["learn_names"] is learn_names
        assert report["results"][0]["accuracy"]["mean"] == accuracy


def test_unknown_choices_are_rejected(tiny_encoder: StaticEncoder, intent_dir: Path) -> None:
    with pytest.raises(PocketIntentError, match="unknown decision"):
        evaluate_intents(tiny_encoder, intent_dir, shots=1, decisions=["closest"])
    with pytest.raises(PocketIntentError, match="unknown search"):
        evaluate_intents(tiny_encoder, intent_dir, shots=1, search="guess")
    with pytest.raises(PocketIntentError, match="runs must be at least 1"):
        evaluate_intents(tiny_encoder, intent_dir, shots=1, runs=0)


def test_unbalanced_real_set_is_measured(tiny_encoder: StaticEncoder, data_dir: Path) -> None:
    report = evaluate_intents(tiny_encoder, data_dir / "intents/atis", shots=5, runs=1)
    assert 0 < report["results"][0]["accuracy"]["mean"] < 1
