from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketintent.runtime.encoders.parts import STEPS, round_counts
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.files.model_file import load_model, save_model
from pocketintent.runtime.quantization.matrices import DenseMatrix
from pocketintent.runtime.text.vocabulary import Vocabulary

COUNTS = np.array([90_001, 700, 14, 1, 0], np.uint32)
COMPACT = {"counts": {"coding": "log2", "steps": STEPS}}


def make_encoder(**parts: Any) -> StaticEncoder:
    vectors = np.eye(5, 4, dtype=np.float32)
    return StaticEncoder(Vocabulary(list("abcde")), DenseMatrix(vectors), **parts)


@given(st.lists(st.integers(0, 3_600_000_000), min_size=1, max_size=50))
def test_rounded_counts_are_near_in_order_and_stable(numbers: list[int]) -> None:
    counts = np.sort(np.array(numbers, np.uint32))
    rounded = round_counts(counts)
    assert rounded.dtype == np.uint32
    np.testing.assert_allclose(rounded, counts, rtol=1 / 14)
    np.testing.assert_array_equal(rounded[counts <= 13], counts[counts <= 13])
    assert (rounded[:-1] <= rounded[1:]).all()
    np.testing.assert_array_equal(round_counts(rounded), rounded)


def test_counts_beyond_the_scale_are_its_end() -> None:
    ends = round_counts(np.array([2**32 - 1, 2**62], np.uint64))
    assert ends.tolist() == [3_611_622_603] * 2


def test_compact_counts_take_a_byte_a_word_and_are_read_as_rounded(tmp_path: Path) -> None:
    encoder = make_encoder(counts=COUNTS, compact_counts=True)
    path = tmp_path / "compact.safetensors"
    save_model(path, *encoder.to_model_file_parts())
    content = load_model(path)
    assert content.tensors["vocabulary.counts"].dtype == np.uint8
    assert content.manifest["counts"] == COMPACT["counts"]
    loaded = load_encoder(path)
    assert loaded.compact_counts and loaded.counts is not None
    np.testing.assert_array_equal(loaded.counts, round_counts(COUNTS))
    again = tmp_path / "again.safetensors"
    save_model(again, *loaded.to_model_file_parts())
    assert again.read_bytes() == path.read_bytes()


def test_a_model_that_drops_its_compact_counts_drops_their_manifest_entry(tmp_path: Path) -> None:
    path = tmp_path / "compact.safetensors"
    parts = make_encoder(counts=COUNTS, compact_counts=True).to_model_file_parts()
    save_model(path, *parts)
    manifest, tensors = load_encoder(path).replace(counts=None).to_model_file_parts()
    assert "counts" not in manifest and "vocabulary.counts" not in tensors


@pytest.mark.parametrize(
    ("manifest", "counts", "message"),
    [
        (COMPACT, COUNTS, "vocabulary.counts must be uint8"),
        (COMPACT, None, "not missing"),
        (COMPACT, np.ones(4, np.uint8), "5 whole numbers"),
        ({"counts": 8}, np.ones(5, np.uint8), "no object 'counts'"),
        ({"counts": {"coding": "linear", "steps": 8}}, np.ones(5, np.uint8), "coding 'log2'"),
        ({"counts": {"coding": "log2"}}, np.ones(5, np.uint8), "8 to 255 steps"),
        ({"counts": {"coding": "log2", "steps": 1}}, np.ones(5, np.uint8), "8 to 255 steps"),
        ({"counts": {"coding": "log2", "steps": 8.0}}, np.ones(5, np.uint8), "8 to 255 steps"),
        ({"counts": {"coding": "log2", "steps": 10**9}}, np.ones(5, np.uint8), "8 to 255 steps"),
    ],
)
def test_counts_that_do_not_fit_their_manifest_entry_are_refused(
    tmp_path: Path, manifest: dict[str, Any], counts: np.ndarray | None, message: str
) -> None:
    good_manifest, tensors = make_encoder().to_model_file_parts()
    path = tmp_path / "odd.safetensors"
    if counts is not None:
        tensors["vocabulary.counts"] = counts
    save_model(path, {**good_manifest, **manifest}, tensors)
    with pytest.raises(ModelFileError, match=message):
        load_encoder(path)
