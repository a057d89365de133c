"""This package, as a system beside the others."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pocketintent.recognizer import IntentRecognizer
from pocketintent.runtime.decision.registry import DEFAULT_DECISION, Decision
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.files.shipped_models import find_model
from pocketintent.runtime.index.building import Search


class PocketIntent:
    """This package: a model file, and templates that are searched by table or exactly.

    Args:
        model: The model file; the default model when None.
        search: ``"table"`` or ``"exact"``.
        decision: How an intent is scored.
    """

    def __init__(
        self,
        model: Path | None = None,
        search: Search = "table",
        decision: Decision = DEFAULT_DECISION,
    ) -> None:
        self.path = find_model(model)
        self.search = search
        self.decision = decision

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
        self.recognizer = IntentRecognizer(
            self.encoder, templates, decision=self.decision, search=self.search
        )

    def match(self, text: str) -> str:
        """The nearest intent, whatever its score; empty when no word is known."""
        return self.recognizer.match(text).nearest or ""

    def size(self, cache: Path) -> int:
        """Bytes of the model file."""
        return self.path.stat().st_size
