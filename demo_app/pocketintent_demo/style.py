"""Colours of the demo's answers, for terminals that show them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TextIO


@dataclass(frozen=True)
class Style:
    """Colours parts of an answer with ANSI codes."""

    colours: bool = False
    """Whether to colour; False returns every text unchanged."""

    @classmethod
    def for_stream(cls, stream: TextIO) -> Style:
        """Return colours for a terminal, unless ``NO_COLOR`` is set or the terminal is dumb."""
        allowed = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        return cls(allowed and stream.isatty())

    def intent(self, text: str) -> str:
        """Colour a recognised intent."""
        return self._paint(text, "1;32")

    def refusal(self, text: str) -> str:
        """Colour the answer that nothing was recognised."""
        return self._paint(text, "1;33")

    def error(self, text: str) -> str:
        """Colour an error."""
        return self._paint(text, "31")

    def faint(self, text: str) -> str:
        """Colour a detail."""
        return self._paint(text, "2")

    def _paint(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colours and text else text


def quote(text: str | None) -> str:
    """Quote a text, without characters that could control the terminal."""
    shown = "".join(char if char.isprintable() else "\ufffd" for char in text or "")
    return f'"{shown}"'
