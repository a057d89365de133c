from collections.abc import Sequence

import pytest

from pocketintent.bot.checks import find_warnings
from pocketintent.evaluation.records import Utterance
from pocketintent.runtime.templates.template_set import parse_templates

TEMPLATES = parse_templates({"on": ["lamp on"], "off": ["lamp off"]})
ENOUGH = [
    *(Utterance(f"light {n} on", "on") for n in range(10)),
    *(Utterance(f"light {n} off", "off") for n in range(10)),
    *(Utterance(f"door {n}", None) for n in range(10)),
]


def test_utterances_that_are_in_order_have_no_warnings() -> None:
    assert find_warnings(ENOUGH, TEMPLATES) == []


@pytest.mark.parametrize(
    ("utterances", "parts"),
    [
        (ENOUGH[:19] + ENOUGH[20:], ["needs 20 utterances with an intent, and there are 19;"]),
        (ENOUGH[:21], ["needs 10 utterances without an intent, and there is 1;"]),
        (ENOUGH[:10] * 2 + ENOUGH[20:], ["intents without an utterance: off"]),
        (
            [*ENOUGH, Utterance("?!", "on"), Utterance("", "off"), Utterance("", None)],
            ["without a word: 2, such as '?!'; no bot can answer them, so remove them"],
        ),
        (
            [*ENOUGH, Utterance("Light 1, on!", "off"), Utterance("door 1", "on")],
            ["with more than one intent: 2, such as 'light 1 on' (off, on); keep the right one"],
        ),
        (
            [*ENOUGH, Utterance("Lamp on!", "on"), Utterance("lamp off", "on")],
            ["that are templates of their intent: 1, such as 'Lamp on!'; they test nothing"],
        ),
    ],
)
def test_what_makes_the_figures_doubtful_is_a_warning(
    utterances: Sequence[Utterance], parts: list[str]
) -> None:
    warnings = find_warnings(utterances, TEMPLATES)
    assert len(warnings) == len(parts)
    assert all(part in warning for part, warning in zip(parts, warnings, strict=True))
