from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("tokenizers")

import tokenizers
import torch

from benchmarks.speed.encoders.torch_modules import MINILM_DIM, TorchCharEmb, TorchMiniLM


@pytest.mark.parametrize("reads", ["text", "words"])
def test_charemb_gives_unit_vectors_and_zeros_for_unknown_characters(reads: str) -> None:
    encoder = TorchCharEmb("tiny", reads, 16, torch.device("cpu"))  # type: ignore[arg-type]
    vector = encoder.encode("turn it on")
    assert (vector.shape, vector.dtype) == ((16,), np.float32)
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)
    assert not encoder.encode("\u4e2d").any()


def test_minilm_gives_unit_vectors(tmp_path: Path) -> None:
    words = {"[UNK]": 0, "turn": 1, "on": 2}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.save(str(tmp_path / "minilm-tokenizer.json"))
    vector = TorchMiniLM(tmp_path, torch.device("cpu")).encode("turn it on")
    assert (vector.shape, vector.dtype) == ((MINILM_DIM,), np.float32)
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)
