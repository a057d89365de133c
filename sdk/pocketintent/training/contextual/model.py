"""The contextual encoder in torch, for training; the runtime computes it in NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from pocketintent.runtime.encoders.contextual.network import ContextBlock, ContextNetwork, decode

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


class Block(nn.Module):
    """A residual block: a convolution over the words, ReLU, and a linear layer back.

    The outer layer starts at zero, so that the network starts as a sum of words.

    Args:
        dim: Size of the vectors.
        hidden: Size of the hidden layer.
        width: Number of neighbours that are read, an odd number.
    """

    def __init__(self, dim: int, hidden: int, width: int) -> None:
        super().__init__()
        self.hidden, self.width = hidden, width
        self.inner = nn.Linear(dim, width * hidden, bias=False)
        self.inner_bias = nn.Parameter(torch.zeros(hidden))
        self.outer = nn.Linear(hidden, dim)
        nn.init.normal_(self.inner.weight, std=(dim * width) ** -0.5)
        nn.init.zeros_(self.outer.weight)
        nn.init.zeros_(self.outer.bias)

    def forward(self, x: Tensor, owners: Tensor) -> Tensor:
        """Vectors of words, float32 [num_tokens, dim], changed by their neighbours.

        Args:
            x: The vectors of the words of all texts, text after text.
            owners: The text of each word, int64 [num_tokens].
        """
        parts = self.inner(scale(x)).view(len(x), self.width, self.hidden)
        hidden = parts[:, self.width // 2] + self.inner_bias
        for place in range(self.width):
            offset = place - self.width // 2  # of the neighbour that this part reads
            reach = abs(offset)
            if offset and reach < len(x):
                of_one_text = (owners[reach:] == owners[:-reach]).unsqueeze(1)
                if offset < 0:
                    hidden[reach:] += parts[:-reach, place] * of_one_text
                else:
                    hidden[:-reach] += parts[reach:, place] * of_one_text
        changed: Tensor = x + self.outer(functional.relu(hidden))
        return changed

    def load(self, block: ContextBlock) -> None:
        """Copy the weights of a block of the runtime, of the same sizes."""
        inner = decode(block.inner).reshape(self.hidden, self.width, -1).swapaxes(0, 1)
        self.inner.weight.copy_(torch.from_numpy(inner.reshape(self.inner.weight.shape).copy()))
        self.inner_bias.copy_(torch.from_numpy(block.inner_bias.copy()))
        self.outer.weight.copy_(torch.from_numpy(decode(block.outer).copy()))
        self.outer.bias.copy_(torch.from_numpy(block.outer_bias.copy()))

    def to_block(self) -> ContextBlock:
        """The block as the runtime reads it."""
        dim = self.inner.in_features
        inner = self.inner.weight.view(self.width, self.hidden, dim).transpose(0, 1)
        return ContextBlock(
            inner=_array(inner.reshape(self.hidden, self.width * dim)),
            inner_bias=_array(self.inner_bias),
            outer=_array(self.outer.weight),
            outer_bias=_array(self.outer.bias),
            width=self.width,
        )


class ContextModel(nn.Module):
    """The network of a contextual encoder: blocks, and the gate with which words are summed.

    Args:
        dim: Size of the vectors.
        blocks: Size of the hidden layer and width of each block.
    """

    def __init__(self, dim: int, blocks: Sequence[tuple[int, int]]) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(Block(dim, hidden, width) for hidden, width in blocks)
        self.gate = nn.Linear(dim, 1)
        nn.init.zeros_(self.gate.weight)
        nn.init.zeros_(self.gate.bias)

    @classmethod
    def from_network(cls, network: ContextNetwork) -> ContextModel:
        """The model of a network of the runtime, whose matrices are decoded."""
        model = cls(network.dim, [(block.hidden, block.width) for block in network.blocks])
        with torch.no_grad():
            for own, block in zip(model.blocks, network.blocks, strict=True):
                assert isinstance(own, Block)
                own.load(block)
            model.gate.weight.copy_(torch.from_numpy(network.gate.copy()))
            model.gate.bias.fill_(network.gate_bias)
        return model

    def forward(self, x: Tensor, owners: Tensor, num_texts: int) -> Tensor:
        """Unit vectors of texts, float32 [num_texts, dim].

        Args:
            x: The vectors of the words of all texts, text after text, float32 [num_tokens, dim].
            owners: The text of each word, int64 [num_tokens].
            num_texts: Number of texts.
        """
        for block in self.blocks:
            x = block(x, owners)
        gates = 2 * torch.sigmoid(self.gate(scale(x)).float())
        sums = x.new_zeros(num_texts, x.shape[1]).index_add(0, owners, (x * gates).float())
        return functional.normalize(sums, dim=1)

    def to_network(self) -> ContextNetwork:
        """The network as the runtime reads it, in float32."""
        blocks = [block.to_block() for block in self.blocks if isinstance(block, Block)]
        return ContextNetwork(blocks, _array(self.gate.weight[0]), self.gate.bias.item())


def _array(tensor: Tensor) -> Any:
    return tensor.detach().float().cpu().numpy().copy()
