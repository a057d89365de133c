from pathlib import Path

import numpy as np
import pytest

from benchmarks.systems.model2vec import Model2VecEncoder, build_model2vec, model2vec_files


def test_vectors_have_unit_length_and_a_batch_equals_its_texts(tmp_path: Path) -> None:
    model2vec = pytest.importorskip("model2vec")
    tokenizers = pytest.importorskip("tokenizers")
    words = {"[UNK]": 0, "turn": 1, "lights": 2, "on": 3}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    table = np.random.default_rng(0).normal(size=(4, 8)).astype(np.float32)
    model2vec.StaticModel(table, tokenizer).save_pretrained(str(tmp_path / "model2vec"))

    encoder = Model2VecEncoder(tmp_path)
    vectors = encoder.encode_batch(["turn on", "lights"])

    assert encoder.dim == 8
    assert model2vec_files(tmp_path) != []
    np.testing.assert_allclose(vectors, [encoder.encode("turn on"), encoder.encode("lights")])
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


def test_nothing_is_distilled_where_the_cache_has_the_model(tmp_path: Path) -> None:
    (tmp_path / "model2vec").mkdir()
    build_model2vec(tmp_path)
    assert model2vec_files(tmp_path) == []
