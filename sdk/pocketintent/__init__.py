"""Intent recognition on the device: a model of a few MB and a JSON file of templates.

A public name is imported when it is first used, so that the command starts at once.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pocketintent.recognizer import IntentRecognizer as IntentRecognizer
    from pocketintent.runtime.decision.explain import Explanation as Explanation
    from pocketintent.runtime.decision.explain import WordShare as WordShare
    from pocketintent.runtime.decision.results import Candidate as Candidate
    from pocketintent.runtime.decision.results import Match as Match
    from pocketintent.runtime.encoders.registry import load_encoder as load_encoder
    from pocketintent.runtime.errors import ModelFileError as ModelFileError
    from pocketintent.runtime.errors import PocketIntentError as PocketIntentError
    from pocketintent.runtime.errors import PocketIntentWarning as PocketIntentWarning
    from pocketintent.runtime.errors import TemplateError as TemplateError
    from pocketintent.runtime.templates.template_set import TemplateSet as TemplateSet

__version__ = "0.1.0"

_MODULES = {
    "Candidate": "runtime.decision.results",
    "Explanation": "runtime.decision.explain",
    "IntentRecognizer": "recognizer",
    "Match": "runtime.decision.results",
    "ModelFileError": "runtime.errors",
    "PocketIntentError": "runtime.errors",
    "PocketIntentWarning": "runtime.errors",
    "TemplateError": "runtime.errors",
    "TemplateSet": "runtime.templates.template_set",
    "WordShare": "runtime.decision.explain",
    "load_encoder": "runtime.encoders.registry",
}
"""The module of each public name, below ``pocketintent``."""

__all__ = ["__version__", *_MODULES]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"pocketintent.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
