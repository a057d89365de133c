"""This package, as a system beside the others."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pocketintent.recognizer import IntentRecognizer
from pocketintent.runtime.decision.bot import build_bot
from pocketintent.runtime.decision.registry import DEFAULT_DECISION, Decision
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.files.shipped_models import find_model
from pocketintent.runtime.index.building import Search
from pocketintent.runtime.native.bot import native_bot
from pocketintent.runtime.templates.files import load_templates


class PocketIntent:
    """This package: a model file, and templates that are searched by table or exactly.

    Args:
        model: The model file, or the name of a shipped model; the default model when None.
        search: ``"table"`` or ``"exact"``.
        decision: How an intent is scored.
        native: Whether the core in C matches; it needs the package pocketintent-native.
    """

    def __init__(
        self,
        model: str | Path | None = None,
        search: Search = "table",
        decision: Decision = DEFAULT_DECISION,
        native: bool = False,
    ) -> None:
        self.path = find_model(model)
        self.search = search
        self.decision = decision
        self.native = native

    def build(self, cache: Path, texts: Sequence[str], intents: Sequence[str]) -> None:
        """Make nothing: the model file is there."""

    def load(self, cache: Path) -> None:
        """Open the model file."""
        self.encoder = load_encoder(self.path)

    def teach(self, texts: Sequence[str], intents: Sequence[str]) -> None:
        """Make a recogniser with the templates."""
        templates: dict[str, list[str]] = {}
        for text, intent in zip(texts, intents, strict=True):
            templates.setdefault(intent, []).append(text)
        chosen = load_templates(templates)
        bot = build_bot(self.encoder, chosen, self.decision, self.search, correct=True)
        self.recognizer = IntentRecognizer.from_bot(native_bot(bot) if self.native else bot)

    def match(self, text: str) -> str:
        """The nearest intent, whatever its score; empty when no word is known."""
        return self.recognizer.match(text).nearest or ""

    def size(self, cache: Path) -> int:
        """Bytes of the model file."""
        return self.path.stat().st_size
