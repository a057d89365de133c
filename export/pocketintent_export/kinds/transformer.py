"""The transformer of a character network as a torch module."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding, layer_norm

from pocketintent.runtime.encoders.charemb.encoder import CharEncoder
from pocketintent_export.layers.codes import WholeMatrix, coded, unknown_zero

_EPSILON = 1e-5
_MASK = -1e9
"""Added to the attention scores of characters beyond the end of a text."""


class TransformerReader(nn.Module):
    """The mean of the transformer's outputs over the characters of a text.

    ``length`` is the number of characters of the input; None if it is free.
    """

    def __init__(self, encoder: CharEncoder, length: int | None) -> None:
        super().__init__()
        self.network = encoder.network
        self.length = length
        weights = encoder.weights
        matrices = {name: coded(weights, name) for name in weights.matrices}
        matrices["positions"] = coded(weights, "positions", slice(length))
        # Names of torch modules may not contain dots.
        self.matrices = nn.ModuleDict(
            {name.replace(".", "_"): WholeMatrix([matrix]) for name, matrix in matrices.items()}
        )
        for name, vector in weights.vectors.items():
            self.register_buffer(name.replace(".", "_"), torch.from_numpy(vector.copy()))

    def forward(self, characters: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor | None]:
        """The means, float32 [batch, hidden], and a zero for :class:`WholeMatrix`, None for ONNX.

        ``characters`` is int32 [batch, length], ``lengths`` int32 [batch]; 0 is treated as 1.
        """
        zero = None if self.length is None else unknown_zero(lengths)
        length = characters.shape[1]
        counts = torch.clamp(lengths, 1, self.length).unsqueeze(1)
        positions = torch.arange(length, dtype=torch.int32)
        inside = positions < counts
        numbers = torch.where(positions < lengths.unsqueeze(1), characters, 0).reshape(-1)
        x = embedding(numbers, self._matrix("embedding", zero))
        x = x.reshape(*characters.shape, -1) + self._matrix("positions", zero)[:length]
        mask = torch.where(inside, 0.0, _MASK)[:, None, None]
        for layer in range(self.network.layers):
            prefix = f"layers_{layer}"
            x = x + self._attend(self._normalise(x, f"{prefix}_norm_0"), mask, prefix, zero)
            inner = self._linear(
                self._normalise(x, f"{prefix}_norm_1"), f"{prefix}_feedforward_0", zero
            )
            x = x + self._linear(torch.relu(inner), f"{prefix}_feedforward_1", zero)
        shares = inside.to(torch.float32) / counts.to(torch.float32)
        mean = torch.matmul(shares.unsqueeze(1), self._normalise(x, "norm")).squeeze(1)
        return mean, zero

    def _attend(self, x: Tensor, mask: Tensor, prefix: str, zero: Tensor | None) -> Tensor:
        batch, length, width = x.shape
        heads = self.network.heads
        parts = self._linear(x, f"{prefix}_attention_input", zero)
        query, key, value = (
            part.reshape(batch, length, heads, -1).transpose(1, 2)
            for part in torch.chunk(parts, 3, -1)
        )
        scores = torch.matmul(query, key.transpose(2, 3)) * float(width // heads) ** -0.5
        mixed = torch.matmul(torch.softmax(scores + mask, -1), value)
        mixed = mixed.transpose(1, 2).reshape(batch, length, width)
        return self._linear(mixed, f"{prefix}_attention_output", zero)

    def _linear(self, x: Tensor, name: str, zero: Tensor | None) -> Tensor:
        weight = self._matrix(f"{name}_weight", zero)
        return torch.matmul(x, weight.t()) + self.get_buffer(f"{name}_bias")

    def _normalise(self, x: Tensor, name: str) -> Tensor:
        weight, bias = (self.get_buffer(f"{name}_{part}") for part in ("weight", "bias"))
        return layer_norm(x, x.shape[-1:], weight, bias, _EPSILON)

    def _matrix(self, name: str, zero: Tensor | None) -> Tensor:
        matrix: Tensor = self.matrices[name](zero)
        return matrix
