"""Sentence encoders from local folders: pocketintent models, ONNX graphs, Hugging Face models."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import orjson
from numpy.typing import NDArray

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.errors import PocketIntentError, require
from pocketintent.runtime.files.shipped_models import bundled_models

Pooling = Literal["mean", "cls"]

EXTRA = "teacher"
MAX_TOKENS = 128

_SENTENCE_OUTPUTS = ("sentence_embedding", "sentence")
_WEIGHTS = ("model*.safetensors", "pytorch_model*.bin")


def load_teacher(
    path: str | Path, *, device: str = "cpu", threads: int = 1, max_tokens: int = MAX_TOKENS
) -> Encoder:
    """Open a sentence encoder; nothing is downloaded.

    Args:
        path: A pocketintent model file; an ``.onnx`` file with ``tokenizer.json`` beside it; a
            folder with both (the graph as ``model.onnx``, ``onnx/model.onnx`` or the only one);
            or the folder of a Hugging Face transformer. A folder with a transformer's weights
            and a graph is read as a transformer.
        device: Torch device of a transformer.
        threads: CPU threads of an ONNX graph.
        max_tokens: Longer texts are cut.

    Returns:
        The encoder. A text is the mean of its tokens' last states, or the first token's where
        ``1_Pooling/config.json`` says so, at unit length; a graph that gives one vector for
        each text pools by itself.

    Raises:
        PocketIntentError: There is nothing of this kind at the path, or it cannot be used.
        MissingExtraError: A package that the encoder needs is not installed.
    """
    path = Path(path)
    if path.is_dir():
        if (path / "config.json").is_file() and any(list(path.glob(name)) for name in _WEIGHTS):
            return TransformerTeacher(path, device=device, max_tokens=max_tokens)
        graph = _find_graph(path)
        return OnnxTeacher(graph, path, threads=threads, max_tokens=max_tokens)
    if path.suffix == ".onnx":
        return OnnxTeacher(path, path.parent, threads=threads, max_tokens=max_tokens)
    if not path.exists() and str(path) not in bundled_models():
        raise PocketIntentError(
            f"{path}: there is no such teacher; it is a pocketintent model, an .onnx file, or the "
            "folder of one or of a Hugging Face transformer"
        )
    return load_encoder(path)


class OnnxTeacher:
    """A sentence encoder as an ONNX graph on ONNX Runtime.

    Args:
        graph: The ``.onnx`` file; of its inputs, ``input_ids``, ``attention_mask`` and
            ``token_type_ids`` are known.
        folder: Where ``tokenizer.json`` is.
        threads: CPU threads.
        max_tokens: Longer texts are cut.

    Raises:
        PocketIntentError: A file is missing or cannot be used.
    """

    template_quantizer = None

    def __init__(self, graph: Path, folder: Path, *, threads: int, max_tokens: int) -> None:
        runtime = require("onnxruntime", EXTRA)
        tokenizers = require("tokenizers", EXTRA)
        self._pooling = read_pooling(folder)
        tokenizer = folder / "tokenizer.json"
        for file in (graph, tokenizer):
            if not file.is_file():
                raise PocketIntentError(f"{file}: there is no such file; an ONNX teacher needs it")
        options = runtime.SessionOptions()
        options.intra_op_num_threads = threads
        try:
            self._session = runtime.InferenceSession(
                str(graph), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # its errors share no other base
            raise PocketIntentError(f"{graph}: ONNX Runtime cannot read it: {error}") from error
        try:
            self._tokenizer = tokenizers.Tokenizer.from_file(str(tokenizer))
        except Exception as error:  # the library raises Exception itself
            raise PocketIntentError(f"{tokenizer}: is no tokenizer: {error}") from error
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(max_tokens)
        self._inputs = [entry.name for entry in self._session.get_inputs()]
        unknown = set(self._inputs) - {"input_ids", "attention_mask", "token_type_ids"}
        if unknown:
            raise PocketIntentError(f"{graph}: inputs {sorted(unknown)} are not known here")
        self._output = _choose_output(graph, self._session.get_outputs())
        self.dim = len(self.encode("a"))

    def encode(self, text: str) -> FloatArray:
        """The vector of a text, float32 [dim]: unit length, or zeros for no tokens."""
        vector: FloatArray = self.encode_batch([text])[0]
        return vector

    def encode_batch(self, texts: Sequence[str]) -> FloatArray:
        """The vectors of several texts, float32 [num_texts, dim]."""
        ids = [encoding.ids for encoding in self._tokenizer.encode_batch(list(texts))]
        # A graph cannot be run on nothing, so an empty text gets one token that is masked out.
        padded = np.zeros((len(ids), max(1, *map(len, ids))), np.int64)
        mask = np.zeros_like(padded)
        for row, found in enumerate(ids):
            padded[row, : len(found)] = found
            mask[row, : len(found)] = 1
        feed = {
            "input_ids": padded,
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(padded),
        }
        found = self._session.run([self._output], {name: feed[name] for name in self._inputs})[0]
        vectors = found if found.ndim == 2 else pool(found, mask, self._pooling)
        unit = to_unit(np.asarray(vectors, np.float32))
        unit[mask.sum(axis=1) == 0] = 0.0
        return unit


class TransformerTeacher:
    """A Hugging Face transformer on torch.

    Args:
        folder: Its folder, with configuration, weights and tokenizer.
        device: Torch device.
        max_tokens: Longer texts are cut.

    Raises:
        PocketIntentError: The folder cannot be used.
    """

    template_quantizer = None

    def __init__(self, folder: Path, *, device: str, max_tokens: int) -> None:
        transformers = require("transformers", EXTRA)
        self._torch: Any = require("torch", "train")
        self._pooling = read_pooling(folder)
        self._device = device
        try:
            self._tokenizer = transformers.AutoTokenizer.from_pretrained(
                folder, local_files_only=True
            )
            model = transformers.AutoModel.from_pretrained(folder, local_files_only=True)
        except (OSError, ValueError, KeyError) as error:
            raise PocketIntentError(f"{folder}: transformers cannot read it: {error}") from error
        self._model = model.to(device).eval()
        positions = getattr(model.config, "max_position_embeddings", max_tokens)
        self._max_tokens = min(max_tokens, positions)
        self.dim = int(model.config.hidden_size)

    def encode(self, text: str) -> FloatArray:
        """The vector of a text, float32 [dim]: unit length, or zeros for no tokens."""
        vector: FloatArray = self.encode_batch([text])[0]
        return vector

    def encode_batch(self, texts: Sequence[str]) -> FloatArray:
        """The vectors of several texts, float32 [num_texts, dim]."""
        encoded = self._tokenizer(
            list(texts),
            padding=True,
            truncation=True,
            max_length=self._max_tokens,
            return_tensors="pt",
        )
        if encoded["input_ids"].shape[1] == 0:
            return np.zeros((len(texts), self.dim), np.float32)
        with self._torch.inference_mode():
            states = self._model(**encoded.to(self._device)).last_hidden_state
        mask: NDArray[np.int64] = encoded["attention_mask"].cpu().numpy()
        return to_unit(pool(states.float().cpu().numpy(), mask, self._pooling))


def pool(states: FloatArray, mask: NDArray[np.int64], pooling: Pooling) -> FloatArray:
    """One vector for each text.

    Args:
        states: Last states of the tokens, float32 [num_texts, length, dim].
        mask: 1 for a token and 0 for padding, [num_texts, length].
        pooling: ``mean`` of the tokens, or the first one's, ``cls``.

    Returns:
        float32 [num_texts, dim]; zeros for a text without tokens.
    """
    weights = mask.astype(np.float32)
    if pooling == "cls":
        weights[:, 1:] = 0.0
    counts = weights.sum(axis=1, keepdims=True).clip(1.0)
    pooled: FloatArray = np.einsum("btd,bt->bd", states, weights / counts).astype(np.float32)
    return pooled


def to_unit(vectors: FloatArray) -> FloatArray:
    """Vectors at unit length, zeros left as they are: float32 [num_texts, dim]."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: FloatArray = vectors / np.where(norms > 0, norms, np.float32(1.0))
    return unit


