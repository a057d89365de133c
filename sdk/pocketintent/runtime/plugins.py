"""Parts that other distributions add: found by their entry points, imported when they are used."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points


def installed_plugins(group: str) -> dict[str, EntryPoint]:
    """The entry points of a group, such as ``"pocketintent.encoders"``, by name.

    ``load()`` imports what one of them names.
    """
    return {entry.name: entry for entry in entry_points(group=group)}
