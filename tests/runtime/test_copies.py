"""Copies and pickles of recognisers and encoders."""

import copy
import pickle
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from copies import TEMPLATES, TEXTS, copies
from models.random_networks import random_network
from pocketintent import IntentRecognizer, load_encoder
from pocketintent.runtime.decision.logistic.scorer import LogisticScorer
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


def test_a_deep_copy_of_an_encoder_shares_nothing_that_can_change() -> None:
    encoder = load_encoder("tiny")
    copied = copy.deepcopy(encoder)
    copied.manifest["note"] = "changed"
    assert "note" not in encoder.manifest


def test_a_match_beside_a_pickle_does_not_change_what_is_pickled(compressed_model: Path) -> None:
    # A pickle goes through this state; one that grows meanwhile would be an error.
    bot = IntentRecognizer.load(TEMPLATES, compressed_model)._bot
    assert isinstance(bot.scorer, LogisticScorer)
    for part in (bot, bot.corrector, bot.scorer.classifier):
        state = part.__reduce_ex__(2)[2]
        assert isinstance(state, dict)
        before = set(state)
        bot.match("plai some jaz")
        assert set(state) == before


class _Counting(IntentRecognizer):
    """A recogniser of an app, with attributes of which one cannot be pickled."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.calls, self.own_lock = 3, threading.Lock()

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        del state["own_lock"]
        return state


@copies
def test_a_class_that_extends_the_recogniser_says_what_is_copied(
    make_copy: Callable[[Any], Any],
) -> None:
    copied = make_copy(_Counting(load_encoder("tiny"), TEMPLATES))
    assert copied.calls == 3 and not hasattr(copied, "own_lock")
    assert copied.match(TEXTS[0]).nearest is not None
