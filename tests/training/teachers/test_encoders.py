import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.teachers.encoders import pool, read_pooling, to_unit


@given(st.lists(st.integers(0, 5), min_size=1, max_size=4), st.integers(0, 2**32 - 1))
def test_pooling_ignores_padding(lengths: list[int], seed: int) -> None:
    states = np.random.default_rng(seed).standard_normal((len(lengths), 5, 3), np.float32)
    mask = np.array([[int(place < length) for place in range(5)] for length in lengths])
    mean = np.array(
        [row[:n].mean(axis=0) if n else np.zeros(3) for row, n in zip(states, lengths, strict=True)]
    )
    np.testing.assert_allclose(pool(states, mask, "mean"), mean, atol=1e-5)
    first = np.array([row[0] if n else np.zeros(3) for row, n in zip(states, lengths, strict=True)])
    np.testing.assert_allclose(pool(states, mask, "cls"), first, atol=1e-6)
    norms = np.linalg.norm(to_unit(pool(states, mask, "mean")), axis=1)
    np.testing.assert_allclose(norms, [float(n > 0) for n in lengths], atol=1e-5)


def test_pooling_is_read_from_the_folder(tmp_path: Path) -> None:
    assert read_pooling(tmp_path) == "mean"
    (tmp_path / "1_Pooling").mkdir()
    config = tmp_path / "1_Pooling" / "config.json"
    for modes, expected in (({"cls_token": True, "mean_tokens": False}, "cls"), ({}, "mean")):
        config.write_text(json.dumps({f"pooling_mode_{key}": on for key, on in modes.items()}))
        assert read_pooling(tmp_path) == expected
    config.write_text('{"pooling_mode_max_tokens": true}')
    with pytest.raises(PocketIntentError, match="pooling by max_tokens is not supported"):
        read_pooling(tmp_path)
    config.write_text("{")
    with pytest.raises(PocketIntentError, match=r"config\.json: not JSON"):
        read_pooling(tmp_path)
    (tmp_path / "modules.json").write_text('[{"type": "sentence_transformers.models.Dense"}]')
    with pytest.raises(PocketIntentError, match=r"the layer sentence_transformers\.models\.Dense"):
        read_pooling(tmp_path)
