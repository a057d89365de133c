import math
from typing import Any

import pytest

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.starspace.settings import StarSpaceSettings


def test_the_defaults_can_be_trained_with() -> None:
    StarSpaceSettings().check()


@pytest.mark.parametrize(
    "good",
    [
        {"max_norm": None, "max_words": 1, "min_count": 1, "seed": 2**63 - 1},
        {"num_buckets": 1, "min_n": 1, "max_n": 1},
        {"row_length": 2, "batch_tokens": 2, "negative_power": 0.0, "subsample": 1.0},
        {"mode": "labelled", "loss": "softmax", "optimizer": "sgd", "tokenizer": "tweet"},
    ],
)
def test_settings_at_their_bounds_are_valid(good: dict[str, Any]) -> None:
    StarSpaceSettings(**good).check()


BAD: list[tuple[str, Any]] = [
    *((name, 0) for name in ("dim", "window", "negatives", "learning_rate", "epochs", "min_count")),
    *((name, -1) for name in ("dim", "epochs", "num_buckets", "margin", "subsample", "init_scale")),
    *((name, math.nan) for name in ("learning_rate", "margin", "negative_power", "max_norm")),
    *((name, math.inf) for name in ("learning_rate", "max_norm")),
    *((name, "else") for name in ("mode", "loss", "optimizer", "tokenizer", "split")),
    ("row_length", 1),
    ("batch_tokens", 8),
    ("max_words", 0),
    ("max_norm", 0.0),
    ("seed", -1),
    ("seed", 2**63),
]


@pytest.mark.parametrize(("name", "value"), BAD)
def test_a_bad_setting_is_named(name: str, value: Any) -> None:
    with pytest.raises(PocketIntentError, match=name):
        StarSpaceSettings(**{name: value}).check()


@pytest.mark.parametrize("sizes", [(0, 3), (4, 3)])
def test_impossible_ngrams_are_named(sizes: tuple[int, int]) -> None:
    bad = StarSpaceSettings(num_buckets=10, min_n=sizes[0], max_n=sizes[1])
    with pytest.raises(PocketIntentError, match="min_n must be at least 1 and at most max_n"):
        bad.check()
    StarSpaceSettings(min_n=sizes[0], max_n=sizes[1]).check()  # unused without buckets
