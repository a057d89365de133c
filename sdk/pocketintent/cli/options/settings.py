"""Settings of a command: options for the usual ones, a TOML file for all of them.

A command has the options of a settings class that most of its users set, and two more:
``--write-settings`` prints a file with every setting, and ``--settings`` reads such a file. An
option wins over the file, and the file over the defaults.
"""

from __future__ import annotations

import argparse
import difflib
import re
import sys
import textwrap
from collections.abc import Collection
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from pocketintent.cli.options.types import NumberType, input_file, output_file
from pocketintent.runtime.errors import PocketIntentError, require
from pocketintent.runtime.files.atomic import write_atomically
from pocketintent.runtime.files.regular import read_regular
from pocketintent.settings import Setting, Settings, list_settings

SettingsT = TypeVar("SettingsT", bound=Settings)

_RENAMED = {"--no-normalise": "normalised", "--shared-codebook": "per_position"}
"""Options that were named otherwise than the settings that they turned off."""

_TOML = "tomllib" if sys.version_info >= (3, 11) else "tomli"


def add_settings(
    parser: argparse.ArgumentParser,
    settings: type[Settings],
    *,
    options: Collection[str] | None = None,
    title: str = "settings",
) -> None:
    """Give a command the settings of a class, for :func:`read_settings`.

    ``options`` are the fields that get an option, None for all; ``title`` is that of their group in
    the help. The fields of several classes of a command have different names.
    """
    classes = parser.get_default("settings_classes") or ()
    parser.set_defaults(settings_classes=(*classes, settings))
    group = parser.add_argument_group(title)
    for setting in list_settings(settings):
        if options is not None and setting.name not in options:
            continue
        kind: dict[str, Any] = {"type": NumberType(setting.kind, setting.bounds)}
        if setting.kind is bool:
            kind = {"action": argparse.BooleanOptionalAction}
        elif setting.choices:
            kind = {"choices": setting.choices}
        action = group.add_argument(option_name(setting.name), default=None, **kind)
        # Set afterwards, since BooleanOptionalAction appends its own note on the default.
        action.help = f"{setting.help} ({show_default(setting)})".replace("%", "%%")
    if not classes:
        help = "read these and all other settings from this file; options win over it"
        group.add_argument("--settings", type=input_file, metavar="FILE.toml", help=help)
        written: dict[str, Any] = {"type": output_file, "nargs": "?", "metavar": "FILE.toml"}
        help = "only write such a file, with every setting and its meaning (to stdout)"
        group.add_argument("--write-settings", action=_WriteSettings, help=help, **written)


def given_settings(args: argparse.Namespace, cls: type[Settings], **preset: Any) -> dict[str, Any]:
    """The values of the fields of a settings class that an option, the file or a preset gives."""
    options = {name: value for name, value in vars(args).items() if value is not None}
    given = {**preset, **_read_file(args), **options}
    return {item.name: given[item.name] for item in list_settings(cls) if item.name in given}


def read_settings(args: argparse.Namespace, settings: type[SettingsT]) -> SettingsT:
    """The settings of a command: its options, then its file, its preset, and the defaults.

    Where a command has presets, ``args.preset_values`` gives the values of the chosen one.
    """
    preset = args.preset_values(args) if "preset_values" in args else {}
    return settings(**given_settings(args, settings, **preset))


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


def settings_advice(classes: Collection[type[Settings]], option: str) -> str | None:
    """What to write in place of an option, such as ``--no-rotate``, of a setting of the classes."""
    on = not option.startswith("--no-")
    name = option.removeprefix("--" if on else "--no-").replace("-", "_")
    name = _RENAMED.get(option, name)
    kinds = {item.name: item.kind for settings in classes for item in list_settings(settings)}
    if name not in kinds:
        return None
    value = str(on and option not in _RENAMED).lower() if kinds[name] is bool else "…"
    return (
        f"this is a setting of a file now: write `{name} = {value}` into FILE.toml and give "
        "--settings FILE.toml (--write-settings FILE.toml makes one)"
    )


def render_settings(values: Any) -> str:
    """The text of a file with all settings of an instance of a settings class."""
    lines = []
    for setting in list_settings(type(values)):
        value = getattr(values, setting.name)
        allowed = f"one of {', '.join(setting.choices)}" if setting.choices else str(setting.bounds)
        notes = "; ".join(filter(None, (setting.unit and f"in {setting.unit}", allowed)))
        meaning = setting.help + (f" ({notes})" if notes else "")
        wrapped = textwrap.wrap(meaning, 96, break_long_words=False, break_on_hyphens=False)
        lines += ["", *(f"# {line}" for line in wrapped)]
        if value is None:
            lines.append(f"# {setting.name} = …  # none unless it is given")
        else:
            shown = str(value).lower() if setting.kind is bool else repr(value)
            lines.append(f"{setting.name} = " + (f'"{value}"' if setting.choices else shown))
    return "\n".join(lines)


class _WriteSettings(argparse.Action):
    """Makes the command write its settings in place of its work, which may lack arguments."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option: str | None = None) -> None:
        namespace.run = partial(_write_settings, path=values)
        for action in parser._actions:
            action.required = False


def _write_settings(args: argparse.Namespace, path: Path | None) -> int:
    texts = [render_settings(read_settings(args, cls)) for cls in args.settings_classes]
    content = "\n".join([f"# Settings of `{args.parser.prog}`.", *texts, ""])
    if path is None:
        sys.stdout.write(content)
    else:
        write_atomically(path, content.encode())
    return 0


def _read_file(args: argparse.Namespace) -> dict[str, Any]:
    """The checked values of the file of ``--settings``; none without one."""
    path: Path | None = getattr(args, "settings", None)
    if path is None:
        return {}
    toml = require(_TOML, "train")
    try:
        text = read_regular(path).decode()
        values: dict[str, Any] = toml.loads(text)
    except OSError as error:
        raise PocketIntentError(f"{path}: cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise PocketIntentError(f"{path}: not UTF-8 at byte {error.start}") from error
    except (toml.TOMLDecodeError, RecursionError) as error:
        raise PocketIntentError(f"{path}: not valid TOML: {error}") from error
    known = {item.name: item for cls in args.settings_classes for item in list_settings(cls)}
    for name, value in values.items():
        try:
            values[name] = _check_value(known, name, value)
        except PocketIntentError as error:
            raise PocketIntentError(f"{path}, line {_line_of(name, text)}: {error}") from error
    return values


def _check_value(known: dict[str, Setting], name: str, value: Any) -> Any:
    """The value of a key; a whole number where a float is allowed becomes one."""
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known keys: {', '.join(known)}"
        raise PocketIntentError(f"unknown key {name!r}; {hint}")
    setting = known[name]
    if isinstance(value, bool) is not (setting.kind is bool) and not setting.choices:
        wanted = "true or false" if setting.kind is bool else "a number"
        raise PocketIntentError(f"{name} must be {wanted}, not {value!r}")
    if setting.kind is float and isinstance(value, int):
        with suppress(OverflowError):  # which the check refuses, too
            value = float(value)
    setting.check(value)
    return value


def _line_of(key: str, text: str) -> int:
    """The number of the line of a top-level key or table."""
    pattern = rf"""\s*\[*\s*["']?{re.escape(key)}["']?\s*[=.\]]"""
    lines = enumerate(text.split("\n"), 1)
    return next((number for number, line in lines if re.match(pattern, line)), 1)
