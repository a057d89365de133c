from dataclasses import dataclass
from typing import Any, Literal

import pytest

from commands.settings_checks import check_explained
from pocketintent.compression.settings import QuantisationSettings
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.settings import (
    Settings,
    check_ngram_lengths,
    list_settings,
    setting,
)
from pocketintent.training.charemb.settings import PRESETS, CharEmbSettings
from pocketintent.training.distil.settings import DistilSettings
from pocketintent.training.finish.settings import FinishSettings
from pocketintent.training.starspace.settings import StarSpaceSettings

ALL_SETTINGS: list[Any] = [
    StarSpaceSettings,
    DistilSettings,
    CharEmbSettings,
    FinishSettings,
    QuantisationSettings,
]


@dataclass(frozen=True)
class Example(Settings):
    mode: Literal["word", "text"] = setting("word", "a choice")
    rate: float = setting(0.5, "a share", above=0, below=1)
    limit: int | None = setting(None, "a limit", least=1)
    tenths: int = setting(5, "a range", least=0, most=10)
    shared: bool = setting(True, "a switch")


def test_the_defaults_are_those_of_the_fields() -> None:
    assert Example() == Example("word", 0.5, None, 5, True)
    assert [s.kind for s in list_settings(Example)] == [str, float, int, int, bool]
    assert [s.optional for s in list_settings(Example)] == [False, False, True, False, False]


@pytest.mark.parametrize(
    "values",
    [
        {"mode": "text"},
        {"rate": 1e-9},
        {"limit": 1},
        {"tenths": 0},
        {"tenths": 10},
        {"shared": False},
        {"shared": 1},
    ],
)
def test_values_within_the_bounds_are_accepted(values: dict[str, Any]) -> None:
    Example(**values).check()


def test_a_whole_number_is_a_number() -> None:
    @dataclass(frozen=True)
    class Rate(Settings):
        rate: float = setting(0.5, "a rate")

    Rate(3).check()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"mode": "letter"}, "mode must be one of word, text, not 'letter'"),
        ({"rate": float("nan")}, "rate must be a finite number, not nan"),
        ({"rate": float("inf")}, "rate must be a finite number, not inf"),
        ({"rate": 0.0}, "rate must be above 0 and below 1, not 0.0"),
        ({"rate": 1}, "rate must be above 0 and below 1, not 1"),
        ({"rate": "0.5"}, "rate must be a number, not '0.5'"),
        ({"rate": None}, "rate must be a number, not None"),
        ({"limit": 0}, "limit must be at least 1, not 0"),
        ({"limit": 1.5}, "limit must be a whole number, not 1.5"),
        ({"tenths": 11}, "tenths must be at least 0 and at most 10, not 11"),
        ({"shared": "yes"}, "shared must be True or False, not 'yes'"),
    ],
    ids=str,
)
def test_an_error_has_the_name_the_value_and_what_is_allowed(
    values: dict[str, Any], message: str
) -> None:
    with pytest.raises(PocketIntentError) as caught:
        Example(**values).check()
    assert str(caught.value) == message


def test_ngrams_have_at_least_one_letter_and_the_shortest_is_not_the_longer() -> None:
    check_ngram_lengths(1, 1)
    check_ngram_lengths(1, 64)
    with pytest.raises(PocketIntentError, match="max_n must be at most 64, not 65"):
        check_ngram_lengths(1, 65)
    for lengths in ((0, 3), (4, 3)):
        with pytest.raises(PocketIntentError, match="min_n must be at least 1 and at most max_n"):
            check_ngram_lengths(*lengths)


@pytest.mark.parametrize("cls", ALL_SETTINGS)
def test_every_settings_class_accepts_its_defaults(cls: Any) -> None:
    cls().check()


def test_every_preset_can_be_trained_with() -> None:
    for settings in PRESETS.values():
        settings.check()


@pytest.mark.parametrize("cls", ALL_SETTINGS)
def test_every_choice_is_explained_and_every_number_has_bounds_or_a_reason(cls: Any) -> None:
    check_explained(cls)


JOINED: list[tuple[Any, str]] = [
    (
        StarSpaceSettings(row_length=32, batch_tokens=8),
        "row_length must be at most batch_tokens, not 32 with a batch_tokens of 8",
    ),
    (
        FinishSettings(min_n=0),
        "min_n must be at least 1 and at most max_n, not 0 with a max_n of 3",
    ),
    (
        FinishSettings(num_buckets=0),
        "num_buckets must be at least 1 unless subword_dim is 0, not 0",
    ),
]


@pytest.mark.parametrize(("settings", "message"), JOINED, ids=str)
def test_rules_on_two_fields_name_both(settings: Any, message: str) -> None:
    with pytest.raises(PocketIntentError) as caught:
        settings.check()
    assert str(caught.value) == message


def test_ngrams_that_nobody_reads_are_not_checked() -> None:
    FinishSettings(subword_dim=0, min_n=0, num_buckets=0).check()
    StarSpaceSettings(num_buckets=0, min_n=0, max_n=-1).check()
