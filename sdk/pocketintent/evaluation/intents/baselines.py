"""The baselines that our encoders are compared with, by name; all use the same draws."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from pocketintent.evaluation.intents.datasets import Draw, IntentData
from pocketintent.evaluation.intents.systems import EncoderSystem, Predict, Prediction, System
from pocketintent.runtime.arrays import IndexArray
from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.errors import PocketIntentError, require
from pocketintent.runtime.plugins import installed_plugins

FitPredict = Callable[[list[str], IndexArray, list[str], int], IndexArray]
"""From texts, their labels, queries and a seed to the labels of the queries."""

BASELINES = ("tfidf", "tfidf-chars", "tfidf-logreg")
"""``tfidf`` and ``tfidf-chars``: nearest template by TF-IDF cosine, over words and over character
n-grams. ``tfidf-logreg`` is trained on each draw: logistic regression on TF-IDF."""

_GROUP = "pocketintent.baselines"
"""Entry points of other distributions: functions from the model under test to a ``FitPredict``."""


class SupervisedSystem:
    """A classifier trained on the templates of each draw.

    Args:
        fit_predict: Trains on the templates and labels the queries.
    """

    def __init__(self, fit_predict: FitPredict) -> None:
        self.fit_predict = fit_predict

    def prepare(self, data: IntentData) -> Predict:
        """Return the prediction; the draws share no work."""

        def predict(draw: Draw) -> dict[str, Prediction]:
            texts = [data.train_texts[index] for index in draw.indices]
            labels = self.fit_predict(texts, draw.labels, data.query_texts, draw.seed)
            return {"classifier": Prediction(labels)}

        return predict


class TfidfSystem:
    """Nearest template by TF-IDF, fitted on the templates of each draw.

    Args:
        settings: Settings of scikit-learn's ``TfidfVectorizer``, beside sublinear term frequency;
            by default the features are words.
    """

    def __init__(self, **settings: Any) -> None:
        self.settings = settings

    def prepare(self, data: IntentData) -> Predict:
        """Return the prediction; its weights depend on the draw, so the draws share no work."""
        text = require("sklearn.feature_extraction.text", "evaluate")

        def predict(draw: Draw) -> dict[str, Prediction]:
            vectorizer = text.TfidfVectorizer(dtype=np.float32, sublinear_tf=True, **self.settings)
            templates = vectorizer.fit_transform(data.train_texts[index] for index in draw.indices)
            queries = vectorizer.transform(data.query_texts)
            nearest = np.maximum.reduceat((queries @ templates.T).toarray(), draw.starts, axis=1)
            both = nearest + (queries @ _sparse_centroids(templates, draw.labels).T).toarray()
            return {
                "nearest": Prediction(nearest.argmax(axis=1)),
                "nearest+centroid": Prediction(both.argmax(axis=1)),
            }

        return predict


def _sparse_centroids(templates: Any, labels: IndexArray) -> Any:
    """Return the unit-length mean of each label's rows as a sparse matrix [num_labels, dim]."""
    sparse = require("scipy.sparse", "evaluate")
    preprocessing = require("sklearn.preprocessing", "evaluate")
    ones = np.ones(len(labels), dtype=np.float32)
    members = sparse.csr_matrix((ones, (labels, np.arange(len(labels)))))
    return preprocessing.normalize(members @ templates)


def tfidf_logistic(
    texts: list[str], labels: IndexArray, queries: list[str], seed: int
) -> IndexArray:
    """Label the queries by logistic regression (C = 10) on TF-IDF of words and word pairs."""
    text = require("sklearn.feature_extraction.text", "evaluate")
    linear_model = require("sklearn.linear_model", "evaluate")
    vectorizer = text.TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
    features = vectorizer.fit_transform(texts)
    if labels.max() == 0:
        return np.zeros(len(queries), dtype=np.intp)
    model = linear_model.LogisticRegression(C=10.0, tol=1e-3, max_iter=200, random_state=seed)
    model.fit(features, labels)
    predicted: IndexArray = model.predict(vectorizer.transform(queries)).astype(np.intp)
    return predicted


def baseline_names() -> tuple[str, ...]:
    """The names that :func:`make_baseline` knows: our own, then those of other distributions."""
    return (*BASELINES, *installed_plugins(_GROUP))


def make_baseline(name: str, encoder: ModelEncoder | None = None) -> System:
    """Create a baseline.

    Args:
        name: One of :func:`baseline_names`.
        encoder: The model under test, from which a baseline may take word vectors.

    Raises:
        PocketIntentError: The name is unknown, or the baseline cannot use the encoder.
    """
    if name == "tfidf":
        return TfidfSystem()
    if name == "tfidf-chars":
        return TfidfSystem(analyzer="char_wb", ngram_range=(2, 4))
    if name == "tfidf-logreg":
        return SupervisedSystem(tfidf_logistic)
    plugins = installed_plugins(_GROUP)
    if name not in plugins:
        raise PocketIntentError(
            f"unknown baseline {name!r}; choose one of {', '.join(baseline_names())}"
        )
    make: Callable[[ModelEncoder | None], FitPredict] = plugins[name].load()
    return SupervisedSystem(make(encoder))


def make_systems(
    encoder: ModelEncoder, baselines: Sequence[str], decisions: Sequence[str], search: str
) -> dict[str, Callable[[], System]]:
    """A function that makes each system, by its name; the model under test is the first.

    Args:
        encoder: The model under test, called ``"pocketintent"``.
        baselines: Names from :func:`baseline_names`.
        decisions: The decisions of the model to measure.
        search: ``"exact"``, or ``"table"`` for the recogniser's quantised templates.

    Raises:
        PocketIntentError: A baseline is unknown.
    """
    for name in baselines:
        if name not in baseline_names():
            raise PocketIntentError(
                f"--baselines: unknown baseline {name!r}; choose from {', '.join(baseline_names())}"
            )
    systems: dict[str, Callable[[], System]] = {
        "pocketintent": lambda: EncoderSystem(encoder, decisions, search)
    }
    return systems | {name: partial(make_baseline, name, encoder) for name in baselines}
