from pathlib import Path

import numpy as np
import pytest

from models.vector_tables import random_table
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.vectors.table import TermVectors, to_encoder
from pocketintent.training.vectors.writing import write_vectors


def test_vectors_need_one_row_for_each_term() -> None:
    for rows in (np.zeros((2, 3), np.float32), np.zeros((1, 3)), np.zeros(1, np.float32)):
        with pytest.raises(PocketIntentError, match="1 terms need float32"):
            TermVectors(["a"], rows)


def test_an_encoder_of_a_table_sums_the_words_in_it(tmp_path: Path) -> None:
    vectors = random_table(["good", "morning", "good_morning"])
    encoder = to_encoder(vectors, manifest={"training": {"method": "none"}})
    total = vectors.vectors[0] + vectors.vectors[1]
    expected = total / np.linalg.norm(total)
    np.testing.assert_allclose(encoder.encode("Good morning, Vienna"), expected, rtol=1e-6)
    write_vectors(tmp_path / "m.safetensors", vectors)
    np.testing.assert_allclose(
        load_encoder(tmp_path / "m.safetensors").encode("good morning"), expected, rtol=1e-6
    )
