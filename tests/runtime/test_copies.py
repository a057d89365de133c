"""Copies and pickles of recognisers and encoders."""

import pickle
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from copies import TEMPLATES, TEXTS, copies
from models.random_networks import random_network
from pocketintent import IntentRecognizer
from pocketintent.runtime.encoders.charemb.encoder import CharEncoder
from pocketintent.runtime.encoders.charemb.network import CharNetwork
from pocketintent.runtime.graphs.encoder import GraphEncoder
from pocketintent.runtime.graphs.folder import open_exported
from pocketintent.runtime.text.characters import CharVocabulary


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


def test_a_pickle_does_not_need_the_model_file(compressed_model: Path, tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(compressed_model.read_bytes())
    recognizer = IntentRecognizer.load(TEMPLATES, path)
    expected, data = recognizer.match_batch(TEXTS), pickle.dumps(recognizer)
    path.unlink()
    assert pickle.loads(data).match_batch(TEXTS) == expected


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
