"""The classifier in a bot file: its weights as a tensor, its calibration in the manifest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from pocketintent.runtime.arrays import Parts, read_tensor
from pocketintent.runtime.decision.logistic.scorer import (
    Calibration,
    Classifier,
    LogisticScorer,
    bucket_weights,
)
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.files.numbers import LARGEST, read_number
from pocketintent.runtime.index.indexed_templates import IndexedTemplates
from pocketintent.runtime.text.languages import read_negations
from pocketintent.runtime.text.ngram_counts import NUM_BUCKETS

WEIGHTS = "weights"
NEGATIONS = "negations"


def classifier_parts(classifier: Classifier) -> Parts:
    """The parts of a classifier in a bot file.

    Returns:
        The settings ``slope`` and ``intercept``, and the tensor ``weights``, float32
        [num_intents, dim + NUM_BUCKETS + 1]. The weights of the buckets are not among them, since
        they are those of the model's background. A classifier that looks for negations has the
        list ``negations`` too, and one more weight before the last.
    """
    calibration = classifier.calibration
    settings: dict[str, Any] = {"slope": calibration.slope, "intercept": calibration.intercept}
    if classifier.negations:
        settings[NEGATIONS] = sorted(classifier.negations)
    return settings, {WEIGHTS: classifier.weights}


def read_logistic(
    encoder: Encoder,
    indexed: IndexedTemplates,
    settings: Mapping[str, Any],
    tensors: Mapping[str, NDArray[Any]],
) -> LogisticScorer:
    """Read the scorer whose classifier :func:`classifier_parts` gave.

    Args:
        encoder: The model of the file.
        indexed: The index of the file's templates.
        settings: The manifest entry.
        tensors: The tensors by name.

    Raises:
        ModelFileError: A number is missing or out of range, the weights have another shape, or
            the negations are not a list of tokens.
    """
    negations = frozenset[str]()
    if NEGATIONS in settings:
        negations = read_negations(settings[NEGATIONS], "the classifier")
    shape = len(indexed.names), encoder.dim + NUM_BUCKETS + bool(negations) + 1
    weights = read_tensor(tensors, WEIGHTS, ["float32"], shape, "the classifier")
    slope = read_number(settings, "slope", 0.0, "the classifier")
    intercept = read_number(settings, "intercept", -LARGEST, "the classifier")
    calibration = Calibration(slope, intercept)
    buckets = bucket_weights(encoder.background)
    classifier = Classifier(indexed.names, weights, calibration, buckets, negations)
    return LogisticScorer(classifier, indexed)
