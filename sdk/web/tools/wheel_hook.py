"""Puts the studio into the wheel of pocketintent, if `make web` has built it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class StudioHook(BuildHookInterface):  # type: ignore[type-arg]
    """Called by hatchling, which `pyproject.toml` tells of this file."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the folder of the page; an editable installation finds it in the checkout."""
        studio = Path(self.root, "build", "web", "studio")
        if version == "standard" and (studio / "index.html").is_file():
            build_data["force_include"][str(studio)] = "pocketintent/assets/studio"
