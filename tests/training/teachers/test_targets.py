from pathlib import Path

import numpy as np
import pytest

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.teachers.targets import read_targets
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
