"""The t-SNE picture of questions, coloured by their document (fig. 4 of Cakaloglu and Xu 2019)."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.errors import PocketIntentError, require
from pocketintent.runtime.files.atomic import replacing
from pocketintent_lab.evaluation.retrieval.data import Question

NUM_COLOURS = 10
"""Documents that get a colour: those with the most questions; the others are grey."""

_LEAST_QUESTIONS = 5
_PERPLEXITY = 20


def plot_questions(
    panels: Mapping[str, FloatArray],
    questions: Sequence[Question],
    path: str | os.PathLike[str],
    seed: int = 0,
) -> None:
    """Draw the questions in two dimensions, one panel for each system.

    Args:
        panels: Vectors of the questions, float32 [num_questions, dim], by the title of the panel.
        questions: The questions.
        path: The image file; its suffix (``.png``, ``.svg``, ``.pdf``) selects the format.
        seed: Seed of t-SNE.

    Raises:
        PocketIntentError: There are fewer than five questions.
        MissingExtraError: matplotlib or scikit-learn is not installed.
    """
    if len(questions) < _LEAST_QUESTIONS:
        raise PocketIntentError(
            f"a t-SNE picture requires at least {_LEAST_QUESTIONS} questions, not {len(questions)}"
        )
    manifold = require("sklearn.manifold", "evaluate")
    figure_module = require("matplotlib.figure", "evaluate")
    documents = np.array([question.relevant[0] for question in questions])
    frequent = [number for number, _ in Counter(documents.tolist()).most_common(NUM_COLOURS)]
    figure = figure_module.Figure(figsize=(5 * len(panels), 4.6), layout="constrained")
    axes = figure.subplots(1, len(panels), squeeze=False)[0]
    perplexity = min(_PERPLEXITY, (len(questions) - 1) / 3)
    for panel, (title, vectors) in zip(axes, panels.items(), strict=True):
        tsne = manifold.TSNE(perplexity=perplexity, init="pca", random_state=seed)
        points = tsne.fit_transform(vectors)
        others = ~np.isin(documents, frequent)
        panel.scatter(*points[others].T, s=5, color="0.85")
        for colour, number in enumerate(frequent):
            panel.scatter(*points[documents == number].T, s=12, color=f"C{colour}")
        panel.set_title(title)
        panel.set_xticks([])
        panel.set_yticks([])
    with replacing(path) as temporary:
        figure.savefig(temporary, dpi=120)
