"""fastText (Joulin et al. 2016) as a classifier, by the package floret."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pocketintent.runtime.errors import require


class FastText:
    """Supervised fastText, trained on the templates; its model contains them."""

    def _path(self, cache: Path) -> Path:
        return cache / "fasttext.bin"

    def build(self, cache: Path, texts: Sequence[str], intents: Sequence[str]) -> None:
        """Train on the templates and save; each time, since the templates may be others."""
        from pocketintent.evaluation.intents.baselines import train_fasttext

        numbers = {name: str(number) for number, name in enumerate(sorted(set(intents)))}
        model = train_fasttext(list(texts), [numbers[intent] for intent in intents])
        model.save_model(str(self._path(cache)))

    def load(self, cache: Path) -> None:
        """Open the trained model."""
        self.model = require("floret", "evaluate").load_model(str(self._path(cache)))

    def teach(self, texts: Sequence[str], intents: Sequence[str]) -> None:
        """Number the intents as in training; the templates are in the model."""
        names = sorted(set(intents))
        self.intent_of = {f"__label__{number}": name for number, name in enumerate(names)}

    def match(self, text: str) -> str:
        """The intent of the most probable label."""
        return self.intent_of[self.model.f.predict(text + "\n", 1, 0.0, "strict")[0][1]]

    def size(self, cache: Path) -> int:
        """Bytes of the trained model."""
        return self._path(cache).stat().st_size
