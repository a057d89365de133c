"""CharEmb and MiniLM as torch modules on one device, for ``encoding.py --device``.

Both are untrained. MiniLM is a transformer of the same sizes from torch's own layers, whose fast
path is at least as fast as the modules that its weights are published for.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import torch
from torch import nn

from benchmarks.speed.encoders.systems import SEED, make_network
from benchmarks.systems.contract import EXTRA
from benchmarks.systems.minilm import MAX_TOKENS
from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.charemb.encoder import Reading
from pocketintent.runtime.errors import require
from pocketintent.runtime.text.tokenizer import simple_tokenize

MINILM_LAYERS, MINILM_DIM, MINILM_HEADS, MINILM_WIDTH = 6, 384, 12, 1536


class TorchCharEmb:
    """An untrained CharEmb of a preset on a device; the vectors are returned to the CPU.

    Args:
        preset: Name of the preset.
        reads: ``"text"``, or ``"words"``: one batch of the text's words, none of them cached.
        dim: Dimensions of the vectors.
        device: Torch device.
    """

    def __init__(self, preset: str, reads: Reading, dim: int, device: torch.device) -> None:
        model, self._vocabulary = make_network(preset, dim)
        self._model = model.to(device)
        self._device = device
        self._reads = reads
        self.dim = dim

    @torch.inference_mode()
    def encode(self, text: str) -> FloatArray:
        """The sentence vector, float32 [dim], of unit length or zeros."""
        counted = Counter(simple_tokenize(text) if self._reads == "words" else [text])
        numbers = {part: self._vocabulary.numbers(part) for part in counted}
        known = [part for part in counted if numbers[part]]
        if not known:
            return np.zeros(self.dim, np.float32)
        lengths = torch.tensor([len(numbers[part]) for part in known])
        rows = [torch.tensor(numbers[part]) for part in known]
        chars = nn.utils.rnn.pad_sequence(rows, batch_first=True).to(self._device)
        vectors, logarithms = self._model(chars, lengths)
        if logarithms is not None:
            vectors = vectors * logarithms.exp()[:, None]
        times = torch.tensor([counted[part] for part in known], device=self._device)
        total = (vectors * times[:, None]).sum(0)
        unit: FloatArray = nn.functional.normalize(total, dim=0).cpu().numpy()
        return unit


class TorchMiniLM:
    """A transformer of MiniLM's sizes on a device, with MiniLM's tokenizer.

    Args:
        cache: The folder that has the tokenizer.
        device: Torch device.
    """

    def __init__(self, cache: Path, device: torch.device) -> None:
        tokenizer = require("tokenizers", EXTRA).Tokenizer
        self._tokenizer = tokenizer.from_file(str(cache / "minilm-tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_TOKENS)
        torch.manual_seed(SEED)
        layer = nn.TransformerEncoderLayer(
            MINILM_DIM, MINILM_HEADS, MINILM_WIDTH, activation="gelu", batch_first=True
        )
        self._words = nn.Embedding(self._tokenizer.get_vocab_size(), MINILM_DIM).to(device)
        self._places = nn.Embedding(MAX_TOKENS, MINILM_DIM).to(device)
        self._norm = nn.LayerNorm(MINILM_DIM).to(device)
        self._layers = nn.TransformerEncoder(layer, MINILM_LAYERS).to(device).eval()
        self._device = device

    @torch.inference_mode()
    def encode(self, text: str) -> FloatArray:
        """The sentence vector, float32 [384], of unit length."""
        ids = torch.tensor([self._tokenizer.encode(text).ids], device=self._device)
        x = self._words(ids) + self._places.weight[: ids.shape[1]]
        mean = self._layers(self._norm(x)).mean(1)
        unit: FloatArray = nn.functional.normalize(mean, dim=1)[0].cpu().numpy()
        return unit
