from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from pocketintent.runtime.arrays import unit_rows
from pocketintent.runtime.decision.logistic.scorer import (
    Calibration,
    Classifier,
    LogisticScorer,
    sigmoid,
)
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.index.indexed_templates import IndexedTemplates
from pocketintent.runtime.text.ngram_counts import NUM_BUCKETS, count_ngrams_of_texts
from pocketintent_export.layers.recognizer import decision_module
from pocketintent_export.layers.similarities import BestTemplates

MakeIndex = Callable[..., IndexedTemplates]
NUM_INTENTS, DIM = 5, 12


@pytest.fixture
def scorer(make_index: MakeIndex) -> LogisticScorer:
    rng = np.random.default_rng(3)
    weights = rng.normal(size=(NUM_INTENTS, DIM + NUM_BUCKETS + 1)).astype(np.float32)
    bucket_weights = rng.uniform(1, 8, NUM_BUCKETS).astype(np.float32)
    names = tuple(map(str, range(NUM_INTENTS)))
    classifier = Classifier(names, weights, Calibration(1.5, 0.25), bucket_weights)
    return LogisticScorer(make_index([1] * NUM_INTENTS), classifier)


def _score(scorer: LogisticScorer, vectors: np.ndarray, *features: np.ndarray) -> np.ndarray:
    """The scores of the module; the similarities to templates are not finite, as it reads none."""
    similarities = torch.full((NUM_INTENTS, len(vectors)), torch.nan)
    inputs = torch.from_numpy(vectors), similarities, similarities
    scores: np.ndarray = decision_module(scorer)(*inputs, *map(torch.from_numpy, features)).numpy()
    return scores


def test_the_logistic_module_gives_the_probabilities_of_the_classifier(
    scorer: LogisticScorer,
) -> None:
    rng = np.random.default_rng(4)
    vectors = unit_rows(rng.normal(size=(7, DIM)).astype(np.float32))
    counts = rng.integers(-2, 3, (7, NUM_BUCKETS)).astype(np.float32)
    counts[2] = 0  # a text whose n-grams cancel out

    scores = _score(scorer, vectors, counts)

    assert (scores.dtype, scores.shape) == (np.float32, (7, NUM_INTENTS))
    expected = sigmoid(scorer.classifier.logit_block(vectors, counts))
    np.testing.assert_allclose(scores, expected, atol=1e-6)


def test_the_logistic_module_adds_the_weights_of_a_negation(scorer: LogisticScorer) -> None:
    rng = np.random.default_rng(5)
    weights = rng.normal(size=(NUM_INTENTS, DIM + NUM_BUCKETS + 2)).astype(np.float32)
    classifier = replace(scorer.classifier, weights=weights, negations=frozenset({"not"}))
    vectors = unit_rows(rng.normal(size=(2, DIM)).astype(np.float32))[[0, 0, 1, 1]]
    texts = ["lamp on", "not lamp on", "why not", "why"]
    negated = [False, True, True, False]

    flags, counts = np.array(negated, np.float32)[:, None], count_ngrams_of_texts(texts)
    scores = _score(LogisticScorer(scorer.indexed, classifier), vectors, counts, flags)

    expected = sigmoid(classifier.logit_block(vectors, counts, negated))
    np.testing.assert_allclose(scores, expected, atol=1e-6)
    one_by_one = map(classifier.logits, vectors, texts)
    np.testing.assert_allclose(scores, [sigmoid(row) for row in one_by_one], atol=1e-6)
    assert not np.allclose(scores[0], scores[1], atol=1e-3)


def test_a_vector_of_zeros_has_scores_of_zero_whatever_its_ngrams(scorer: LogisticScorer) -> None:
    vectors = np.zeros((2, DIM), np.float32)
    vectors[1, 0] = 1

    scores = _score(scorer, vectors, np.ones((2, NUM_BUCKETS), np.float32))

    assert not scores[0].any() and scores[1].all()


def test_a_scorer_that_is_not_registered_is_refused_by_name() -> None:
    class OtherScorer:
        pass

    with pytest.raises(PocketIntentError, match="OtherScorer cannot be exported"):
        decision_module(OtherScorer())  # type: ignore[arg-type]


def test_the_nearest_template_of_each_intent_has_the_highest_similarity() -> None:
    similarities = np.array([[0.1, 0.9], [0.4, 0.2], [0.3, 0.3]], np.float32)

    best = BestTemplates(np.array([0, 2, 3]), np.array([[1, 2, 3]], np.uint8))
    nearest, templates = best(torch.from_numpy(similarities))

    np.testing.assert_allclose(nearest.numpy(), [[0.4, 0.9], [0.3, 0.3]], atol=1e-7)
    np.testing.assert_array_equal(templates.numpy(), [[1, 0], [2, 2]])


def test_of_templates_with_equal_codes_the_first_is_the_nearest_however_they_are_rounded() -> None:
    similarities = np.array([[0.5], [0.1], [0.5000001], [0.3], [0.5]], np.float32)

    best = BestTemplates(np.array([0, 3, 5]), np.array([[2, 1, 2, 1, 2], [3] * 5], np.uint8))
    nearest, templates = best(torch.from_numpy(similarities))

    np.testing.assert_array_equal(nearest.numpy(), np.float32([[0.5], [0.5]]))
    np.testing.assert_array_equal(templates.numpy(), [[0], [4]])
