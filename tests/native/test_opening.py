"""What opening a bot file does in large steps has the results of small ones, and little memory."""

import json
import random
from copy import deepcopy
from ctypes import byref, c_void_p
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest
from numpy.typing import NDArray

from benchmarks.robustness.hostile_files.bots import tiny_bots
from benchmarks.robustness.hostile_files.models import Parts, seal
from native_core import Core
from native_interface import CoreError, Counted
from pocketintent import IntentRecognizer, ModelFileError
from pocketintent.runtime.text.correction import Corrector
from pocketintent.runtime.text.tokenizer import simple_tokenize
from pocketintent.runtime.text.vocabulary import LostWords, Vocabulary

MOST_MEMORY = 1_000_000
"""Bytes beside the map that an open bot of a shipped model may take."""


def test_strings_are_read_wherever_their_special_characters_are(core: Core) -> None:
    for special in ('"', "\\", "\n", "\x00", "\x1f", " ", "\x7f", "é", "漢", "🙂"):
        for before in range(20):
            text = "x" * before + special + "é" * (before % 3) + "y" * 9 + special
            for data in (json.dumps(text), json.dumps(text, ensure_ascii=False)):
                assert core.json(data.encode(), 9, False, False) == orjson.dumps(text)
    for control in map(chr, range(32)):
        for before in range(20):
            data = f'"{"x" * before}{control}"'
            assert core.json(data.encode(), 9, False, False) is None


def test_words_of_each_length_are_found_and_counted(core: Core) -> None:
    rng = random.Random(3)
    long = ["abcdefgh" + "".join(rng.choices("xy", k=length)) for length in range(30)]
    words = sorted({"".join(rng.choices("abé", k=length)) for length in range(1, 40)} | {*long})
    rng.shuffle(words)
    for word in words:
        assert core.pieces(words, word) == [word]
        assert core.pieces(words, word + "z") != [word + "z"]
    own = [" ".join(rng.choices(long, k=9)) for _ in range(60)]
    read = Corrector(own, Vocabulary(words, LostWords()))
    for text in [*long, *(word[:-1] for word in long), "abcdefghxx abcdefghyy"]:
        assert core.read(own, words, [], text) == simple_tokenize(read(text))


def test_thousands_of_own_words_are_counted(core: Core) -> None:
    rng = random.Random(4)
    words = sorted({"".join(rng.choices("abcde", k=rng.randrange(3, 12))) for _ in range(3000)})
    own = [" ".join(rng.choices(words, k=8)) for _ in range(800)]
    read = Corrector(own, Vocabulary(["none"], LostWords()))
    for word in rng.sample(words, 60):
        text = "f" + word[1:] + " " + word[:-1]
        assert core.read(own, ["none"], [], text) == simple_tokenize(read(text))


@pytest.fixture(scope="module")
def bots() -> list[Parts]:
    return tiny_bots(np.random.default_rng(5))


def changed(bot: Parts, name: str, tensor: NDArray[Any]) -> bytes:
    """The file with another content of a tensor, and a right checksum."""
    return seal(Parts(deepcopy(bot.manifest), bot.tensors | {name: tensor}))


def test_a_word_that_is_repeated_or_empty_is_named(
    core: Core, bots: list[Parts], tmp_path: Path
) -> None:
    path = tmp_path / "bot.safetensors"
    words = bytes(bots[0].tensors["vocabulary.bytes"]).split(b"\n")
    assert len(words) > 2
    for place in range(1, len(words)):
        for word in (words[0], b""):
            text = b"\n".join([*words[:place], word, *words[place + 1 :]])
            content = changed(bots[0], "vocabulary.bytes", np.frombuffer(text, np.uint8))
            path.write_bytes(content)
            with pytest.raises(ModelFileError):
                IntentRecognizer.load(path, backend="numpy")
            named = "is empty" if word == b"" else f"'{word.decode()}' twice, at 0 and {place};"
            with pytest.raises(CoreError) as error:
                core.open(path)
            assert named in error.value.message
            assert f" {place}" in error.value.message


def test_many_words_with_one_that_is_repeated(
    core: Core, bots: list[Parts], tmp_path: Path
) -> None:
    path = tmp_path / "bot.safetensors"
    for count in (7, 8, 9, 64, 1000):
        words = [f"word{number}" * (1 + number % 4) for number in range(count)] + ["word3" * 4]
        text = "\n".join(words).encode()
        path.write_bytes(changed(bots[0], "vocabulary.bytes", np.frombuffer(text, np.uint8)))
        with pytest.raises(CoreError) as error:
            core.open(path)
        assert f"'{'word3' * 4}' twice, at 3 and {count};" in error.value.message


def test_a_number_beyond_the_range_is_found_wherever_it_is(
    core: Core, bots: list[Parts], tmp_path: Path
) -> None:
    path, tried = tmp_path / "bot.safetensors", 0
    for bot in bots[:: len(bots) // 3]:
        for name, tensor in bot.tensors.items():
            if tensor.dtype.kind != "f" or tensor.size == 0:
                continue
            bad = [np.nan, np.inf, -np.inf, *([65505.0, -7e4] if tensor.itemsize > 2 else [])]
            for number in bad:
                for place in {0, tensor.size // 2, tensor.size - 1}:
                    array = tensor.copy()
                    array.reshape(-1)[place] = number
                    path.write_bytes(changed(bot, name, array))
                    with pytest.raises(CoreError, match="NaN, infinite or beyond 65504"):
                        core.open(path)
                    tried += 1
    assert tried > 100


@pytest.mark.parametrize("model", ["default", "fast", "tiny"])
def test_an_open_bot_takes_little_memory(core: Core, tmp_path: Path, model: str) -> None:
    path, memory, bot = tmp_path / "bot.safetensors", Counted(), c_void_p()
    IntentRecognizer.load({"on": ["turn on the lamp"], "off": ["lamp off"]}, model).save(path)
    assert core.lib.pintent_open(str(path).encode(), byref(memory.struct), byref(bot), None) == 0
    taken = sum(memory.sizes.values())
    core.lib.pintent_close(bot)
    assert 100_000 < taken < MOST_MEMORY
    assert not memory.sizes
