"""The runtime's layers of a transformer as torch modules, for texts padded to one length."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, layer_norm

from pocketintent.runtime.encoders.charemb.network import CharNetwork
from pocketintent.runtime.encoders.transformer.network import TransformerNetwork
from pocketintent.runtime.encoders.transformer_layers import EPSILON, Style
from pocketintent.runtime.encoders.weights import Weights
from pocketintent_export.layers.codes import Linear, vector

Network = CharNetwork | TransformerNetwork

_MASK = -1e9
"""Added to the attention scores of padding."""


class TransformerLayers(nn.Module):
    """The layers of a network that read the states of texts; their weights are below a prefix."""

    def __init__(self, weights: Weights, prefix: str, network: Network, style: Style) -> None:
        super().__init__()
        names = [f"{prefix}.{number}" for number in range(network.layers)]
        layers = (_Layer(weights, name, network.heads, style) for name in names)
        self.layers = nn.ModuleList(layers)

    def forward(self, x: Tensor, inside: Tensor, zero: Tensor | None) -> Tensor:
        """The states after the last layer, float32 [batch, length, width]; any for padding.

        ``x`` has the same shape; ``inside``, bool [batch, length], is False for padding. For
        ``zero`` see :class:`WholeMatrix`.
        """
        mask = torch.where(inside, 0.0, _MASK)[:, None, None]
        for layer in self.layers:
            x = layer(x, mask, zero)
        return x


def mean_inside(x: Tensor, inside: Tensor) -> Tensor:
    """The means of states without padding, [batch, width]; no text may be empty."""
    counts = inside.to(torch.float32)
    return torch.matmul(counts.unsqueeze(1), x).squeeze(1) / counts.sum(-1, keepdim=True)


class Norm(nn.Module):
    """A layer normalisation with the parameters under a prefix."""

    def __init__(self, weights: Weights, prefix: str) -> None:
        super().__init__()
        self.weight, self.bias = (vector(weights, f"{prefix}.{n}") for n in ("weight", "bias"))

    def forward(self, x: Tensor) -> Tensor:
        """States [..., width] with the mean 0 and the variance 1, scaled and moved."""
        return layer_norm(x, x.shape[-1:], self.weight, self.bias, EPSILON)


class _Layer(nn.Module):
    """Attention, and two feed-forward layers; each is added to its input."""

    def __init__(self, weights: Weights, prefix: str, heads: int, style: Style) -> None:
        super().__init__()
        self.heads, self.post_norm = heads, style == "post-norm gelu"
        self.attention_norm = Norm(weights, f"{prefix}.norm.0")
        self.feedforward_norm = Norm(weights, f"{prefix}.norm.1")
        self.parts = Linear(weights, f"{prefix}.attention.input")
        self.mixed = Linear(weights, f"{prefix}.attention.output")
        self.inner = Linear(weights, f"{prefix}.feedforward.0")
        self.outer = Linear(weights, f"{prefix}.feedforward.1")

    def forward(self, x: Tensor, mask: Tensor, zero: Tensor | None) -> Tensor:
        if self.post_norm:
            x = self.attention_norm(x + self._attend(x, mask, zero))
            x = self.feedforward_norm(x + self._feed(x, zero))
        else:
            x = x + self._attend(self.attention_norm(x), mask, zero)
            x = x + self._feed(self.feedforward_norm(x), zero)
        return x

    def _attend(self, x: Tensor, mask: Tensor, zero: Tensor | None) -> Tensor:
        batch, length, width = x.shape
        query, key, value = (
            part.reshape(batch, length, self.heads, -1).transpose(1, 2)
            for part in torch.chunk(self.parts(x, zero), 3, -1)
        )
        scores = torch.matmul(query, key.transpose(2, 3)) * float(width // self.heads) ** -0.5
        mixed = torch.matmul(torch.softmax(scores + mask, -1), value)
        attended: Tensor = self.mixed(mixed.transpose(1, 2).reshape(batch, length, width), zero)
        return attended

    def _feed(self, x: Tensor, zero: Tensor | None) -> Tensor:
        inner = self.inner(x, zero)
        inner = gelu(inner, approximate="tanh") if self.post_norm else torch.relu(inner)
        fed: Tensor = self.outer(inner, zero)
        return fed
