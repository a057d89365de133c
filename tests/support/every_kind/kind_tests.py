"""What holds for the model files of every kind."""

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from copies import OTHER_TEXTS, TEMPLATES, TEXTS, copies
from pocketintent import IntentRecognizer, load_encoder
from pocketintent.compression.background import fit_background
from pocketintent.runtime.decision.logistic.scorer import LogisticScorer
from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.files.model_file import load_model, save_model


@pytest.fixture
def encoder(exportable_models: dict[str, Path], kind: str) -> ModelEncoder:
    return load_encoder(exportable_models[kind])


@copies
def test_a_copy_of_an_encoder_gives_the_same_vectors(
    encoder: ModelEncoder, make_copy: Callable[[Any], Any]
) -> None:
    expected = encoder.encode_batch(TEXTS)  # fills the caches

    copied = make_copy(encoder)

    assert type(copied) is type(encoder)
    assert copied is not encoder
    np.testing.assert_array_equal(copied.encode_batch(TEXTS), expected)
    assert copied.to_model_file_parts()[0] == encoder.to_model_file_parts()[0]


def test_a_pickle_of_an_encoder_has_no_caches(encoder: ModelEncoder) -> None:
    before = len(pickle.dumps(encoder))
    encoder.encode_batch([f"q{number}z" for number in range(500)])
    assert len(pickle.dumps(encoder)) == before


@copies
@pytest.mark.parametrize("search", ["table", "exact"])
def test_an_edit_of_a_copy_leaves_the_original_as_it_is(
    encoder: ModelEncoder, search: Any, make_copy: Callable[[Any], Any]
) -> None:
    recognizer = IntentRecognizer(encoder, TEMPLATES, decision="nearest", search=search)
    recognizer.threshold = 0.25
    before, matches = recognizer.templates, recognizer.match_batch(OTHER_TEXTS)

    copied: IntentRecognizer = make_copy(recognizer)

    assert (copied.decision, copied.search, copied.threshold) == ("nearest", search, 0.25)
    assert copied.match_batch(OTHER_TEXTS) == matches
    copied.add_intent("greet", ["hello"])
    copied.remove_intent("play_music")
    copied.threshold, copied.margin = -1.0, 1.0
    assert copied.intents == ("lights_on", "greet")
    assert recognizer.templates == before
    assert recognizer.match_batch(OTHER_TEXTS) == matches


def test_the_repr_of_an_encoder_has_its_kind_and_sizes(encoder: ModelEncoder, kind: str) -> None:
    words = "" if kind in ("words", "text") else f", {len(encoder.known_words or ())} words"
    expected = f"<{type(encoder).__name__}: kind {encoder.kind}, 32 dimensions{words}>"
    assert repr(encoder) == expected


def test_a_model_file_keeps_its_background(encoder: ModelEncoder, tmp_path: Path) -> None:
    background = fit_background(encoder.encode_batch(TEXTS), TEXTS, 3)
    path = tmp_path / "model.safetensors"
    save_model(path, *encoder.replace(background=background).to_model_file_parts())
    loaded = load_encoder(path)
    assert loaded.background is not None
    assert np.array_equal(loaded.background.vectors.decode(), background.vectors.decode())
    assert np.array_equal(loaded.background.ngrams.decode(), background.ngrams.decode())
    assert np.array_equal(loaded.background.idf, background.idf)
    save_model(path, *loaded.replace(background=None).to_model_file_parts())
    assert load_encoder(path).background is None
    assert not [name for name in load_model(path).tensors if name.startswith("background")]


def test_a_bot_file_has_a_model_of_any_kind(encoder: ModelEncoder, tmp_path: Path) -> None:
    built = IntentRecognizer(encoder, TEMPLATES)
    built.save(tmp_path / "bot.safetensors")
    loaded = IntentRecognizer.load(tmp_path / "bot.safetensors")

    # The rounding of a network's vectors depends on the words that are read together.
    for found, expected in zip(loaded.match_batch(TEXTS), map(built.match, TEXTS), strict=True):
        assert found.score == pytest.approx(expected.score, abs=1e-5)
        assert (found.intent, found.template) == (expected.intent, expected.template)
    assert isinstance(loaded.scorer, LogisticScorer) and isinstance(built.scorer, LogisticScorer)
    found, right = (scorer.parts()[1]["weights"] for scorer in (loaded.scorer, built.scorer))
    np.testing.assert_array_equal(found, right)
