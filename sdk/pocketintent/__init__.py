"""Intent recognition on the device: a model of a few MB and a JSON file of templates."""

from __future__ import annotations

__version__ = "0.1.0"

from pocketintent.runtime.decision.results import Candidate, Match
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.errors import ModelFileError, PocketIntentError, TemplateError
from pocketintent.runtime.recognizer import IntentRecognizer
from pocketintent.runtime.templates.template_set import TemplateSet

__all__ = [
    "Candidate",
    "IntentRecognizer",
    "Match",
    "ModelFileError",
    "PocketIntentError",
    "TemplateError",
    "TemplateSet",
    "__version__",
    "load_encoder",
]
