"""Model2Vec (Tulkens and van Dongen 2024), distilled from MiniLM."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.systems.contract import EXTRA
from benchmarks.systems.minilm import minilm_folder
from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.errors import require

MODEL2VEC_DIM = 256  # the default of its distillation


class Model2VecEncoder:
    """The distilled model, opened from the cache folder."""

    template_quantizer = None
    background = None
    known_words = None

    def __init__(self, cache: Path) -> None:
        self._model = require("model2vec", EXTRA).StaticModel.from_pretrained(cache / "model2vec")
        self.dim = int(self._model.dim)

    def encode(self, text: str) -> FloatArray:
        """The embedding of a text, float32 [dim], unit length."""
        return _unit(self._model.encode(text))

    def encode_batch(self, texts: Sequence[str]) -> FloatArray:
        """The embeddings of several texts, float32 [num_texts, dim]."""
        return _unit(self._model.encode(list(texts), use_multiprocessing=False))


def _unit(vectors: FloatArray) -> FloatArray:
    norms = np.linalg.norm(vectors, axis=-1, keepdims=True)
    unit: FloatArray = (vectors / np.maximum(norms, 1e-12)).astype(np.float32, copy=False)
    return unit


def model2vec_files(cache: Path) -> list[Path]:
    """The files of the distilled model."""
    return [path for path in (cache / "model2vec").iterdir() if path.is_file()]


def build_model2vec(cache: Path) -> None:
    """Distil Model2Vec from MiniLM, unless the cache has it; two minutes on one core."""
    if (cache / "model2vec").is_dir():
        return
    distillation = require("model2vec.distill", EXTRA)
    model = distillation.distill(
        model_name=str(minilm_folder()), pca_dims=MODEL2VEC_DIM, device="cpu"
    )
    partial = cache / "model2vec.partial"
    shutil.rmtree(partial, ignore_errors=True)
    model.save_pretrained(str(partial))
    partial.rename(cache / "model2vec")
