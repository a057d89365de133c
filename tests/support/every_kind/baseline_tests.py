"""What holds for every baseline, the product's and the laboratory's: the tests of both."""

from pathlib import Path

import numpy as np

from pocketintent.evaluation.intents.baselines import make_baseline
from pocketintent.evaluation.intents.datasets import IntentData, draw_templates, load_intent_data
from pocketintent.evaluation.intents.few_shot import evaluate_system
from pocketintent.evaluation.records import Utterance
from pocketintent.runtime.encoders.static import StaticEncoder

TEXTS = ["turn on the light", "play a song", "order pizza", "hello"] * 6
LABELS = np.array([0, 1, 2, 3] * 6, np.intp)
QUERIES = ["turn the light on", "play song", "pizza order", "hello hello"]


def test_separable_intents_are_learnt(baseline: str, tiny_encoder: StaticEncoder) -> None:
    train = [Utterance(text, str(label)) for text, label in zip(TEXTS, LABELS, strict=True)]
    queries = [Utterance(text, str(label)) for label, text in enumerate(QUERIES)]
    data = IntentData.from_utterances("made", "test", train, queries)
    (rows,) = evaluate_system(make_baseline(baseline, tiny_encoder), data, shots=[6], runs=1)
    assert [row["accuracy"]["mean"] for row in rows] == [1.0] * len(rows)


def test_an_unbalanced_set_with_unseen_intents_and_words_is_predicted(
    baseline: str, tiny_encoder: StaticEncoder, intent_dir: Path
) -> None:
    data = load_intent_data(intent_dir)
    predict = make_baseline(baseline, tiny_encoder).prepare(data)
    draw = draw_templates(data.train_labels, 3, run=0)
    first, again = predict(draw), predict(draw)
    for decision, prediction in first.items():
        assert prediction.labels.shape == (len(data.query_texts),)
        assert set(prediction.labels.tolist()) <= set(range(data.num_trained))
        np.testing.assert_array_equal(prediction.labels, again[decision].labels)


def test_a_single_intent_is_always_predicted(baseline: str, tiny_encoder: StaticEncoder) -> None:
    utterances = [Utterance("play music", "music"), Utterance("hear a song", "music")]
    data = IntentData.from_utterances("one", "test", utterances, utterances)
    predict = make_baseline(baseline, tiny_encoder).prepare(data)
    for prediction in predict(draw_templates(data.train_labels, 5, run=0)).values():
        assert prediction.labels.tolist() == [0, 0]
