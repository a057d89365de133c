"""fastText (Joulin et al. 2016) as a classifier, by the package floret."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


class FastText:
    """Supervised fastText, trained on the templates; its model contains them."""

    def _path(self, cache: Path) -> Path:
        return cache / "fasttext.bin"

    def build(self, cache: Path, texts: Sequence[str], intents: Sequence[str]) -> None:
        """Train on the templates and save; each time, since the templates may be others."""
        from pocketintent_lab.evaluation.intents.fasttext import FastTextClassifier

        numbers = {name: str(number) for number, name in enumerate(sorted(set(intents)))}
        model = FastTextClassifier.train(texts, [numbers[intent] for intent in intents])
        model.save(self._path(cache))

    def load(self, cache: Path) -> None:
        """Open the trained model."""
        from pocketintent_lab.evaluation.intents.fasttext import FastTextClassifier

        self.model = FastTextClassifier.load(self._path(cache))

    def teach(self, texts: Sequence[str], intents: Sequence[str]) -> None:
        """Number the intents as in training; the templates are in the model."""
        self.intents = sorted(set(intents))

    def match(self, text: str) -> str:
        """The intent of the most probable label."""
        return self.intents[int(self.model.label(text))]

    def size(self, cache: Path) -> int:
        """Bytes of the trained model."""
        return self._path(cache).stat().st_size
