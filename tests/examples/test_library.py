"""The bots of docs/first-bot.md give the answers that the page shows."""

from pathlib import Path

import pytest

from pocketintent import IntentRecognizer
from pocketintent.bot.answers import ask, count_answers
from pocketintent.bot.utterances import read_labelled

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "examples" / "library"


@pytest.mark.parametrize(
    ("bot", "file", "right", "refused", "accepted"),
    [
        ("first", "utterances", 24, 0, 2),
        ("second", "utterances", 24, 0, 0),
        ("first", "new_utterances", 17, 1, 2),
        ("second", "new_utterances", 18, 0, 2),
    ],
)
def test_the_counts_are_those_of_the_page(
    bot: str, file: str, right: int, refused: int, accepted: int
) -> None:
    recognizer = IntentRecognizer.load(FOLDER / f"{bot}.json")
    utterances = read_labelled(FOLDER / f"{file}.csv", recognizer.intents, bot)
    figures = count_answers(ask(recognizer, utterances))
    inside, outside = figures["num_in_scope"], figures["num_out_of_scope"]
    assert round(figures["accuracy"] * inside) == right
    assert round(figures["refused"] * inside) == refused
    assert round(figures["out_of_scope_accepted"] * outside) == accepted
