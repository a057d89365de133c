"""Supervised fastText (Joulin et al. 2017) as a baseline, by floret, a maintained copy of it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pocketintent.runtime.errors import require
from pocketintent.runtime.text.tokenizer import simple_tokenize

_EXAMPLES = 100_000
_DIM = 50


class FastTextClassifier:
    """A fastText model and its tokens: it is trained on and asked with lines of :meth:`line`.

    Args:
        model: The model of floret.
    """

    def __init__(self, model: Any) -> None:
        self._model = model

    @classmethod
    def train(
        cls, texts: Sequence[str], labels: Sequence[str], seed: int = 0
    ) -> FastTextClassifier:
        """Train on words, in one thread.

        The number of training examples does not depend on the number of texts: the default of a
        few epochs would leave a model of few texts untrained.

        Args:
            texts: Training texts.
            labels: Their labels, without white space.
            seed: Seed of the order of the texts and of the initial weights.

        Raises:
            MissingExtraError: floret is not installed.
        """
        floret = require("floret", "evaluate", "./lab")
        order = np.random.default_rng(seed).permutation(len(texts))  # floret keeps the file's order
        lines = [f"__label__{labels[i]} {cls.line(texts[i])}" for i in order]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "train.txt"
            path.write_text("".join(lines), encoding="utf-8")
            model = floret.train_supervised(
                str(path),
                lr=0.5,
                dim=_DIM,
                epoch=max(5, round(_EXAMPLES / len(texts))),
                thread=1,
                seed=seed % 2**31,
                verbose=0,
            )
        return cls(model)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> FastTextClassifier:
        """Open a model that :meth:`save` wrote."""
        return cls(require("floret", "evaluate", "./lab").load_model(os.fspath(path)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file."""
        self._model.save_model(os.fspath(path))

    def label(self, text: str) -> str:
        """The most probable label; without a known word, the end of the line decides."""
        # The wrapper's own `predict` fails under numpy 2 in some releases; it calls this function.
        answers = self._model.f.predict(self.line(text), 1, 0.0, "strict")
        return str(answers[0][1]).removeprefix("__label__")

    @staticmethod
    def line(text: str) -> str:
        """The text as one line of tokens, split by the tokenizer of our own models."""
        return " ".join(simple_tokenize(text)) + "\n"


class FastTextSystem:
    """A system of the benchmarks, trained on the templates, which its model contains."""

    def _path(self, cache: Path) -> Path:
        return cache / "fasttext.bin"

    def build(self, cache: Path, texts: Sequence[str], intents: Sequence[str]) -> None:
        """Train on the templates and save; each time, since the templates may be others."""
        numbers = {name: str(number) for number, name in enumerate(sorted(set(intents)))}
        model = FastTextClassifier.train(texts, [numbers[intent] for intent in intents])
        model.save(self._path(cache))

    def load(self, cache: Path) -> None:
        """Open the trained model."""
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
