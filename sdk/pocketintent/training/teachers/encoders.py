"""Local sentence encoders as teachers: ONNX graphs and Hugging Face transformers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import orjson

from pocketintent.runtime.arrays import FloatArray, IntArray
from pocketintent.runtime.errors import PocketIntentError, require

TeacherPrecision = Literal["float32", "bfloat16"]
Pooling = Literal["mean", "cls"]
"""``mean`` of the tokens' states, or the state of the first token, ``cls``."""

_INPUTS = {"input_ids", "attention_mask", "token_type_ids"}
_SENTENCE_OUTPUTS = ("sentence_embedding", "sentence")
_WEIGHTS = ("model*.safetensors", "pytorch_model*.bin")


class _Teacher(ABC):
    """What an encoder of this module adds to its ``encode_batch``."""

    template_quantizer = None
    background = None
    known_words = None
    dim: int
    _tokenizer: Any

    def vocabulary(self) -> list[str]:
        """The tokens that the teacher knows."""
        return list(self._tokenizer.get_vocab())

    def encode(self, text: str) -> FloatArray:
        """The vector of a text, float32 [dim]: unit length, or zeros for no tokens."""
        vector: FloatArray = self.encode_batch([text])[0]
        return vector

    @abstractmethod
    def encode_batch(self, texts: Sequence[str]) -> FloatArray:
        """The vectors of several texts, float32 [num_texts, dim]."""


