"""The tables of settings in the docs, rendered from the settings classes.

Rewrite them with ``python tests/support/commands/settings_tables.py docs/*.md``. A page marks a
table with ``<!-- settings: MODULE.CLASS -->`` before it, where the class is named in full, and
``<!-- end -->`` after it.
"""

from __future__ import annotations

import re
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from pocketintent.cli.options.settings import show_default
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.settings import Setting, list_settings

_MARKED = re.compile(r"(<!-- settings: ([\w.]+)\.(\w+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def render_table(settings: type[Any]) -> str:
    """The Markdown table of a settings class: a row for each setting."""
    rows = [_render_row(setting) for setting in list_settings(settings)]
    return "\n".join(
        ["| setting | default | allowed | meaning |", "| --- | --- | --- | --- |", *rows, ""]
    )


def rewrite_tables(text: str) -> str:
    """A page with its marked tables rendered from the settings classes.

    Raises:
        PocketIntentError: A mark names an unknown class.
    """

    def render(match: re.Match[str]) -> str:
        start, module, name, _, end = match.groups()
        try:
            settings = getattr(import_module(module), name)
        except (ImportError, AttributeError) as error:
            raise PocketIntentError(f"no settings class {module}.{name}: {error}") from None
        return start + render_table(settings) + end

    return _MARKED.sub(render, text)


def _render_row(setting: Setting) -> str:
    default = f"`{setting.default}`" if setting.choices else show_default(setting)
    allowed = ", ".join(f"`{choice}`" for choice in setting.choices) or str(setting.bounds)
    return f"| `{setting.name}` | {default} | {allowed} | {setting.help} |"


def main(paths: list[str]) -> None:
    """Rewrite the tables of some pages in place."""
    for path in map(Path, paths):
        path.write_text(rewrite_tables(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
