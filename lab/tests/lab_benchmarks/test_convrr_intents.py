from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
from lab_benchmarks.convrr_intents import AdaptedEncoder, AdaptedSystem, ReadTexts
from pocketintent.compression.background import fit_background
from pocketintent.evaluation.intents.datasets import IntentData, draw_templates
from pocketintent.evaluation.records import Utterance
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent_lab.encoders.tokens import embed_tokens
from pocketintent_lab.training.convrr.data import group_texts
from pocketintent_lab.training.convrr.objective import ConvrrTraining
from pocketintent_lab.training.convrr.settings import ConvrrSettings

UTTERANCES = {
    "on": ["turn on the light", "lamp on please", "put the lights on"],
    "music": ["play some jazz", "hear music", "play a song"],
}
LINES = ["order a pizza please", "open the door", "hello"]


def test_an_adapter_is_trained_for_each_draw(contextual_model: Path) -> None:
    encoder = load_encoder(contextual_model)
    background = fit_background(encoder.encode_batch(LINES), LINES, len(LINES))
    rows = [Utterance(text, name) for name, texts in UTTERANCES.items() for text in texts]
    data = IntentData.from_utterances("toy", "test", rows, rows)
    for settings in (None, ConvrrSettings(epochs=2, kernels=4)):
        predict = AdaptedSystem(ReadTexts(encoder), LINES, background, settings).prepare(data)
        predictions = predict(draw_templates(data.train_labels, 3, 0))
        assert set(predictions) == {"nearest", "logistic"}
        np.testing.assert_array_equal(predictions["nearest"].labels, data.query_labels)


def test_the_adapted_vectors_are_those_of_the_shipped_kind(contextual_model: Path) -> None:
    encoder = load_encoder(contextual_model)
    texts = [text for group in UTTERANCES.values() for text in group]
    words = [embed_tokens(encoder, encoder.tokenize(text)) for text in texts]
    grouped = group_texts(words, [0, 0, 0, 1, 1, 1], bases=list(encoder.encode_batch(texts)))
    task = ConvrrTraining(grouped, ConvrrSettings(scale=0.5))
    background = fit_background(encoder.encode_batch(LINES), LINES, len(LINES))
    adapted = AdaptedEncoder(ReadTexts(encoder), LINES, background, task)
    vectors = adapted.encode_batch([*texts, ""])
    for vector, rows, base in zip(vectors, words, grouped.bases, strict=False):
        np.testing.assert_allclose(vector, task.to_head().move(base, rows), atol=0.02)
    assert not vectors[-1].any()
    assert adapted.background is not None
    np.testing.assert_allclose(
        adapted.background.vectors.decode(), adapted.encode_batch(LINES), atol=1e-6
    )