class OnnxTeacher(_Teacher):
    """A sentence encoder as an ONNX graph, on ONNX Runtime.

    The file ``graph`` has any of the inputs ``input_ids``, ``attention_mask``, ``token_type_ids``;
    ``folder`` has ``tokenizer.json``; otherwise it is a PocketIntentError. ``threads`` are of the
    CPU. Texts are cut to ``max_tokens``.
    """

    def __init__(self, graph: Path, folder: Path, *, threads: int, max_tokens: int) -> None:
        runtime = require("onnxruntime", "teacher")
        tokenizers = require("tokenizers", "teacher")
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
            raise PocketIntentError(f"{tokenizer}: not a tokenizer: {error}") from error
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(max_tokens)
        self._inputs = [entry.name for entry in self._session.get_inputs()]
        if unknown := set(self._inputs) - _INPUTS:
            raise PocketIntentError(
                f"{graph}: the inputs {sorted(unknown)} are not supported; {sorted(_INPUTS)} are"
            )
        self._output = _choose_output(graph, self._session.get_outputs())
        self.dim = len(self.encode("a"))

    def encode_batch(self, texts: Sequence[str]) -> FloatArray:
        """The vectors of several texts, float32 [num_texts, dim]."""
        if not texts:
            return np.zeros((0, self.dim), np.float32)
        ids = [encoding.ids for encoding in self._tokenizer.encode_batch(list(texts))]
        # A graph needs at least one token; that of an empty text is masked out.
        padded = np.zeros((len(ids), max(1, *map(len, ids))), np.int64)
        mask = np.zeros_like(padded)
        for row, tokens in enumerate(ids):
            padded[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        types = np.zeros_like(padded)
        feed = {"input_ids": padded, "attention_mask": mask, "token_type_ids": types}
        output = self._session.run([self._output], {name: feed[name] for name in self._inputs})[0]
        vectors = output if output.ndim == 2 else pool(output, mask, self._pooling)
        unit = to_unit(np.asarray(vectors, np.float32))
        unit[mask.sum(axis=1) == 0] = 0.0
        return unit


def _choose_output(graph: Path, outputs: Sequence[Any]) -> str:
    """Choose the sentence vectors, otherwise the states of the tokens.

    A matrix without a known name comes last: it may be BERT's pooler, which is neither.
    """
    named = [entry.name for entry in outputs if entry.name in _SENTENCE_OUTPUTS]
    states = [entry.name for entry in outputs if len(entry.shape) == 3]
    vectors = [entry.name for entry in outputs if len(entry.shape) == 2]
    if not (named or states or vectors):
        raise PocketIntentError(f"{graph}: has no output [texts, dim] or [texts, tokens, dim]")
    name: str = [*named, *states, *vectors][0]
    return name


def find_graph(folder: Path) -> Path:
    """The graph ``model.onnx``, ``onnx/model.onnx`` or the folder's only one, else an error."""
    for graph in (folder / "model.onnx", folder / "onnx" / "model.onnx"):
        if graph.is_file():
            return graph
    graphs = sorted(folder.glob("*.onnx"))
    if len(graphs) == 1:
        return graphs[0]
    if graphs:
        names = ", ".join(graph.name for graph in graphs)
        raise PocketIntentError(f"{folder}: contains several graphs, {names}; name one of them")
    raise PocketIntentError(
        f"{folder}: contains no sentence encoder: neither config.json with model.safetensors or "
        "pytorch_model.bin, nor an .onnx file with tokenizer.json"
    )


class TransformerTeacher(_Teacher):
    """A sentence encoder as a Hugging Face transformer, on torch.

    ``folder`` has the configuration, the weights and the tokenizer, else it is a PocketIntentError.
    Texts are cut to ``max_tokens``. Weights in ``bfloat16`` are two to three times as fast on a CPU
    with instructions for it, with cosines of .9998 to the vectors of ``float32``.
    """

    def __init__(
        self, folder: Path, *, device: str, max_tokens: int, precision: TeacherPrecision = "float32"
    ) -> None:
        self._pooling = read_pooling(folder)
        self._device = device
        self._tokenizer, self._model = load_transformer(folder, device, precision)
        positions = getattr(self._model.config, "max_position_embeddings", max_tokens)
        self._max_tokens = min(max_tokens, positions)
        self.dim = int(self._model.config.hidden_size)

    def encode_batch(self, texts: Sequence[str]) -> FloatArray:
        """The vectors of several texts, float32 [num_texts, dim]."""
        if not texts:
            return np.zeros((0, self.dim), np.float32)
        cut: dict[str, Any] = {"truncation": True, "max_length": self._max_tokens}
        encoded = self._tokenizer(list(texts), padding=True, return_tensors="pt", **cut)
        if encoded["input_ids"].shape[1] == 0:
            return np.zeros((len(texts), self.dim), np.float32)
        weights = token_weights(encoded["attention_mask"].numpy(), self._pooling)
        torch = require("torch", "train")
        with torch.inference_mode():
            states = self._model(**encoded.to(self._device)).last_hidden_state.float()
            # Pooled where they are: the states are a hundred times as large as the vectors.
            pooled = torch.einsum("btd,bt->bd", states, torch.from_numpy(weights).to(states.device))
        return to_unit(pooled.cpu().numpy())


def load_transformer(folder: Path, device: str, precision: TeacherPrecision) -> tuple[Any, Any]:
    """The tokenizer and the model of a folder, ready for inference; nothing is downloaded.

    PocketIntentError if transformers cannot read the folder, MissingExtraError without it.
    """
    transformers, torch = require("transformers", "teacher"), require("torch", "train")
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
        model = transformers.AutoModel.from_pretrained(folder, local_files_only=True)
    except (OSError, ValueError, KeyError) as error:
        raise PocketIntentError(f"{folder}: transformers cannot read it: {error}") from error
    return tokenizer, model.to(device, getattr(torch, precision)).eval()


def is_transformer(folder: Path) -> bool:
    """Whether a folder contains a transformer's configuration and weights."""
    has_weights = any(any(folder.glob(pattern)) for pattern in _WEIGHTS)
    return has_weights and (folder / "config.json").is_file()


def pool(states: FloatArray, mask: IntArray, pooling: Pooling) -> FloatArray:
    """Reduce the states of each text's tokens, float32 [num_texts, length, dim], to one vector.

    ``mask`` is 1 for a token and 0 for padding, [num_texts, length]. No tokens give zeros.
    """
    pooled: FloatArray = np.einsum("btd,bt->bd", states, token_weights(mask, pooling))
    return pooled.astype(np.float32, copy=False)


def token_weights(mask: IntArray, pooling: Pooling) -> FloatArray:
    """The weights of the tokens in their text's vector, float32 [num_texts, length]."""
    weights = mask.astype(np.float32)
    if pooling == "cls":
        weights[:, 1:] = 0.0
    weights /= weights.sum(axis=1, keepdims=True).clip(1.0)
    return weights


def to_unit(vectors: FloatArray) -> FloatArray:
    """Scale vectors, float32 [num_texts, dim], to unit length; zeros stay zeros.

    ``unit_rows`` of the runtime sums in another order, and its last bit differs from that of
    the targets on which the shipped models were trained.
    """
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: FloatArray = vectors / np.where(norms > 0, norms, np.float32(1.0))
    return unit


def read_pooling(folder: Path) -> Pooling:
    """How the model of a sentence-transformers folder pools; ``mean`` where it does not say.

    Another pooling, or a dense layer that follows it, is a PocketIntentError.
    """
    modules = _read_json(folder / "modules.json", [])
    types = [str(module.get("type", "")) for module in modules if isinstance(module, dict)]
    if dense := [name for name in types if name.endswith(".Dense")]:
        raise PocketIntentError(f"{folder}: the layer {dense[0]} after pooling is not supported")
    config = _read_json(folder / "1_Pooling" / "config.json", {})
    modes = [
        key.removeprefix("pooling_mode_")
        for key, value in config.items()
        if key.startswith("pooling_mode_") and value is True
    ] or ["mean_tokens"]
    if modes == ["cls_token"]:
        return "cls"
    if modes != ["mean_tokens"]:
        raise PocketIntentError(
            f"{folder}: pooling by {', '.join(modes)} is not supported; mean_tokens and cls_token "
            "are"
        )
    return "mean"


def _read_json(path: Path, default: Any) -> Any:
    """The content of a JSON file, of the type of ``default``, which replaces a missing file."""
    if not path.is_file():
        return default
    try:
        content = orjson.loads(path.read_bytes())
    except orjson.JSONDecodeError as error:
        raise PocketIntentError(f"{path}: not JSON: {error}") from error
    if not isinstance(content, type(default)):
        expected = "object" if isinstance(default, dict) else "array"
        raise PocketIntentError(f"{path}: the content must be a JSON {expected}")
    return content
