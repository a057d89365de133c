"""The baselines of `evaluate intents` that the laboratory adds."""

from __future__ import annotations

import numpy as np

from pocketintent.evaluation.intents.baselines import FitPredict
from pocketintent.runtime.arrays import IndexArray
from pocketintent.runtime.encoders.contract import ModelEncoder


def make_cnn(encoder: ModelEncoder | None) -> FitPredict:
    """A convolutional network, whose word vectors begin as those of the model under test."""
    from pocketintent_lab.evaluation.intents.cnn import CnnClassifier

    return CnnClassifier(encoder)


def make_fasttext(encoder: ModelEncoder | None) -> FitPredict:
    """Supervised fastText, which learns its own vectors."""
    return fasttext_classify


def fasttext_classify(
    texts: list[str], labels: IndexArray, queries: list[str], seed: int
) -> IndexArray:
    """Label the queries by supervised fastText; see :class:`FastTextClassifier`."""
    from pocketintent_lab.evaluation.intents.fasttext import FastTextClassifier

    model = FastTextClassifier.train(texts, [str(label) for label in labels], seed)
    return np.array([int(model.label(query)) for query in queries], dtype=np.intp)
