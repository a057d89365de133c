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
BOUNDS = [
    pytest.param(("dentist", "gym", "library", "restaurant"), 68, 10, 4, id="seen"),
    pytest.param(("hotel", "parcel", "pizza"), 55, 9, 1, id="unseen"),
]
"""Of 94 phrasings and 40 foreign texts, and of 72 and 24."""


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
@pytest.mark.parametrize(("bots", "least_right", "most_wrong", "most_accepted"), BOUNDS)
def test_newcomers_bots_answer_everyday_phrasings_without_a_threshold(
    bots: Sequence[str], least_right: int, most_wrong: int, most_accepted: int, model: str
) -> None:
    right, wrong, accepted = _count(bots, model)
    assert right >= least_right
    assert wrong <= most_wrong
    assert accepted <= most_accepted
