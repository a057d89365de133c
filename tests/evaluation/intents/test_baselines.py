from pathlib import Path

import numpy as np
import pytest

from pocketintent.evaluation.intents.baselines import BASELINES, make_baseline
from pocketintent.evaluation.intents.datasets import IntentData, draw_templates, load_intent_data
from pocketintent.evaluation.intents.few_shot import evaluate_system
from pocketintent.evaluation.records import Utterance
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent_lab.evaluation.intents.cnn import CnnClassifier
from pocketintent_lab.evaluation.intents.fasttext import FastTextClassifier

TEXTS = ["turn on the light", "play a song", "order pizza", "hello"] * 6
LABELS = np.array([0, 1, 2, 3] * 6, np.intp)
QUERIES = ["turn the light on", "play song", "pizza order", "hello hello"]


def need(name: str) -> None:
    pytest.importorskip({"fasttext": "floret", "cnn": "torch"}.get(name, "sklearn"))


@pytest.mark.parametrize("name", BASELINES)
def test_separable_intents_are_learnt(name: str, tiny_encoder: StaticEncoder) -> None:
    need(name)
    train = [Utterance(text, str(label)) for text, label in zip(TEXTS, LABELS, strict=True)]
    queries = [Utterance(text, str(label)) for label, text in enumerate(QUERIES)]
    data = IntentData.from_utterances("made", "test", train, queries)
    (rows,) = evaluate_system(make_baseline(name, tiny_encoder), data, shots=[6], runs=1)
    assert [row["accuracy"]["mean"] for row in rows] == [1.0] * len(rows)


@pytest.mark.parametrize("name", BASELINES)
def test_an_unbalanced_set_with_unseen_intents_and_words_is_predicted(
    name: str, tiny_encoder: StaticEncoder, intent_dir: Path
) -> None:
    need(name)
    data = load_intent_data(intent_dir)
    predict = make_baseline(name, tiny_encoder).prepare(data)
    draw = draw_templates(data.train_labels, 3, run=0)
    first, again = predict(draw), predict(draw)
    for decision, prediction in first.items():
        assert prediction.labels.shape == (len(data.query_texts),)
        assert set(prediction.labels.tolist()) <= set(range(data.num_trained))
        np.testing.assert_array_equal(prediction.labels, again[decision].labels)


@pytest.mark.parametrize("name", BASELINES)
def test_a_single_intent_is_always_predicted(name: str, tiny_encoder: StaticEncoder) -> None:
    need(name)
    utterances = [Utterance("play music", "music"), Utterance("hear a song", "music")]
    data = IntentData.from_utterances("one", "test", utterances, utterances)
    predict = make_baseline(name, tiny_encoder).prepare(data)
    for prediction in predict(draw_templates(data.train_labels, 5, run=0)).values():
        assert prediction.labels.tolist() == [0, 0]


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


def test_fasttext_labels_texts_with_and_without_known_words() -> None:
    pytest.importorskip("floret")
    model = FastTextClassifier.train(TEXTS, ["a", "b", "c", "d"] * 6)
    assert model.label("play song") == "b"
    assert model.label("") in ("a", "b", "c", "d")
    assert model.label("zzz\nlights 灯") in ("a", "b", "c", "d")


def test_fasttext_is_asked_with_the_tokens_that_it_was_trained_on(tmp_path: Path) -> None:
    pytest.importorskip("floret")
    texts = ["Don't stop!", "what's up?"] * 12
    model = FastTextClassifier.train(texts, ["no", "hi"] * 12)
    model.save(tmp_path / "model.bin")
    for opened in (model, FastTextClassifier.load(tmp_path / "model.bin")):
        for text in ("Don't stop!", "DON\u2019T... STOP", "don 't stop"):
            assert opened.label(text) == "no"
        assert opened._model.get_words() == model._model.get_words()
    words = set(model._model.get_words()) - {"</s>"}
    assert words == {token for text in texts for token in FastTextClassifier.line(text).split()}


def test_the_network_equals_plain_convolutions() -> None:
    torch = pytest.importorskip("torch")
    from pocketintent_lab.evaluation.intents.cnn import _build_network

    torch.manual_seed(0)
    network = _build_network(torch.randn(30, 8), num_labels=4).eval()
    ids = torch.randint(1, 30, (6, 11))
    ids[:, :2] = ids[:, -2:] = 0
    words = network.words(ids).transpose(1, 2)
    pooled = [torch.relu(conv(words)).amax(dim=2) for conv in network.filters]
    expected = network.output(torch.cat(pooled, dim=1))
    torch.testing.assert_close(network(ids), expected)
    padded = torch.cat([ids, torch.zeros(6, 5, dtype=torch.long)], dim=1)
    torch.testing.assert_close(network(padded), expected)


def test_cnn_leaves_the_random_state_of_torch_alone(tiny_encoder: StaticEncoder) -> None:
    torch = pytest.importorskip("torch")
    torch.manual_seed(3)
    expected = torch.rand(1)
    torch.manual_seed(3)
    CnnClassifier(tiny_encoder, examples=50)(TEXTS, LABELS, QUERIES, 0)
    assert torch.rand(1) == expected


def test_an_unknown_baseline_and_an_encoder_without_words_are_rejected() -> None:
    with pytest.raises(PocketIntentError, match="unknown baseline 'bert'"):
        make_baseline("bert")
    with pytest.raises(PocketIntentError, match="word vectors"):
        make_baseline("cnn")
