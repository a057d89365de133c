"""Fixtures for the tests of the recogniser and its edits."""

from typing import Any

import pytest

from lights_bot import LONG, Make
from pocketintent import IntentRecognizer
from pocketintent.runtime.encoders.static import StaticEncoder


@pytest.fixture(params=["table", "exact"])
def make(request: pytest.FixtureRequest, tiny_encoder: StaticEncoder) -> Make:
    """Makes a recogniser of the small bot, or of other templates, with each search."""

    def make_one(templates: Any = LONG, **settings: Any) -> IntentRecognizer:
        return IntentRecognizer(tiny_encoder, templates, search=request.param, **settings)

    return make_one
