"""The transformer encoder in torch, for training; the runtime computes it in NumPy."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import embedding, gelu, layer_norm, linear, normalize
from torch.nn.functional import scaled_dot_product_attention as attend

from pocketintent.runtime.arrays import IntArray
from pocketintent.runtime.encoders.sequence import PREFIX
from pocketintent.runtime.encoders.transformer.encoder import TransformerEncoder
from pocketintent.runtime.encoders.transformer.network import LAYERS, TransformerNetwork
from pocketintent.runtime.encoders.transformer_layers import EPSILON
from pocketintent.runtime.encoders.weights import Weights
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.quantization.matrices import Int8Matrix
from pocketintent.training.loop.matrices import make_rows


class TransformerModel(nn.Module):
    """The words and the network of an encoder; of matrices of codes the centroids are trained.

    A PocketIntentError for a network of int8, whose weights cannot be trained.
    """

    def __init__(self, encoder: TransformerEncoder, device: torch.device) -> None:
        super().__init__()
        weights = encoder.network.weights
        matrices = {n: m for n, m in weights.matrices.items() if not isinstance(m, Int8Matrix)}
        if len(matrices) < len(weights.matrices):
            raise PocketIntentError("a network of int8 weights cannot be trained further")
        self.device, self._network = device, encoder.network
        self.words = make_rows(encoder.table.words, device)
        # Names of torch modules may not contain dots.
        self.matrices = nn.ModuleDict(
            {_key(name): make_rows(matrix, device) for name, matrix in matrices.items()}
        )
        self.vectors = nn.ParameterDict(
            {_key(name): torch.tensor(value).to(device) for name, value in weights.vectors.items()}
        )

    def forward(
        self, rows: Tensor, tokens: IntArray, counts: IntArray, seen: list[Tensor] | None = None
    ) -> Tensor:
        """Unit vectors, float32 [num_texts, dim], of texts of ``counts`` tokens, at least one each.

        ``rows`` are vectors of words, float32 [num_rows, dim], and ``tokens`` their numbers in the
        texts, int64 [num_texts, longest]; any after the end of a text. The inputs of the
        feed-forward parts, [num_tokens, dim] each, are added to ``seen``.
        """
        x = embedding(self._tensor(tokens), rows)
        start = self._vector("start").expand(len(tokens), 1, -1)
        positions = self._matrix("positions")[: tokens.shape[1]]
        x = self._normalise(torch.cat([start, x + positions], dim=1), f"{PREFIX}.norm")
        inside = torch.arange(x.shape[1], device=self.device) <= self._tensor(counts)[:, None]
        for layer in range(self._network.layers):
            prefix = f"{LAYERS}.{layer}"
            x = self._normalise(x + self._attend(x, inside, prefix), f"{prefix}.norm.0")
            if seen is not None:
                seen.append(x[inside])
            x = self._normalise(x + self._feed(x, prefix), f"{prefix}.norm.1")
        return normalize((x * inside.unsqueeze(-1)).sum(1), dim=1)

    def _attend(self, x: Tensor, inside: Tensor, prefix: str) -> Tensor:
        parts = self._linear(x, f"{prefix}.attention.input")
        num_texts, length, width = x.shape
        heads = parts.view(num_texts, length, 3, self._network.heads, -1).permute(2, 0, 3, 1, 4)
        mixed = attend(heads[0], heads[1], heads[2], attn_mask=inside[:, None, None])
        mixed = mixed.transpose(1, 2).reshape(num_texts, length, width)
        return self._linear(mixed, f"{prefix}.attention.output")

    def _feed(self, x: Tensor, prefix: str) -> Tensor:
        inner = gelu(self._linear(x, f"{prefix}.feedforward.0"), approximate="tanh")
        return self._linear(inner, f"{prefix}.feedforward.1")

    def _linear(self, x: Tensor, name: str) -> Tensor:
        weight, bias = self.matrices[_key(f"{name}.weight")], self.vectors[_key(f"{name}.bias")]
        return linear(x, weight.whole(), bias)  # type: ignore[operator]

    def _normalise(self, x: Tensor, name: str) -> Tensor:
        weight, bias = (self.vectors[_key(f"{name}.{part}")] for part in ("weight", "bias"))
        return layer_norm(x.float(), x.shape[-1:], weight, bias, EPSILON)

    def _vector(self, name: str) -> Tensor:
        vector: Tensor = self.vectors[_key(f"{PREFIX}.{name}")]
        return vector

    def _matrix(self, name: str) -> Tensor:
        whole: Tensor = self.matrices[_key(f"{PREFIX}.{name}")].whole()  # type: ignore[operator]
        return whole

    def _tensor(self, array: IntArray) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(self.device, non_blocking=True)

    def to_network(self) -> TransformerNetwork:
        """The network as the runtime reads it; codes are the same."""
        old = self._network
        matrices = {
            name: self.matrices[_key(name)].to_matrix()  # type: ignore[operator]
            for name in old.weights.matrices
        }
        vectors = {
            name: self.vectors[_key(name)].detach().cpu().numpy().copy()
            for name in old.weights.vectors
        }
        weights = Weights(old.format, matrices, vectors)
        return TransformerNetwork(old.dim, old.layers, old.heads, old.feedforward, weights)


def _key(name: str) -> str:
    return name.replace(".", "_")
