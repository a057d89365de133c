"""What holds for every encoder that reads the words of a text in their order."""

import copy
import pickle
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest

from pocketintent.compression.kinds import compression_of
from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.encoders.registry import load_kind
from pocketintent.runtime.files.model_file import save_model

Kind = TypeVar("Kind", bound=ModelEncoder)


def check_equations(
    encoder: Kind, plain_vector: Callable[[Kind, str], FloatArray], texts: Sequence[str]
) -> None:
    """A batch and single texts have the vectors of a plain implementation."""
    batch = encoder.encode_batch(texts)
    assert batch.dtype == np.float32
    assert batch.shape == (len(texts), encoder.dim)
    for row, text in zip(batch, texts, strict=True):
        expected = plain_vector(encoder, text)
        np.testing.assert_allclose(row, expected, atol=1e-5)
        np.testing.assert_allclose(encoder.encode(text), expected, atol=1e-5)


def check_batch(encoder: ModelEncoder, texts: Sequence[str], atol: float = 1e-5) -> None:
    """A batch has the vectors of its texts one by one."""
    one_by_one = np.stack([encoder.encode(text) for text in texts])
    np.testing.assert_allclose(encoder.encode_batch(texts), one_by_one, atol=atol)


def check_hostile_text(encoder: ModelEncoder, text: str) -> None:
    """The vector has unit length, or is zeros where nothing in the text is known."""
    vector = encoder.encode(text)
    assert vector.shape == (encoder.dim,)
    is_known = any(encoder.encode(token).any() for token in set(encoder.tokenize(text)))
    assert np.linalg.norm(vector) == pytest.approx(int(is_known))
    np.testing.assert_allclose(encoder.encode_batch([text])[0], vector, atol=1e-6)


def check_save_and_load(encoder: Kind, folder: Path, texts: Sequence[str]) -> Kind:
    """A loaded encoder has the same vectors and is saved as the same bytes; returns it."""
    path, again = folder / "model.safetensors", folder / "again.safetensors"
    save_model(path, *encoder.to_model_file_parts())
    loaded = load_kind(path, type(encoder))
    np.testing.assert_array_equal(loaded.encode_batch(texts), encoder.encode_batch(texts))
    save_model(again, *loaded.to_model_file_parts())
    assert again.read_bytes() == path.read_bytes()
    return loaded


def check_copies(encoder: ModelEncoder, texts: Sequence[str]) -> None:
    """Copies and pickled encoders have the same vectors."""
    expected = encoder.encode_batch(texts)
    for copied in (
        copy.copy(encoder),
        copy.deepcopy(encoder),
        pickle.loads(pickle.dumps(encoder)),
    ):
        np.testing.assert_array_equal(copied.encode_batch(texts), expected)


def check_size_groups(encoder: ModelEncoder, prefix: str) -> None:
    """The tensors of a network count as network, those of the table as embedding."""
    _, tensors = encoder.to_model_file_parts()
    groups = {name: compression_of(encoder.kind).size_group(name) for name in tensors}
    assert {groups[name] for name in groups if name.startswith(prefix)} == {"network"}
    assert groups["words.embedding"] == "embedding"


def check_cache(
    make: Callable[[], ModelEncoder], texts: Sequence[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An encoder whose cache of three words overflows has the vectors of new encoders.

    Args:
        make: Makes the encoder.
        texts: The texts, each read twice.
        monkeypatch: Sets the limit of the cache.
    """
    expected = [make().encode(text) for text in texts]
    monkeypatch.setattr("pocketintent.runtime.encoders.word_cache.WORD_CACHE", 3)
    encoder = make()
    for text, vector in [*zip(texts, expected, strict=True)] * 2:
        np.testing.assert_array_equal(encoder.encode(text), vector)
