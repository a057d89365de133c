import pytest

from pocketintent.runtime.decision.bot import Refusals
from pocketintent.runtime.templates.template_set import parse_templates

TEMPLATES = parse_templates(
    {
        "intents": {
            "on": {"templates": ["lamp on"], "except": ["who left the lamp on", "lamp off"]},
            "off": {"templates": ["lamp off"], "except": ["who put the lamp out"]},
        },
        "none": ["never mind", "who put the lamp out"],
    }
)


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("who left the lamp on", {"on"}),
        ("Who left the lamp ON?!", {"on"}),
        ("lamp off", {"on"}),
        ("who put the lamp out", {"on", "off"}),
        ("never mind", {"on", "off"}),
        ("never", set()),
        ("so who left the lamp on", set()),
        ("", set()),
    ],
)
def test_the_words_of_a_counter_example_are_refused(text: str, refused: set[str]) -> None:
    refuses = Refusals(TEMPLATES)
    assert {name for name in TEMPLATES.intents if refuses(text, name)} == refused


def test_a_text_without_words_is_no_counter_example() -> None:
    refuses = Refusals(parse_templates({"intents": {"on": {"templates": ["on"]}}, "none": ["!!!"]}))
    assert not refuses("???", "on")


def test_without_counter_examples_nothing_is_refused() -> None:
    refuses = Refusals(parse_templates({"on": ["lamp on"]}))
    assert not refuses("lamp on", "on")
