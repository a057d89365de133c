from itertools import product
from pathlib import Path

import numpy as np
import pytest

from pocketintent.training.vectors.table import TermVectors
from pocketintent.training.vectors.writing import write_vectors

WORDS = ["play", "stop", "some", "jazz", "news", "lamp", "the", "not"]
DIM = 8


def toy_targets() -> tuple[TermVectors, TermVectors]:
    """Single words, and texts in which each word after "not" counts with the opposite sign."""
    rng = np.random.default_rng(0)
    hidden = dict(zip(WORDS, rng.standard_normal((len(WORDS), DIM)), strict=True))
    texts = {
        " ".join(text): sum(
            (-hidden[word] if before == "not" else hidden[word])
            for before, word in zip(("", *text), text, strict=False)
        )
        for length in (2, 3, 4)
        for text in product(WORDS, repeat=length)
        if rng.random() < {2: 1, 3: 0.5, 4: 0.05}[length] and len(set(text)) == length
    }
    return tuple(  # type: ignore[return-value]
        TermVectors(list(part), _unit(np.array(list(part.values())))) for part in (hidden, texts)
    )


def _unit(vectors: np.ndarray) -> np.ndarray:
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture(scope="session")
def targets(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The files of :func:`toy_targets`."""
    folder = tmp_path_factory.mktemp("targets")
    paths = [folder / "words.tsv", folder / "texts.tsv"]
    for path, vectors in zip(paths, toy_targets(), strict=True):
        write_vectors(path, vectors)
    return paths