def read_pooling(folder: Path) -> Pooling:
    """How a sentence-transformers folder pools; ``mean`` where it does not say.

    Raises:
        PocketIntentError: It pools in a way, or has a further layer, that is not known here.
    """
    modules = _read_json(folder / "modules.json", [])
    types = [str(module.get("type", "")) for module in modules if isinstance(module, dict)]
    if dense := [name for name in types if name.endswith(".Dense")]:
        raise PocketIntentError(f"{folder}: the layer {dense[0]} after pooling is not known here")
    config = _read_json(folder / "1_Pooling" / "config.json", {})
    modes = [
        key.removeprefix("pooling_mode_")
        for key, value in config.items()
        if key.startswith("pooling_mode_") and value is True
    ] or ["mean_tokens"]
    if modes == ["cls_token"]:
        return "cls"
    if modes != ["mean_tokens"]:
        raise PocketIntentError(f"{folder}: pooling by {', '.join(modes)} is not known here")
    return "mean"


def _read_json(path: Path, default: Any) -> Any:
    if not path.is_file():
        return default
    try:
        content = orjson.loads(path.read_bytes())
    except orjson.JSONDecodeError as error:
        raise PocketIntentError(f"{path}: not JSON: {error}") from error
    if not isinstance(content, type(default)):
        raise PocketIntentError(f"{path}: wanted a JSON {type(default).__name__}")
    return content


def _find_graph(folder: Path) -> Path:
    for graph in (folder / "model.onnx", folder / "onnx" / "model.onnx"):
        if graph.is_file():
            return graph
    graphs = sorted(folder.glob("*.onnx"))
    if len(graphs) == 1:
        return graphs[0]
    if graphs:
        names = ", ".join(graph.name for graph in graphs)
        raise PocketIntentError(f"{folder}: has several graphs, {names}; name one of the files")
    raise PocketIntentError(
        f"{folder}: holds no sentence encoder; wanted config.json with model.safetensors or "
        "pytorch_model.bin, or an .onnx file with tokenizer.json"
    )


def _choose_output(graph: Path, outputs: Sequence[Any]) -> str:
    """The output with sentence vectors, else the tokens' states; a BERT's pooler is neither."""
    named = [entry.name for entry in outputs if entry.name in _SENTENCE_OUTPUTS]
    states = [entry.name for entry in outputs if len(entry.shape) == 3]
    vectors = [entry.name for entry in outputs if len(entry.shape) == 2]
    if not (named or states or vectors):
        raise PocketIntentError(f"{graph}: has no output [texts, dim] or [texts, tokens, dim]")
    name: str = [*named, *states, *vectors][0]
    return name
