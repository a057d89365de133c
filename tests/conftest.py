"""The fixtures that all folders of tests share."""

import sys

import pytest

from native_package import native as native
from native_package import native_folder as native_folder
from shared_fixtures import *  # noqa: F403

pytest.register_assert_rewrite("every_kind")


@pytest.fixture(params=["static", "words", "text", "combined", "contextual", "transformer"])
def kind(request: pytest.FixtureRequest) -> str:
    """Each of ``exportable_models``."""
    name: str = request.param
    return name


@pytest.fixture(autouse=True)
def no_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    """The product's tests see no other distribution, whatever is installed."""
    monkeypatch.setattr("pocketintent.runtime.plugins.entry_points", lambda group: ())


@pytest.fixture(autouse=True)
def no_native(monkeypatch: pytest.MonkeyPatch) -> None:
    """They match by NumPy, whatever is installed, but for those with the fixture ``native``."""
    monkeypatch.setitem(sys.modules, "pocketintent_native", None)
