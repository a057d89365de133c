"""Copies and pickles of recognisers and encoders."""

import copy
import pickle
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pocketintent import IntentRecognizer, load_encoder
from pocketintent.runtime.encoders.charemb.encoder import CharEncoder
from pocketintent.runtime.encoders.charemb.network import CharNetwork
from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.graphs.encoder import GraphEncoder
from pocketintent.runtime.graphs.folder import open_exported
from pocketintent.runtime.text.characters import CharVocabulary
from random_networks import random_network

TEMPLATES = {"lights_on": ["turn on the lights", "lamp on"], "play_music": ["play some jazz"]}
TEXTS = ["lamp on please", "play musci", "", "zzz", "the lihgts"]
OTHER_TEXTS = ["lamps go bright please", "plays musci", "", "zzz", "all lihgts"]
"""Without a word of the templates. A copy has no caches: it would compute such a word together with
others, whose number changes the rounding, where the original has its vector already."""


def _pickled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


COPIES: list[Callable[[Any], Any]] = [copy.copy, copy.deepcopy, _pickled]
copies = pytest.mark.parametrize("make_copy", COPIES)
kinds = pytest.mark.parametrize(
    "kind", ["static", "words", "text", "combined", "contextual", "infersent"]
)


@pytest.fixture
def encoder(
    compressed_model: Path,
    contextual_model: Path,
    infersent_model: Path,
    character_models: dict[str, Path],
    kind: str,
) -> ModelEncoder:
    models = {
        "static": compressed_model,
        "contextual": contextual_model,
        "infersent": infersent_model,
        **character_models,
    }
    return load_encoder(models[kind])


@copies
@kinds
def test_a_copy_of_an_encoder_gives_the_same_vectors(
    encoder: ModelEncoder, make_copy: Callable[[Any], Any]
) -> None:
    expected = encoder.encode_batch(TEXTS)  # fills the caches

    copied = make_copy(encoder)

    assert type(copied) is type(encoder)
    assert copied is not encoder
    np.testing.assert_array_equal(copied.encode_batch(TEXTS), expected)
    assert copied.to_model_file_parts()[0] == encoder.to_model_file_parts()[0]


@copies
@pytest.mark.parametrize("cell", ["lstm", "transformer"])
def test_a_copy_keeps_the_limit_on_characters(cell: Any, make_copy: Callable[[Any], Any]) -> None:
    network = CharNetwork(dim=8, cell=cell, char_dim=8, hidden=8, mlp=8)
    characters = CharVocabulary(" abcdefghijklmnopqrstuvwxyz", 16)
    encoder = random_network(network, characters, np.random.default_rng(0))
    shortened = encoder.replace(max_chars=4)

    copied: CharEncoder = make_copy(shortened)

    np.testing.assert_array_equal(copied.encode("lights"), shortened.encode("ligh"))
    assert not np.array_equal(copied.encode("lights"), encoder.encode("lights"))


@kinds
def test_a_pickle_of_an_encoder_has_no_caches(encoder: ModelEncoder) -> None:
    before = len(pickle.dumps(encoder))
    encoder.encode_batch([f"q{number}z" for number in range(500)])
    assert len(pickle.dumps(encoder)) == before


def test_a_pickle_does_not_need_the_model_file(compressed_model: Path, tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(compressed_model.read_bytes())
    recognizer = IntentRecognizer.load(TEMPLATES, path)
    expected, data = recognizer.match_batch(TEXTS), pickle.dumps(recognizer)
    path.unlink()
    assert pickle.loads(data).match_batch(TEXTS) == expected


@copies
@kinds
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


@copies
def test_a_copy_can_be_edited_while_the_original_is_locked(
    compressed_model: Path, make_copy: Callable[[Any], Any]
) -> None:
    recognizer = IntentRecognizer.load(TEMPLATES, compressed_model)
    with recognizer._lock:
        copied = make_copy(recognizer)
        editing = threading.Thread(target=copied.add_intent, args=("greet", ["hello"]), daemon=True)
        editing.start()
        editing.join(60)
    assert copied.intents == ("lights_on", "play_music", "greet")
    assert recognizer.intents == ("lights_on", "play_music")


@copies
def test_a_recogniser_of_exported_graphs_is_copied_by_its_folder(
    exported: Callable[..., Path], make_copy: Callable[[Any], Any]
) -> None:
    pytest.importorskip("onnxruntime")
    recognizer = IntentRecognizer.load(model=exported("onnx", "static"), backend="onnxruntime")
    copied = make_copy(recognizer)
    assert copied.match_batch(TEXTS) == recognizer.match_batch(TEXTS)
    copied.remove_intent("greet")
    assert "greet" in recognizer.intents


@kinds
def test_the_repr_of_an_encoder_has_its_kind_and_sizes(encoder: ModelEncoder, kind: str) -> None:
    words = "" if kind in ("words", "text") else f", {len(encoder.vocabulary)} words"  # type: ignore[attr-defined]
    expected = f"<{type(encoder).__name__}: kind {encoder.kind}, 32 dimensions{words}>"
    assert repr(encoder) == expected


def test_the_repr_of_a_recogniser_has_its_sizes_and_decision(compressed_model: Path) -> None:
    recognizer = IntentRecognizer.load(TEMPLATES, compressed_model)
    assert repr(recognizer) == (
        "<IntentRecognizer: 2 intents, 3 templates, decision logistic, search table, "
        f"{recognizer.encoder!r}>"
    )
    assert "kind static, 32 dimensions" in repr(recognizer)


def test_the_repr_of_exported_graphs_has_their_format_and_folder(
    exported: Callable[..., Path],
) -> None:
    pytest.importorskip("onnxruntime")
    folder = exported("onnx", "static")
    text = repr(GraphEncoder(open_exported(folder)))
    assert text == f"<GraphEncoder: kind static, 32 dimensions, onnx graphs of {folder}>"


class _Greeter(IntentRecognizer):
    """A class of an app, with an attribute of its own."""

    greeting: str


@copies
def test_a_copy_of_a_derived_recogniser_has_its_attributes(
    tiny_model: Path, make_copy: Callable[[Any], Any]
) -> None:
    greeter = _Greeter.load(TEMPLATES, tiny_model)
    assert isinstance(greeter, _Greeter)
    greeter.greeting = "hello"
    copied = make_copy(greeter)
    assert copied.greeting == "hello" and copied.match("lamp on") == greeter.match("lamp on")
