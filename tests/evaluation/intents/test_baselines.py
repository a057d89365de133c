import numpy as np
import pytest

from every_kind.baseline_tests import *  # noqa: F403
from every_kind.baseline_tests import LABELS, TEXTS
from pocketintent.evaluation.intents.baselines import BASELINES, make_baseline
from pocketintent.evaluation.intents.datasets import IntentData, draw_templates
from pocketintent.evaluation.records import Utterance
from pocketintent.runtime.errors import PocketIntentError

pytest.importorskip("sklearn")


@pytest.fixture(params=BASELINES)
def baseline(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


def test_tfidf_centroids_are_unit_means_of_the_templates() -> None:
    from sklearn.feature_extraction.text import TfidfVectorizer

    utterances = [Utterance(t, str(label)) for t, label in zip(TEXTS, LABELS, strict=True)]
    utterances += [Utterance("play the light song", "1"), Utterance("turn the pizza", "0")]
    data = IntentData.from_utterances("made", "test", utterances, utterances)
    draw = draw_templates(data.train_labels, 7, run=0)
    predicted = make_baseline("tfidf").prepare(data)(draw)
    vectorizer = TfidfVectorizer(sublinear_tf=True)
    templates = vectorizer.fit_transform([data.train_texts[i] for i in draw.indices]).toarray()
    queries = vectorizer.transform(data.query_texts).toarray()
    groups = [templates[draw.labels == label] for label in range(4)]
    nearest = np.stack([(queries @ group.T).max(axis=1) for group in groups], axis=1)
    means = np.stack([group.mean(axis=0) for group in groups])
    means /= np.linalg.norm(means, axis=1, keepdims=True)
    np.testing.assert_array_equal(predicted["nearest"].labels, nearest.argmax(axis=1))
    expected = (nearest + queries @ means.T).argmax(axis=1)
    np.testing.assert_array_equal(predicted["nearest+centroid"].labels, expected)


def test_an_unknown_baseline_is_rejected() -> None:
    with pytest.raises(PocketIntentError, match="unknown baseline 'bert'; choose one of tfidf, "):
        make_baseline("bert")
