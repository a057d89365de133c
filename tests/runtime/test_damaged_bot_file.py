from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bot_files import change_bot
from pocketintent import IntentRecognizer, ModelFileError, TemplateError

TEMPLATES = {
    "lights_on": ["turn on the lights", "lights on please", "lamp on"],
    "nothing_known": ["xyzzy", "plugh"],
    "lights_off": ["turn off the lights", "lamp off please"],
    "play_music": ["play some jazz", "play music"],
}


@pytest.fixture
def path(tmp_path: Path, compressed_model: Path) -> Path:
    """A bot file."""
    path = tmp_path / "bot.safetensors"
    IntentRecognizer.load(TEMPLATES, compressed_model).save(path)
    return path


def test_every_flipped_byte_and_every_cut_is_refused(path: Path) -> None:
    content = path.read_bytes()

    for place in range(8, len(content), 97):
        damaged = bytearray(content)
        damaged[place] ^= 1
        path.write_bytes(damaged)
        with pytest.raises(ModelFileError, match=path.name):
            IntentRecognizer.load(path)
    for size in range(8, len(content), 997):
        path.write_bytes(content[:size])
        with pytest.raises(ModelFileError, match=path.name):
            IntentRecognizer.load(path)


_SETTINGS = {"name": "logistic", "slope": 1.5, "intercept": 4.0}


@pytest.mark.parametrize(
    ("entry", "tensors", "message"),
    [
        ({"version": 2}, {}, "version 2; this version of pocketintent reads up to 1"),
        ({"version": 0}, {}, "version 0; it must be a whole number from 1"),
        ({"version": None}, {}, "version None"),
        ({"index": None}, {}, "no object 'index'"),
        ({"decision": 3}, {}, "no object 'decision'"),
        ({"decision": {"name": "best"}}, {}, "name is 'best'; it must be one of logistic"),
        ({"index": {"search": []}}, {}, "search is .*; it must be one of table, exact"),
        ({"decision": _SETTINGS | {"slope": -1}}, {}, "slope of the classifier is -1"),
        ({"decision": _SETTINGS | {"intercept": None}}, {}, "intercept of the classifier is None"),
        ({"decision": _SETTINGS | {"slope": True}}, {}, "slope of the classifier is True"),
        ({"decision": _SETTINGS | {"negations": []}}, {}, "negations of the classifier must be"),
        ({"decision": _SETTINGS | {"negations": "not"}}, {}, "of at least one token, not 'not'"),
        ({"decision": _SETTINGS | {"negations": ["not"]}}, {}, r"must be float32 \[4, 546\]"),
        (
            {},
            {"decision.weights": None},
            "weights of the classifier is missing; it must",
        ),
        ({}, {"decision.weights": np.zeros((3, 9), np.float32)}, r"is float32 \[3, 9\]; it must"),
        ({}, {"templates": None}, "bot.templates is missing"),
        ({}, {"templates": np.frombuffer(b"{", np.uint8)}, "bot.templates is not JSON"),
        ({}, {"templates": np.frombuffer(b"[1]", np.uint8)}, "the long form is expected"),
    ],
)
def test_a_bot_whose_parts_do_not_fit_is_refused(
    path: Path, entry: Any, tensors: Any, message: str
) -> None:
    change_bot(path, entry, tensors)

    with pytest.raises(ModelFileError, match=message) as raised:
        IntentRecognizer.load(path)
    assert str(path) in str(raised.value)


def test_templates_that_break_the_format_are_refused(path: Path) -> None:
    broken = np.frombuffer(b'{"intents": {"on": {"templates": [1]}}}', np.uint8)
    change_bot(path, {}, {"templates": broken})

    with pytest.raises(TemplateError, match="template 1 is a number") as raised:
        IntentRecognizer.load(path)
    assert str(path) in str(raised.value)


def test_a_bot_file_whose_correction_is_no_truth_value_is_refused(path: Path) -> None:
    change_bot(path, {"correct": "yes"}, {})

    with pytest.raises(ModelFileError, match="correct is 'yes'"):
        IntentRecognizer.load(path)
