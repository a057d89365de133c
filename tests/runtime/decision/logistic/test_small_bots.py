"""Bots of six intents with six templates each, as a newcomer writes them, at the default threshold.

`tests/resources/small_bots` has seven of them, with everyday phrasings that are in no template and
texts that are not for the bot. The calibration was chosen with a look at the first four.
"""

import csv
from collections.abc import Sequence
from pathlib import Path

import pytest

from pocketintent import IntentRecognizer

FOLDER = Path(__file__).resolve().parents[3] / "resources" / "small_bots"
SEEN = ("dentist", "gym", "library", "restaurant")
UNSEEN = ("hotel", "parcel", "pizza")


def _count(bots: Sequence[str], model: str) -> tuple[int, int, int]:
    """Rightly answered utterances, wrongly answered ones, and accepted foreign ones, of all."""
    right = wrong = accepted = 0
    for bot in bots:
        templates = FOLDER / f"{bot}.json"
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
    right, wrong, accepted = _count(SEEN, model)
    assert right >= 68
    assert wrong <= 10
    assert accepted <= 4


@pytest.mark.parametrize("model", ["default", "tiny"])
def test_bots_that_nothing_was_chosen_by_are_answered_too(model: str) -> None:
    """Of 72 phrasings and 24 foreign texts."""
    right, wrong, accepted = _count(UNSEEN, model)
    assert right >= 55
    assert wrong <= 9
    assert accepted <= 1
