"""What the checks of all settings classes share."""

from __future__ import annotations

import math
from typing import Any, Literal, get_args, get_origin, get_type_hints

from pocketintent.runtime.errors import PocketIntentError


def check_values(settings: Any) -> None:
    """Refuse a word that is no choice, and a number that is not finite.

    Args:
        settings: A dataclass instance; its type hints say what is a choice.

    Raises:
        PocketIntentError: It names the setting.
    """
    for name, hint in get_type_hints(type(settings)).items():
        value = getattr(settings, name)
        if get_origin(hint) is Literal and value not in get_args(hint):
            choices = ", ".join(get_args(hint))
            raise PocketIntentError(f"{name} must be one of {choices}, not {value!r}")
        if isinstance(value, float) and not math.isfinite(value):
            raise PocketIntentError(f"{name} must be a finite number, not {value}")


def check_positive(settings: Any, *names: str) -> None:
    """Refuse settings of 0 or less; None, for «no limit», passes.

    Raises:
        PocketIntentError: It names the setting.
    """
    for name in names:
        value = getattr(settings, name)
        if value is not None and value <= 0:
            raise PocketIntentError(f"{name} must be positive, not {value}")
