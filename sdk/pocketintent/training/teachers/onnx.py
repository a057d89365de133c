"""Sentence encoders as ONNX graphs, on ONNX Runtime."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.errors import PocketIntentError, require
from pocketintent.training.teachers.pooling import pool, read_pooling, to_unit

_INPUTS = {"input_ids", "attention_mask", "token_type_ids"}
_SENTENCE_OUTPUTS = ("sentence_embedding", "sentence")


class OnnxTeacher:
    """A sentence encoder as an ONNX graph.

    Args:
        graph: The ``.onnx`` file, with any of the inputs ``input_ids``, ``attention_mask`` and
            ``token_type_ids``.
        folder: Folder of ``tokenizer.json``.
        threads: Number of CPU threads.
        max_tokens: Longer texts are cut to this number of tokens.

    Raises:
        PocketIntentError: A file is missing or cannot be used.
        MissingExtraError: onnxruntime or tokenizers is not installed.
    """

    template_quantizer = None
    background = None
    known_words = None

    def __init__(self, graph: Path, folder: Path, *, threads: int, max_tokens: int) -> None:
        runtime = require("onnxruntime", "teacher")
        tokenizers = require("tokenizers", "teacher")
        self._pooling = read_pooling(folder)
        tokenizer = folder / "tokenizer.json"
        for file in (graph, tokenizer):
            if not file.is_file():
                raise PocketIntentError(f"{file}: there is no such file; an ONNX teacher needs it")
        self._session = _open_session(runtime, graph, threads)
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

    def vocabulary(self) -> list[str]:
        """The tokens that the teacher knows."""
        return list(self._tokenizer.get_vocab())

    def encode(self, text: str) -> FloatArray:
        """The vector of a text, float32 [dim]: unit length, or zeros for no tokens."""
        vector: FloatArray = self.encode_batch([text])[0]
        return vector

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
        feed = {
            "input_ids": padded,
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(padded),
        }
        output = self._session.run([self._output], {name: feed[name] for name in self._inputs})[0]
        vectors = output if output.ndim == 2 else pool(output, mask, self._pooling)
        unit = to_unit(np.asarray(vectors, np.float32))
        unit[mask.sum(axis=1) == 0] = 0.0
        return unit


def find_graph(folder: Path) -> Path:
    """Find the ONNX graph of a folder.

    Returns:
        ``model.onnx``, ``onnx/model.onnx``, or the folder's only ``.onnx`` file.

    Raises:
        PocketIntentError: There is no graph, or there are several.
    """
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


def _open_session(runtime: Any, graph: Path, threads: int) -> Any:
    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads
    try:
        return runtime.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its errors share no other base
        raise PocketIntentError(f"{graph}: ONNX Runtime cannot read it: {error}") from error


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
