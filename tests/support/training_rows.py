"""Made examples for the classifier of the decision ``logistic``."""

import numpy as np

from pocketintent.runtime.decision.logistic.solver import NO_INTENT, TrainingRows


def make_rows(
    num_intents: int = 5, per_intent: int = 6, outside: int = 20, dim: int = 8, seed: int = 0
) -> TrainingRows:
    """Rows around a centre for each intent, and rows of no intent."""
    rng = np.random.default_rng(seed)
    centers = rng.standard_normal((num_intents, dim))
    inside = np.repeat(centers, per_intent, axis=0) + 0.5 * rng.standard_normal(
        (num_intents * per_intent, dim)
    )
    features = np.concatenate([inside, rng.standard_normal((outside, dim))]).astype(np.float32)
    labels = np.r_[np.repeat(np.arange(num_intents), per_intent), np.full(outside, NO_INTENT)]
    none = np.full(len(labels), NO_INTENT, np.intp)
    ones = np.ones((len(labels), 1), np.float32)
    features = np.concatenate([features - features.mean(axis=0), ones], axis=1)
    return TrainingRows(features, labels.astype(np.intp), none, num_intents)
