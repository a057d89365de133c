"""Bots of six intents with six templates each, as a newcomer writes them, at the default threshold.

`tests/resources/small_bots` has four of them, with everyday phrasings that are in no template and
texts that are not for the bot.
"""

import csv
from pathlib import Path

import pytest

from pocketintent import IntentRecognizer

BOTS = Path(__file__).resolve().parents[3] / "resources" / "small_bots"


def _count(model: str) -> tuple[int, int, int]:
    """Rightly answered utterances, wrongly answered ones, and accepted foreign ones, of all."""
    right = wrong = accepted = 0
    for templates in sorted(BOTS.glob("*.json")):
        recognizer = IntentRecognizer.load(templates, model=model)
        with templates.with_suffix(".csv").open(encoding="utf-8", newline="") as lines:
            utterances = list(csv.DictReader(lines))
        matches = recognizer.match_batch([utterance["text"] for utterance in utterances])
        for utterance, match in zip(utterances, matches, strict=True):
            right += bool(match.intent) and match.intent == utterance["intent"]
            wrong += bool(match.intent and utterance["intent"]) and (
                match.intent != utterance["intent"]
            )
            accepted += bool(match.intent) and not utterance["intent"]
    return right, wrong, accepted


@pytest.mark.parametrize("model", ["default", "tiny"])
def test_newcomers_bots_answer_everyday_phrasings_without_a_threshold(model: str) -> None:
    """Of 94 phrasings and 40 foreign texts."""
    right, wrong, accepted = _count(model)
    assert right >= 68
    assert wrong <= 10
    assert accepted <= 4
