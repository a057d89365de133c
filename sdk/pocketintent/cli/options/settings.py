"""Options of a command from a settings class, and settings from the options."""

from __future__ import annotations

import argparse
from collections.abc import Container
from dataclasses import fields
from typing import Any, TypeVar

from pocketintent.cli.options.numbers import NumberType
from pocketintent.settings import Setting, list_settings

Settings = TypeVar("Settings")


def add_settings(
    parser: argparse.ArgumentParser,
    settings: type[Any],
    *,
    title: str = "settings",
    description: str | None = None,
    preset: bool = False,
    without: Container[str] = (),
) -> None:
    """Add an option for each field of a settings class.

    Args:
        parser: The parser that gets the options.
        settings: The settings class.
        title: Title of the group of options in the help.
        description: Text below the title.
        preset: Whether an option that is not given is None rather than the field's default, so
            that another default can apply.
        without: Names of fields that get no option.
    """
    group = parser.add_argument_group(title, description)
    for setting in list_settings(settings):
        if setting.name in without:
            continue
        options = _type_options(setting)
        flag = options.pop("flag", option_name(setting.name))
        action = group.add_argument(
            flag, dest=setting.name, default=None if preset else setting.default, **options
        )
        default = "" if setting.off else f" ({show_default(setting)})"
        # Set afterwards, since BooleanOptionalAction appends its own note on the default.
        action.help = f"{setting.help}{default}".replace("%", "%%")


def given_settings(args: argparse.Namespace, settings: type[Any]) -> dict[str, Any]:
    """The values of the options of a settings class that the command has and that are not None."""
    values = {field.name: getattr(args, field.name, None) for field in fields(settings)}
    return {name: value for name, value in values.items() if value is not None}


def read_settings(args: argparse.Namespace, settings: type[Settings]) -> Settings:
    """The settings from the options; the defaults where an option is None."""
    return settings(**given_settings(args, settings))


def option_name(name: str) -> str:
    """The option of a setting, such as ``--min-count`` for ``min_count``."""
    return f"--{name.replace('_', '-')}"


def show_default(setting: Setting) -> str:
    """A default as text, such as ``none``, ``on``, ``1e-8`` or ``5 words``."""
    if setting.default is None:
        return "none"
    if setting.kind is bool:
        return "on" if setting.default else "off"
    number = str(setting.default).removesuffix(".0").replace("e-0", "e-")
    return f"{number} {setting.unit}".rstrip()


def _type_options(setting: Setting) -> dict[str, Any]:
    """Arguments of ``add_argument`` for the type of a setting, and ``flag`` for another name."""
    if setting.off:
        return {"flag": setting.off, "action": "store_false"}
    if setting.kind is bool:
        return {"action": argparse.BooleanOptionalAction}
    if setting.choices:
        return {"choices": setting.choices}
    return {
        "type": NumberType(setting.kind, setting.bounds),
        "metavar": "N" if setting.kind is int else "X",
    }
