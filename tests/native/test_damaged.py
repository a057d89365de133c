"""The C core refuses the files that Python refuses, and answers alike with the others."""

import os
import random
import socket
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from benchmarks.robustness.hostile_files import bots, models
from native_core import Core, CoreBot
from native_interface import CoreError
from pocketintent import IntentRecognizer, PocketIntentError
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.encoders.static import StaticEncoder

TEXTS = ("turn on the light", "plai sme music", "", "x", "\u200b\ud800 🙂", "the " * 40)
NUM_FILES = 1500
MakeBots = Callable[[np.random.Generator], list[models.Parts]]
UNSUPPORTED = ("unknown encoder kind", "unknown tokenizer", "n-gram hash")


class OddEncoder(StaticEncoder):
    """A kind that the core does not have."""

    kind = "odd"


def answer_alike(core: Core, path: Path) -> str:
    """Open a file by both, compare what they say, and tell what that was."""
    recognizer, refusal, expected = None, None, ""
    try:
        recognizer = IntentRecognizer.load(path)
    except PocketIntentError as error:
        expected = str(error)
    try:
        bot = core.open(path)
    except CoreError as error:
        refusal = error
    if recognizer is None or refusal is not None:
        assert recognizer is None, f"only the core refuses the file: {refusal}"
        assert refusal is not None, f"only Python refuses the file: {expected}"
        assert refusal.message.startswith(str(path)[:100]), refusal.message
        return f"refused: {refusal.status}"
    with bot:
        for text in TEXTS:
            python, found = recognizer.match(text).to_dict(), bot.match(text)
            assert found["score"] == pytest.approx(python["score"], abs=1e-5)
            if python["margin"] is None or python["margin"] > 1e-5:
                for key in ("intent", "template", "nearest", "reason"):
                    assert found[key] == python[key]
    return "opened"


@pytest.mark.parametrize("make", [bots.tiny_bots, bots.character_bots])
def test_mutated_files_are_refused_by_both_or_by_none(
    core: Core, tmp_path: Path, make: MakeBots
) -> None:
    parts = make(np.random.default_rng(0))
    of_model = {0} if make is bots.tiny_bots else {0, 1}  # a network has more to be wrong
    results: dict[str, int] = {}
    for number in range(NUM_FILES):
        rng = np.random.default_rng([77, number])
        mutate = models.mutate if number % 3 in of_model else bots.mutate
        path = tmp_path / f"{number}.safetensors"
        path.write_bytes(mutate(parts[number % len(parts)], rng))
        result = answer_alike(core, path)
        results[result] = results.get(result, 0) + 1
        path.unlink()
    assert results["opened"] > NUM_FILES // 20
    assert results["refused: model"] > NUM_FILES // 4
    assert results["refused: templates"] > 0


@pytest.fixture
def bot_file(exportable_models: dict[str, Path], tmp_path: Path) -> Path:
    path = tmp_path / "bot.safetensors"
    templates = {"on": ["turn on the lamp"], "off": ["lamp off"]}
    IntentRecognizer.load(templates, exportable_models["transformer"]).save(path)
    return path


def test_a_file_is_refused_at_each_length_and_with_each_byte_changed(
    core: Core, bot_file: Path, tmp_path: Path
) -> None:
    content = bot_file.read_bytes()
    rng = random.Random(0)
    path = tmp_path / "damaged.safetensors"
    for size in {*range(0, 64), *rng.sample(range(len(content)), 60), len(content) - 1}:
        path.write_bytes(content[:size])
        assert refusal(core.open, path) == refusal(core.open_model, path)
        assert refusal(core.open, path)[0] == "model"
    for place in {*range(16), *rng.sample(range(len(content)), 120)}:
        damaged = bytearray(content)
        damaged[place] ^= 1 << rng.randrange(8)
        path.write_bytes(damaged)
        assert refusal(core.open, path) == refusal(core.open_model, path)
    path.write_bytes(content + b"\0")
    for call in (core.open, core.open_model):
        assert "longer than its tensors" in refusal(call, path)[1]


def refusal(call: Callable[[Path], CoreBot], path: Path) -> tuple[str, str]:
    """The status and the message of an opening that fails."""
    with pytest.raises(CoreError) as error:
        call(path)
    return error.value.status, error.value.message


def test_what_is_no_file_is_refused(core: Core, tmp_path: Path) -> None:
    pipe, name = tmp_path / "pipe", tmp_path / "socket"
    os.mkfifo(pipe)
    for call in (core.open, core.open_model):
        assert refusal(call, tmp_path / "missing")[0] == "file"
        assert "no such model file" in refusal(call, tmp_path / "missing")[1]
        assert refusal(call, tmp_path)[0] == "file"
        assert "pipe" in refusal(call, pipe)[1]
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(name))
            assert refusal(call, name)[0] == "file"
        name.unlink()
        assert refusal(call, Path("/dev/null"))[0] == "file"


def test_a_model_without_a_bot_and_a_kind_without_support(
    core: Core, exportable_models: dict[str, Path], tmp_path: Path
) -> None:
    with pytest.raises(CoreError, match="a model without templates"):
        core.open(exportable_models["static"])
    table = load_encoder(exportable_models["static"])
    assert isinstance(table, StaticEncoder)
    path = tmp_path / "odd.safetensors"
    IntentRecognizer(OddEncoder(table.vocabulary, table.words), {"on": ["lamp on"]}).save(path)
    for call in (core.open, core.open_model):
        status, message = refusal(call, path)
        assert status == "unsupported" and "no encoder kind 'odd'" in message
