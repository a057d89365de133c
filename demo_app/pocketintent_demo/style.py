"""Colours of the demo's answers, and none where they would be noise."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TextIO


@dataclass(frozen=True)
class Style:
    """Marks parts of an answer with ANSI colours."""

    colours: bool = False
    """False returns every text as it is."""

    @classmethod
    def for_stream(cls, stream: TextIO) -> Style:
        """Colours for a terminal, unless ``NO_COLOR`` is set or the terminal is dumb."""
        wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        return cls(wanted and stream.isatty())

    def intent(self, text: str) -> str:
        """A recognised intent."""
        return self._paint(text, "1;32")

    def refusal(self, text: str) -> str:
        """Nothing was recognised."""
        return self._paint(text, "1;33")

    def error(self, text: str) -> str:
        """A command that could not be done."""
        return self._paint(text, "31")

    def faint(self, text: str) -> str:
        """What matters less."""
        return self._paint(text, "2")

    def _paint(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colours and text else text


def quote(text: str | None) -> str:
    """A text in quotes, without characters that could steer the terminal."""
    shown = "".join(char if char.isprintable() else "\ufffd" for char in text or "")
    return f'"{shown}"'
