"""A settings class as options of a command, and back."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import fields
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

Settings = TypeVar("Settings")


def add_settings(
    parser: argparse.ArgumentParser,
    settings: type[Any],
    descriptions: Mapping[str, str],
    *,
    title: str = "settings",
    preset: bool = False,
) -> None:
    """Add one option for each field of a settings class, by its type and default.

    Args:
        parser: Where to.
        settings: A dataclass whose fields are int, float, bool, a Literal, or one of the
            first two or None.
        descriptions: The help of each field.
        title: Of the group that the options stand in.
        preset: Whether what is not given is None, for a preset to fill in.
    """
    group = parser.add_argument_group(title)
    hints = get_type_hints(settings)
    for field in fields(settings):
        hint = hints[field.name]
        shown = "none" if field.default is None else field.default
        options: dict[str, Any] = {
            "default": None if preset else field.default,
            "help": f"{descriptions[field.name]} ({shown})".replace("%", "%%"),
        }
        if hint is bool:
            options["action"] = argparse.BooleanOptionalAction
        elif get_origin(hint) is Literal:
            options["choices"] = get_args(hint)
        else:
            kind = get_args(hint)[0] if get_origin(hint) in (Union, UnionType) else hint
            options |= {"type": kind, "metavar": "N" if kind is int else "X"}
        group.add_argument(f"--{field.name.replace('_', '-')}", **options)


def read_settings(args: argparse.Namespace, settings: type[Settings]) -> Settings:
    """The settings that the options gave.

    Raises:
        PocketIntentError: A value makes no sense.
    """
    names = [field.name for field in fields(settings)]  # type: ignore[arg-type]
    return settings(**{name: getattr(args, name) for name in names})
