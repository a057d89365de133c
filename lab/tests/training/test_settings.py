from typing import Any

import pytest

from commands.settings_checks import check_explained
from pocketintent.runtime.errors import PocketIntentError
from pocketintent_lab.training.terms.settings import TermSettings
from pocketintent_lab.training.words.settings import WordSettings


@pytest.mark.parametrize("cls", [TermSettings, WordSettings])
def test_every_setting_is_explained_and_its_default_is_accepted(cls: Any) -> None:
    check_explained(cls)
    cls().check()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            TermSettings(min_length=5),
            "min_length must be at most max_length, not 5 with a max_length of 4",
        ),
        (
            WordSettings(min_learning_rate=0.1),
            "min_learning_rate must be at most learning_rate, not 0.1 with a learning_rate of "
            "0.025",
        ),
        (
            WordSettings(min_n=7),
            "min_n must be at least 1 and at most max_n, not 7 with a max_n of 6",
        ),
    ],
    ids=str,
)
def test_rules_on_two_fields_name_both(settings: Any, message: str) -> None:
    with pytest.raises(PocketIntentError) as caught:
        settings.check()
    assert str(caught.value) == message
