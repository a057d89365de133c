from dataclasses import dataclass
from typing import Literal

import pytest

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.settings import check_positive, check_values


@dataclass(frozen=True)
class Settings:
    mode: Literal["word", "text"] = "word"
    rate: float = 0.5
    limit: int | None = None


def test_a_word_that_is_no_choice_is_refused_with_the_choices() -> None:
    check_values(Settings("text"))
    with pytest.raises(PocketIntentError, match="mode must be one of word, text, not 'letter'"):
        check_values(Settings("letter"))  # type: ignore[arg-type]


@pytest.mark.parametrize("rate", [float("nan"), float("inf")])
def test_a_number_that_is_not_finite_is_refused(rate: float) -> None:
    with pytest.raises(PocketIntentError, match="rate must be a finite number"):
        check_values(Settings(rate=rate))


def test_a_setting_of_zero_is_refused_where_none_means_no_limit() -> None:
    check_positive(Settings(), "rate", "limit")
    with pytest.raises(PocketIntentError, match="limit must be positive, not 0"):
        check_positive(Settings(limit=0), "rate", "limit")
