"""What an edit of the C core consists of: its parts compute what Python's compute."""

import ctypes
import random
from ctypes import c_size_t, c_void_p
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from native_core import Core
from native_edits import add, assert_equal, assert_saves_alike, open_both, remove
from native_interface import encode
from pocketintent import IntentRecognizer
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.files.model_file import load_model
from pocketintent.runtime.quantization.lbg import draw_rows, fit_lbg
from pocketintent.runtime.templates.template_set import words_of_name


def test_a_codebook_is_fitted_where_python_fits_one(core: Core, tmp_path: Path) -> None:
    encoder: Any = load_encoder("tiny")
    encoder.template_quantizer = encoder.table.template_quantizer = None
    both = open_both(core, IntentRecognizer(encoder, {"intents": {}}), tmp_path)
    texts = ["play some jazz", "lamp on", "what is the time"]
    both = add(both, "lamp", ["lamp on", "turn on the lamp please"])
    both = add(both, "jazz", texts[:1])
    assert_equal(both, texts)
    assert_saves_alike(core, both, texts, tmp_path)
    both = remove(remove(both, "lamp"), "jazz")
    assert_saves_alike(core, both, texts, tmp_path)
    both[1].close()
    # Too large an error, of more sub-vectors than are sampled.
    recognizer = IntentRecognizer(encoder, "smart_home")
    recognizer.indexed.max_error = 1e-3
    both = add(open_both(core, recognizer, tmp_path), "jazz", texts[:1])
    assert_saves_alike(core, both, texts, tmp_path)
    # A vector that is as near to two centroids may go to either, and so may all that follows.
    errors = [
        load_model(tmp_path / f"{name}.safetensors").tensors["bot.index.errors"].sum()
        for name in ("ours", "theirs")
    ]
    assert errors[0] == pytest.approx(errors[1], rel=0.02)
    both[1].close()


def test_vectors_are_drawn_and_clustered_as_in_python(core: Core) -> None:
    for first, second in ((9000, 60_000), (20_000, 9_500), (100, 500_000), (30_000, 12_000)):
        marks = (ctypes.c_bool * first)(), (ctypes.c_bool * second)()
        sizes = c_size_t(8192), c_size_t(8192)
        arguments = marks[0], c_size_t(first), sizes[0], marks[1], c_size_t(second), sizes[1]
        assert core.lib.hook_draw(*arguments)
        rng = np.random.default_rng(0)
        for found, count in zip(marks, (first, second), strict=True):
            drawn = draw_rows(np.arange(count, dtype=np.float32)[:, None], 8192, rng)
            assert np.flatnonzero(found).tolist() == drawn[:, 0].tolist()
    rng = np.random.default_rng(5)
    for num, dim, size in ((40, 2, 256), (300, 1, 16), (2000, 2, 256), (500, 3, 48)):
        vectors = rng.normal(size=(num, dim)).astype(np.float32)
        vectors[num // 2 :] = vectors[: num - num // 2]  # some are equal
        codebook = np.empty((size, dim), np.float32)
        places = [array.ctypes.data_as(c_void_p) for array in (vectors, codebook)]
        sizes_of = c_size_t(num), c_size_t(dim), c_size_t(size)
        assert core.lib.hook_fit_lbg(places[0], *sizes_of, places[1])
        np.testing.assert_allclose(codebook, fit_lbg(vectors, size), atol=1e-5)


def test_numbers_are_rounded_to_half_precision_as_in_numpy(core: Core) -> None:
    core.lib.hook_to_half.argtypes = [ctypes.c_float]
    rng = np.random.default_rng(0)
    halves = np.arange(0x7C00, dtype=np.uint16).view(np.float16).astype(np.float32)
    between = (halves[:-1] + halves[1:]) / 2
    numbers = np.concatenate(
        [between, np.nextafter(between, 0), halves[:500], rng.normal(size=500)]
    )
    for number in [*numbers[::7].astype(np.float32).tolist(), 65504.0, 65519.9, -1e-8, -2.5]:
        assert core.lib.hook_to_half(number) == int(np.float16(number).view(np.uint16)), number


def test_names_are_read_as_in_python(core: Core) -> None:
    rng = random.Random(0)
    points = [chr(point) for point in range(0x110000) if not 0xD800 <= point < 0xE000]
    cased = [char for char in points if char.isupper() or char.islower() or char.lower() != char]
    names = ["openURLAgain", "cardArrival", "ÄpfelUndBirnen", "A", "aB" * 4000, "", "ABc"]
    names += ["".join(rng.choices(rng.choice([cased, points]), k=40)) for _ in range(3000)]
    names += ["a".join(cased[n : n + 50]) for n in range(0, len(cased), 50)]
    names += ["B".join(cased[n : n + 50]) for n in range(0, len(cased), 50)]
    for name in names:
        data = encode(name)
        room = ctypes.create_string_buffer(2 * len(data) + 8)
        size = core.lib.hook_words_of_name(data, c_size_t(len(data)), room)
        assert room.raw[:size].decode() == words_of_name(name), ascii(name)
