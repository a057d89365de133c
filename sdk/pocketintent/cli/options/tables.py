"""The tables of settings in the docs, rendered from the settings classes.

Rewrite them with ``python -m pocketintent.cli.options.tables docs/*.md``. A page marks a table
with ``<!-- settings: StarSpaceSettings -->`` before it and ``<!-- end -->`` after it.
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

MODULES = {
    "StarSpaceSettings": "pocketintent.training.starspace.settings",
    "Sent2VecSettings": "pocketintent_lab.training.sent2vec.settings",
    "GloveSettings": "pocketintent_lab.training.glove.settings",
    "FinishSettings": "pocketintent.training.finish.settings",
    "DistilSettings": "pocketintent.training.distil.settings",
    "ContextualSettings": "pocketintent.training.contextual.settings",
    "ConvrrSettings": "pocketintent_lab.training.convrr.settings",
    "InferSentSettings": "pocketintent_lab.training.infersent.settings",
    "CharEmbSettings": "pocketintent.training.charemb.settings",
    "MaskedLmSettings": "pocketintent_lab.training.masked_lm.settings",
    "TuningSettings": "pocketintent_lab.training.neural.settings",
    "TermSettings": "pocketintent_lab.training.terms.settings",
    "WordSettings": "pocketintent_lab.training.words.settings",
}
"""The settings classes that have a table, and their modules."""

_MARKED = re.compile(r"(<!-- settings: (\w+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


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
        start, name, _, end = match.groups()
        if name not in MODULES:
            raise PocketIntentError(
                f"unknown settings class {name!r}; choose from {', '.join(MODULES)}"
            )
        return start + render_table(getattr(import_module(MODULES[name]), name)) + end

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
