"""Intent recognition on the device: a model of a few MB and a JSON file of templates."""

from __future__ import annotations

__version__ = "0.1.0"

from pocketintent.runtime.encoders import load_encoder
from pocketintent.runtime.errors import ModelFileError, PocketIntentError, TemplateError

__all__ = [
    "ModelFileError",
    "PocketIntentError",
    "TemplateError",
    "__version__",
    "load_encoder",
]
