"""Bots of six intents with six templates each, as a newcomer writes them, at the default threshold.

`tests/resources/small_bots` has thirteen of them, with everyday phrasings that are in no template
and texts that are not for the bot.
"""

from collections.abc import Sequence
from pathlib import Path

import pytest

from pocketintent import IntentRecognizer, load_encoder
from pocketintent.evaluation.bots.answers import evaluate_bots, read_bots

FOLDER = Path(__file__).resolve().parents[3] / "resources" / "small_bots"


@pytest.mark.parametrize(
    ("model", "least_right", "most_other", "most_accepted"),
    [("default", 280, 12, 13), ("fast", 263, 22, 13), ("tiny", 250, 27, 15)],
)
def test_newcomers_bots_answer_everyday_phrasings_without_a_threshold(
    model: str, least_right: int, most_other: int, most_accepted: int
) -> None:
    report = evaluate_bots(load_encoder(model), read_bots(FOLDER))
    assert report["num_phrasings"] == 310
    assert report["num_foreign"] == {"other_subjects": 79, "own_subject": 33}
    (row,) = report["results"]
    assert row["right"]["count"] >= least_right
    assert row["other"]["count"] <= most_other
    assert sum(accepted["count"] for accepted in row["accepted"].values()) <= most_accepted


@pytest.mark.parametrize("name", ["restaurant", "museum"])
def test_many_edits_lead_to_the_scores_of_a_fit_from_scratch(name: str) -> None:
    ((bot, templates),) = (pair for pair in read_bots(FOLDER) if pair[0].name == name)
    recognizer = IntentRecognizer(load_encoder("tiny"), templates)
    largest = 0.0
    for intent in recognizer.intents[:2]:
        first, *others = templates.intents[intent].templates
        for added in ([], others, [first]):
            if added:
                recognizer.add_intent(intent, added)
            else:
                recognizer.remove_intent(intent)
            scratch = IntentRecognizer(recognizer.encoder, recognizer.templates)
            largest = max(largest, _largest_difference(recognizer, scratch, bot.queries()))
    assert largest < 0.01


def _largest_difference(
    one: IntentRecognizer, other: IntentRecognizer, texts: Sequence[str]
) -> float:
    """The largest difference of an intent's score."""
    scores, expected = (
        {(text, c.intent): c.score for text in texts for c in r.rank(text, len(r.intents))}
        for r in (one, other)
    )
    return max(abs(score - expected[key]) for key, score in scores.items())
