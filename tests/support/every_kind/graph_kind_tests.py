"""What holds for the exported folder of every kind of model, read by the runtime."""

import json
from typing import Any, get_args

import numpy as np
import pytest

from exports.backend_fixtures import OTHERS, Exported, Load, assert_all_same
from exports.backend_fixtures import load as load
from exports.backend_fixtures import load_plainly as load_plainly
from exports.exported_folders import check_conformance
from pocketintent.runtime.decision.logistic import fitting
from pocketintent.runtime.decision.logistic.scorer import LogisticScorer
from pocketintent.runtime.decision.registry import Decision
from pocketintent.runtime.graphs.encoder import GraphEncoder
from pocketintent.runtime.graphs.folder import BACKENDS, CONFORMANCE, open_exported

FORMATS = sorted(BACKENDS.values())


@pytest.fixture
def model(kind: str) -> str:
    return kind


@pytest.mark.parametrize("file_format", FORMATS)
def test_the_runtime_reproduces_the_conformance_file(
    exported: Exported, file_format: str, model: str
) -> None:
    check_conformance(exported(file_format, model))


@pytest.mark.parametrize("file_format", FORMATS)
def test_a_batch_equals_its_texts_one_by_one(
    exported: Exported, file_format: str, model: str
) -> None:
    encoder = GraphEncoder(open_exported(exported(file_format, model)))
    texts = ["lamp on", "", "unheard music"]

    batch = encoder.encode_batch(texts)

    assert (batch.shape, batch.dtype) == ((3, encoder.dim), np.float32)
    for row, text in zip(batch, texts, strict=True):
        np.testing.assert_array_equal(row, encoder.encode(text))
    assert encoder.encode_batch([]).shape == (0, encoder.dim)


def test_the_folders_own_templates_give_the_same_matches(
    load: Load, load_plainly: Load, exported: Exported
) -> None:
    recognizer = load()

    assert recognizer.templates == open_exported(exported("onnx")).templates()
    assert_all_same(recognizer, load_plainly(recognizer.templates))


@pytest.mark.parametrize("decision", get_args(Decision))
def test_other_templates_give_the_same_matches(
    load: Load, load_plainly: Load, decision: str
) -> None:
    settings = {"search": "exact", "decision": decision}

    assert_all_same(load(OTHERS, **settings), load_plainly(OTHERS, **settings))


def test_the_conformance_file_is_matched_as_it_says(
    load: Load, exported: Exported, model: str
) -> None:
    recognizer = load()
    content = open_exported(exported("onnx", model)).read(CONFORMANCE)

    for line in map(json.loads, content.splitlines()):
        characters = line.get("characters", [])
        words = [characters] if model == "text" else characters
        # What fits into the fixed lengths.
        if len(line.get("ids", [])) <= 24 and all(len(word) <= 12 for word in words):
            match = recognizer.match(line["text"])
            assert (match.intent, match.nearest) == (line["intent"], line["nearest"])
            assert (match.template, match.reason) == (line["template"], line["reason"])
            assert match.score == pytest.approx(line["score"], abs=1e-4)


def test_a_template_set_can_be_edited_while_it_runs(
    load: Load, load_plainly: Load, model: str
) -> None:
    recognizer, plain = load(), load_plainly(load().templates)
    for each in (recognizer, plain):
        each.add_intent("farewell", ["goodbye", "bye thanks"], threshold=0.7)
        each.add_intent("greet", ["hi"])
        each.remove_intent("play_music")

    if model == "static":
        assert recognizer.match("bye").intent == "farewell"
        assert recognizer.match("play music").intent != "play_music"
    assert recognizer.templates == plain.templates
    assert_all_same(recognizer, plain)


def test_a_folder_fits_and_encodes_nothing_for_its_own_templates(
    load: Load, load_plainly: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = load_plainly(load().templates)
    for name in ("encode", "encode_batch"):
        monkeypatch.setattr(GraphEncoder, name, _refuse)
    monkeypatch.setattr(fitting, "fit_scorer", _refuse)

    recognizer = load()

    assert recognizer.indexed.texts == expected.indexed.texts
    assert isinstance(recognizer.scorer, LogisticScorer)
    assert isinstance(expected.scorer, LogisticScorer)
    for part in ("weights", "bucket_weights"):
        found, right = (getattr(r.scorer.classifier, part) for r in (recognizer, expected))
        np.testing.assert_allclose(found, right, atol=0.01)


def _refuse(*arguments: Any, **settings: Any) -> Any:
    raise AssertionError("nothing is encoded or fitted")
