"""What holds for every class of settings."""

from dataclasses import fields
from pathlib import Path
from typing import Any

from commands.settings_tables import rewrite_tables
from pocketintent.settings import list_settings


def check_explained(cls: type[Any]) -> None:
    """Every choice is explained, and every number has bounds or a reason to have none."""
    # A power may be negative. Lengths of n-grams, and the size of a step in StarSpace, are
    # checked against another field.
    joined = {"negative_power", "min_n", "max_n", "batch_tokens"}
    for item in list_settings(cls):
        assert item.help and not item.help.endswith(".")
        for choice in item.choices:
            assert f"`{choice}`" in item.help
        if item.kind in (int, float) and item.name not in joined:
            assert str(item.bounds), item.name
    assert len(list_settings(cls)) == len(fields(cls))


def check_tables(docs: Path) -> int:
    """The tables of settings in a folder of pages are up to date; returns how many there are."""
    number = 0
    for page in sorted(docs.rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        # When it fails: python tests/support/commands/settings_tables.py PAGE
        assert rewrite_tables(text) == text, page
        number += text.count("| setting | default | allowed | meaning |\n")
    return number
