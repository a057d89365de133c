from pathlib import Path

import numpy as np
import pytest

from models.tiny_transformers import write_transformer
from pocketintent.training.vectors.table import TermVectors
from pocketintent.training.vectors.writing import write_vectors

WORDS = ["play", "stop", "some", "jazz", "news", "lamp", "the", "not"]
LETTERS = "abcdefghijklmnopqrstuvwxyz"


@pytest.fixture(scope="session")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a BERT of two layers, eight dimensions and two heads."""
    folder = tmp_path_factory.mktemp("bert")
    write_transformer(folder, [*WORDS, *LETTERS, *(f"##{letter}" for letter in LETTERS)])
    return folder


@pytest.fixture(scope="session")
def targets(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A file of texts whose vector is that of their second word, if it follows "not" negated."""
    rng = np.random.default_rng(0)
    hidden = dict(zip(WORDS, rng.standard_normal((len(WORDS), 12)), strict=True))
    vectors = {}
    for first in WORDS:
        for second in WORDS:
            if first != second:
                vectors[f"{first} {second}"] = hidden[second] * (-1 if first == "not" else 1)
                vectors[f"{first} the {second}"] = hidden[second]
    path = tmp_path_factory.mktemp("targets") / "targets.tsv"
    array = np.array(list(vectors.values()), np.float32)
    array /= np.linalg.norm(array, axis=1, keepdims=True)
    write_vectors(path, TermVectors(list(vectors), array))
    return [path]
