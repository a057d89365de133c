"""What every system can do, and where the files that it ships with are cached."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

DEFAULT_CACHE = Path.home() / ".cache" / "pocketintent-benchmarks"
"""Where files of other systems are kept between runs: distilled, exported, quantised, trained."""
EXTRA = "benchmark"
"""The extra of pyproject.toml that has the packages of the other systems."""


class System(Protocol):
    """A system that gets templates and then matches texts with them."""

    def build(self, cache: Path, texts: Sequence[str], intents: Sequence[str]) -> None:
        """Make the files that the system ships with, unless the cache has them."""
        ...

    def load(self, cache: Path) -> None:
        """Open the files, as an app does at its start."""
        ...

    def teach(self, texts: Sequence[str], intents: Sequence[str]) -> None:
        """Encode the templates, or fit the system on them."""
        ...

    def match(self, text: str) -> str:
        """The intent of a text."""
        ...

    def size(self, cache: Path) -> int:
        """Bytes of the files that an app ships, without the program code."""
        ...
