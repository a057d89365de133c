import re

import numpy as np
import pytest

from bot_answers import make_answer
from pocketintent import IntentRecognizer
from pocketintent.bot.confusion import ConfusionMatrix
from pocketintent.bot.report import evaluate_bot
from pocketintent.bot.utterances import Utterance
from pocketintent.bot.words import describe, draw_matrix, label_name, percent


def test_a_matrix_is_drawn_with_numbered_columns_and_dots_for_zeros() -> None:
    answers = [make_answer("on", "on")] * 12 + [make_answer("on", "off"), make_answer(None, "off")]
    matrix = ConfusionMatrix.count(answers, ["on", "off"])
    assert list(draw_matrix(matrix)) == [
        "                    1 2 (refused)",
        "    1 on           12 1         .",
        "    2 off           . .         .",
        "      (no intent)   . 1         .",
    ]


def test_the_text_names_the_mistakes_their_templates_and_the_choice(
    recognizer: IntentRecognizer, utterances: list[Utterance]
) -> None:
    recognizer.threshold = 0.99
    report, matrix = evaluate_bot(recognizer, [*utterances, Utterance("lights off", "lights_off")])
    recognizer.threshold = -1.0
    text = describe(*evaluate_bot(recognizer, utterances))
    assert "6 utterances with an intent:" in text
    assert "2 utterances without an intent:" in text
    assert "  'lights off'\n    got       lights_off  " in text
    assert "    expected  lights_on  " in text
    assert "    expected  no intent" in text
    assert "  'zzz'  (unknown_words)" in text
    assert "warning: the choice of a threshold and a margin needs 20 utterances" in text
    refused = describe(report, matrix)
    assert "(below_threshold)\n    nearest   lights_on" in refused
    assert "  now                  threshold 0.99, margin 0.02: " in refused
    assert f"  chosen by this data  threshold {report['choice']['threshold']:g}, " in refused


def test_the_shares_of_a_choice_are_of_all_utterances_and_add_up(
    recognizer: IntentRecognizer, utterances: list[Utterance]
) -> None:
    recognizer.threshold = -1.0
    text = describe(*evaluate_bot(recognizer, utterances))
    lines = text[text.index("in shares of all 8 utterances") :].splitlines()
    for line in lines[1:3]:
        right, *parts = [float(part) for part in re.findall(r"([\d.]+) %", line)]
        assert len(parts) == 5
        assert parts[0] + parts[1] == pytest.approx(right, abs=0.11)
        assert sum(parts) == pytest.approx(100, abs=0.3)


def test_an_ambiguous_utterance_names_the_runner_up(recognizer: IntentRecognizer) -> None:
    recognizer.margin = 2.0
    text = describe(*evaluate_bot(recognizer, [Utterance("lamp on", "lights_on")]))
    assert "  'lamp on'  (ambiguous)\n    nearest   lights_on" in text
    assert "    next      lights_off" in text


def test_a_large_matrix_shows_the_confused_intents_and_tells_how_many(
    recognizer: IntentRecognizer,
) -> None:
    names = [f"intent {number:02}" for number in range(30)]
    counts = np.diag([2] * 31).astype(np.intp)
    counts[3, 7] = 1
    report, _ = evaluate_bot(recognizer, [Utterance("lamp on", "lights_on")])
    text = describe(report, ConfusionMatrix(names, counts))
    assert "the 2 of 30 intents with most wrong answers" in text
    assert "intent 03" in text and "intent 07" in text
    assert "intent 04" not in text


@pytest.mark.parametrize(
    ("name", "label"),
    [("on", "on"), ("a\x1b[31m\n", "a?[31m?"), ("x" * 28, "x" * 28), ("y" * 29, "y" * 27 + "…")],
)
def test_a_label_is_short_and_visible(name: str, label: str) -> None:
    assert label_name(name) == label


def test_a_share_of_nothing_is_a_dash() -> None:
    assert (percent(None), percent(0.125), percent(1.0)) == ("-", "12.5 %", "100.0 %")


def test_the_text_has_the_share_of_texts_on_the_bots_own_subject(
    recognizer: IntentRecognizer, utterances: list[Utterance]
) -> None:
    assert "subject" not in describe(*evaluate_bot(recognizer, utterances))
    marked = [Utterance("turn on the lights", None, "own"), Utterance("zzz", None, "own")]
    text = describe(*evaluate_bot(recognizer, [*utterances, *marked]))
    assert "  on its own subject    50.0 %  (of 2)\n  on other subjects" in text
