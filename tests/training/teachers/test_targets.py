from pathlib import Path

import numpy as np
import pytest

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.teachers.targets import principal_components, read_targets
from pocketintent.training.vectors.table import TermVectors
from pocketintent.training.vectors.writing import write_vectors


def write(path: Path, terms: list[str], dim: int) -> Path:
    rows = np.arange(len(terms) * dim, dtype=np.float32).reshape(-1, dim)
    write_vectors(path, TermVectors(terms, rows + 1))
    return path


def test_targets_of_several_files_are_concatenated(tmp_path: Path) -> None:
    one = write(tmp_path / "words.tsv", ["play", "stop"], 3)
    two = write(tmp_path / "texts.tsv", ["play some jazz", "stop"], 3)
    both = read_targets([one, two])
    assert both.terms == ["play", "stop", "play some jazz", "stop"]
    assert both.vectors[2].tolist() == [1, 2, 3]
    assert read_targets([one, two], limit=1).terms == ["play", "play some jazz"]


def test_the_error_names_the_file_of_another_dimension(tmp_path: Path) -> None:
    one = write(tmp_path / "words.tsv", ["play"], 3)
    other = write(tmp_path / "other.tsv", ["stop"], 5)
    with pytest.raises(PocketIntentError, match=r"other\.tsv: its vectors have dim 5"):
        read_targets([one, other])


def test_principal_components_keep_the_centred_directions_and_zeros() -> None:
    rng = np.random.default_rng(0)
    plane = rng.standard_normal((5000, 2)).astype(np.float32)
    vectors = plane @ rng.standard_normal((2, 6)).astype(np.float32)
    vectors[7] = 0
    targets = TermVectors([f"w{number}" for number in range(len(vectors))], vectors)
    reduced = principal_components(targets, 2)
    assert reduced.terms == targets.terms
    assert not reduced.vectors[7].any()
    others = np.delete(np.arange(len(vectors)), 7)
    centred = vectors[others] - vectors[others].mean(axis=0)
    centred /= np.linalg.norm(centred, axis=1, keepdims=True)
    found = reduced.vectors[others]
    # The vectors lie in a plane, of which two components lose nothing.
    np.testing.assert_allclose(found[:50] @ found.T, centred[:50] @ centred.T, atol=1e-4)


def test_zeros_alone_have_no_components() -> None:
    targets = TermVectors(["a", "b"], np.zeros((2, 3), np.float32))
    assert not principal_components(targets, 2).vectors.any()
