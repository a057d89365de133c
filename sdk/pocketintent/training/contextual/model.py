"""The contextual encoder in torch, for training; the runtime computes it in NumPy."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from pocketintent.runtime.encoders.contextual.network import ContextNetwork, decode

_EPSILON = 1e-6


class _UnitScale(torch.autograd.Function):
    """Divides vectors by their root mean square, with few passes over memory."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, dtype: torch.dtype) -> Tensor:
        inverse = (torch.linalg.vecdot(x, x) / x.shape[-1] + _EPSILON).rsqrt_().unsqueeze(-1)
        scaled: Tensor = (x * inverse).to(dtype)
        ctx.save_for_backward(scaled, inverse)
        return scaled

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        scaled, inverse = ctx.saved_tensors
        mean = torch.linalg.vecdot(gradient, scaled).float().unsqueeze(-1) / scaled.shape[-1]
        return torch.addcmul(gradient.float(), scaled.float(), -mean).mul_(inverse), None


def scale(x: Tensor) -> Tensor:
    """The vectors at a root mean square of 1, in the precision of the matrix products."""
    device = x.device.type
    enabled = torch.is_autocast_enabled(device)
    dtype = torch.get_autocast_dtype(device) if enabled else torch.float32
    scaled: Tensor = _UnitScale.apply(x, dtype)  # type: ignore[no-untyped-call]
    return scaled


class ContextModel(nn.Module):
    """The network of a contextual encoder; what it adds to the sum of the words starts at zero.

    It has a ``hidden`` layer for each word, which reads ``width`` words, an odd number.
    """

    def __init__(self, dim: int, hidden: int, width: int) -> None:
        super().__init__()
        self.hidden, self.width = hidden, width
        self.inner = nn.Linear(dim, width * hidden, bias=False)
        self.inner_bias = nn.Parameter(torch.zeros(hidden))
        self.outer = nn.Linear(hidden, dim, bias=False)
        self.gate = nn.Linear(dim, 1)
        self.hidden_gate = nn.Linear(hidden, 1, bias=False)
        nn.init.normal_(self.inner.weight, std=(dim * width) ** -0.5)
        for layer in (self.outer, self.gate, self.hidden_gate):
            nn.init.zeros_(layer.weight)
        nn.init.zeros_(self.gate.bias)

    def forward(self, x: Tensor, owners: Tensor, num_texts: int) -> Tensor:
        """Unit vectors of texts, float32 [num_texts, dim].

        ``x`` are the vectors of the words, text after text, float32 [num_tokens, dim], and
        ``owners`` their texts, int64 [num_tokens].
        """
        normed = scale(x)
        hidden = self._hidden(normed, owners)
        gates = 2 * torch.sigmoid((self.gate(normed) + self.hidden_gate(hidden)).float())
        sums = x.new_zeros(num_texts, x.shape[1]).index_add(0, owners, x * gates)
        pooled = x.new_zeros(num_texts, self.hidden).index_add(0, owners, hidden.float() * gates)
        totals = sums + self.outer(pooled).float()
        return functional.normalize(totals, dim=1)

    def _hidden(self, normed: Tensor, owners: Tensor) -> Tensor:
        """The hidden layer of each word, [num_tokens, hidden]."""
        parts = self.inner(normed).view(len(normed), self.width, self.hidden)
        hidden = parts[:, self.width // 2] + self.inner_bias
        for place in range(self.width):
            offset = place - self.width // 2  # of the neighbour that this part reads
            reach = abs(offset)
            if offset and reach < len(normed):
                of_one_text = (owners[reach:] == owners[:-reach]).unsqueeze(1)
                if offset < 0:
                    hidden[reach:] += parts[:-reach, place] * of_one_text
                else:
                    hidden[:-reach] += parts[reach:, place] * of_one_text
        return functional.relu(hidden)

    @classmethod
    def from_network(cls, network: ContextNetwork) -> ContextModel:
        """The model of a network of the runtime, whose matrices are decoded."""
        model = cls(network.dim, network.hidden, network.width)
        inner = decode(network.inner).reshape(network.hidden, network.width, -1).swapaxes(0, 1)
        weights = {
            "inner.weight": inner.reshape(model.inner.weight.shape),
            "inner_bias": network.inner_bias,
            "outer.weight": decode(network.outer),
            "gate.weight": network.gate[None],
            "gate.bias": [network.gate_bias],
            "hidden_gate.weight": network.hidden_gate[None],
        }
        model.load_state_dict({name: torch.tensor(array) for name, array in weights.items()})
        return model

    def to_network(self) -> ContextNetwork:
        """The network as the runtime reads it, in float32."""
        dim = self.inner.in_features
        inner = self.inner.weight.view(self.width, self.hidden, dim).transpose(0, 1)
        return ContextNetwork(
            inner=_array(inner.reshape(self.hidden, self.width * dim)),
            inner_bias=_array(self.inner_bias),
            outer=_array(self.outer.weight),
            width=self.width,
            gate=_array(self.gate.weight[0]),
            hidden_gate=_array(self.hidden_gate.weight[0]),
            gate_bias=self.gate.bias.item(),
        )


def _array(tensor: Tensor) -> Any:
    return tensor.detach().float().cpu().numpy().copy()
