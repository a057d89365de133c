"""Models and data for the tests of compressing."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from commands.compress_calls import NGRAMS, NOUNS, SMALL, VERBS, call
from pocketintent import IntentRecognizer
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.files.model_file import load_model, save_model
from pocketintent.runtime.quantization.matrices import DenseMatrix
from pocketintent.runtime.text.vocabulary import Vocabulary


@pytest.fixture
def model(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    words = [f"rare{letter}" for letter in "abcdefgh"] + NOUNS + VERBS
    vectors = rng.standard_normal((len(words), 12), dtype=np.float32)
    encoder = StaticEncoder(Vocabulary(words), DenseMatrix(vectors))
    manifest, tensors = encoder.to_model_file_parts()
    counts = np.array([1] * 8 + [50] * 8 + [40] * 8, dtype=np.uint32)
    path = tmp_path / "model.safetensors"
    save_model(path, manifest, tensors | {"vocabulary.counts": counts})
    return path


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.txt"
    path.write_text("".join(f"{verb} {noun}\n" for verb in VERBS for noun in NOUNS))
    return path


@pytest.fixture
def data(tmp_path: Path) -> Path:
    pairs = [
        {"a": f"{verb} {noun}", "b": f"{verb} {NOUNS[0]}", "score": 5 if noun == NOUNS[0] else 1}
        for verb in VERBS
        for noun in NOUNS
    ]
    (tmp_path / "sts.jsonl").write_text("\n".join(map(json.dumps, pairs)))
    folder = tmp_path / "commands"
    folder.mkdir()
    rows = [
        json.dumps({"text": f"{verb} {noun}", "intent": verb}) for verb in VERBS for noun in NOUNS
    ]
    for split in ("train", "valid", "test"):
        (folder / f"{split}.jsonl").write_text("\n".join(rows))
    return tmp_path


@pytest.fixture
def compressed(model: Path, corpus: Path, tmp_path: Path) -> Path:
    """A model of codes with n-grams, a template codebook and an earlier quality."""
    encoder = load_encoder(model)
    assert isinstance(encoder, StaticEncoder)
    buckets = np.random.default_rng(1).standard_normal((16, 12), dtype=np.float32)
    encoder = StaticEncoder(
        encoder.vocabulary, encoder.words, ngrams=DenseMatrix(buckets), ngram_settings=NGRAMS
    )
    manifest, tensors = encoder.to_model_file_parts()
    counts = load_model(model).tensors["vocabulary.counts"]
    save_model(model, manifest, tensors | {"vocabulary.counts": counts})
    path = tmp_path / "compressed.safetensors"
    call("compress", model, "--out", path, "--keep", 20, "--corpus", corpus, *SMALL)
    content = load_model(path)
    save_model(path, content.manifest | {"quality": {"old": 1.0}}, content.tensors)
    return path


@pytest.fixture
def bot(model: Path, tmp_path: Path) -> Path:
    path = tmp_path / "bot.safetensors"
    IntentRecognizer.load({"on": ["switch lamp"]}, model).save(path)
    return path
