import json
from pathlib import Path

import pytest

from pocketintent import IntentRecognizer
from pocketintent.bot.answers import ask, count_answers
from pocketintent.bot.limits import Limits
from pocketintent.bot.report import evaluate_bot
from pocketintent.bot.utterances import Utterance, find_warnings
from pocketintent.cli.output import print_json
from pocketintent.evaluation.intents.datasets import draw_templates, load_intent_data


def test_the_report_has_the_figures_the_matrix_and_the_mistakes(
    recognizer: IntentRecognizer, utterances: list[Utterance]
) -> None:
    report, matrix = evaluate_bot(recognizer, utterances)
    figures = count_answers(ask(recognizer, utterances))
    assert {name: report[name] for name in figures} == figures
    assert (report["decision"], report["threshold"], report["margin"]) == (
        recognizer.decision,
        0.6,
        0.02,
    )
    assert report["confusion"] == matrix.to_dict()
    assert [row["intent"] for row in report["intents"]] == ["lights_on", "lights_off", "music"]
    assert "lights off" in {mistake["text"] for mistake in report["confusions"]}
    assert "zzz" in {mistake["text"] for mistake in report["refusals"]}
    right = sum(answer.is_right for answer in ask(recognizer, utterances))
    assert len(report["confusions"]) + len(report["refusals"]) == len(utterances) - right


def test_the_choice_is_measured_and_the_recognizer_left_as_it_is(
    recognizer: IntentRecognizer, utterances: list[Utterance]
) -> None:
    recognizer.threshold = 0.99
    report, _ = evaluate_bot(recognizer, utterances)
    assert (recognizer.threshold, recognizer.margin) == (0.99, 0.02)
    choice = report["choice"]
    assert choice["before"]["answered_rightly"] == report["answered_rightly"]
    assert choice["after"]["answered_rightly"] > report["answered_rightly"]
    recognizer.threshold, recognizer.margin = choice["threshold"], choice["margin"]
    assert count_answers(ask(recognizer, utterances)) == choice["after"]


def test_utterances_that_are_counter_examples_do_not_raise_the_threshold(
    recognizer: IntentRecognizer,
) -> None:
    exceptions = ["lamp on later", "turn on the lights later", "lamp on again", "lights on again"]
    recognizer.add_intent("lights_on", [], counter_examples=exceptions)
    inside = [Utterance("turn on the lights please", "lights_on")]
    report, _ = evaluate_bot(recognizer, inside + [Utterance(text, None) for text in exceptions])
    assert report["accuracy"] == report["answered_rightly"] == 1.0
    choice = report["choice"]
    assert choice["after"] == choice["before"]
    assert (choice["threshold"], choice["margin"]) == (recognizer.threshold, recognizer.margin)


def test_a_choice_that_measures_worse_is_not_proposed(
    recognizer: IntentRecognizer,
    utterances: list[Utterance],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    worse = Limits(1.0, 2.0)
    monkeypatch.setattr("pocketintent.bot.report.choose_limits", lambda *_: worse)
    recognizer.threshold = 0.3
    choice = evaluate_bot(recognizer, utterances)[0]["choice"]
    assert (choice["threshold"], choice["margin"]) == (0.3, 0.02)
    assert choice["after"] == choice["before"]


def test_the_number_of_mistakes_is_limited_for_each_kind(
    recognizer: IntentRecognizer, utterances: list[Utterance]
) -> None:
    everything, _ = evaluate_bot(recognizer, utterances)
    report, _ = evaluate_bot(recognizer, utterances, worst=1)
    for kind in ("confusions", "refusals"):
        assert report[kind] == everything[kind][:1]
    assert evaluate_bot(recognizer, utterances, worst=0)[0]["confusions"] == []


def test_the_report_has_the_warnings(
    recognizer: IntentRecognizer, utterances: list[Utterance]
) -> None:
    warnings = evaluate_bot(recognizer, utterances)[0]["warnings"]
    assert warnings == find_warnings(utterances, recognizer.templates) != []


def test_an_empty_set_refuses_everything(recognizer: IntentRecognizer) -> None:
    for name in recognizer.intents:
        recognizer.remove_intent(name)
    report, matrix = evaluate_bot(recognizer, [Utterance("lamp on", None)])
    assert report["out_of_scope_accepted"] == 0.0
    assert matrix.counts.tolist() == [[1]]


def test_the_report_is_json(
    recognizer: IntentRecognizer,
    utterances: list[Utterance],
    capsys: pytest.CaptureFixture[str],
) -> None:
    report, _ = evaluate_bot(recognizer, utterances)
    print_json(report)
    assert json.loads(capsys.readouterr().out) == report


def test_a_bot_of_real_templates_is_mostly_right_and_its_choice_no_worse(data_dir: Path) -> None:
    folder = data_dir / "intents" / "snips"
    if not folder.is_dir():
        pytest.skip(f"no data set at {folder}")
    data = load_intent_data(folder, "valid")
    draw = draw_templates(data.train_labels, 10, 0)
    templates: dict[str, list[str]] = {}
    for place, label in zip(draw.indices.tolist(), draw.labels.tolist(), strict=True):
        templates.setdefault(data.intents[label], []).append(data.train_texts[place])
    outside = ["what is the capital of peru", "how tall are you", "unlock the garage"] * 5
    utterances = [
        Utterance(text, data.intents[label])
        for text, label in zip(data.query_texts, data.query_labels.tolist(), strict=True)
    ]
    utterances += [Utterance(text, None) for text in outside]
    recognizer = IntentRecognizer.load(templates, "fast", decision="nearest+centroid")
    recognizer.threshold = 0.3
    report, matrix = evaluate_bot(recognizer, utterances)
    assert report["accuracy"] > 0.6
    assert report["accuracy"] + report["wrong"] + report["refused"] == pytest.approx(1.0)
    assert matrix.counts.sum() == len(utterances)
    assert report["choice"]["after"]["answered_rightly"] >= report["answered_rightly"]
    assert report["warnings"] == []
