"""The graph ``encoder`` of the kind ``contextual``: tokens that their neighbours change."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from pocketintent.runtime.encoders.contextual.encoder import ContextualEncoder
from pocketintent.runtime.encoders.contextual.network import ContextBlock
from pocketintent.runtime.encoders.contextual.reader import EPSILON
from pocketintent.runtime.quantization.int8_matrix import Int8Matrix
from pocketintent_export.encoders.static import StaticModule
from pocketintent_export.layers.codes import WholeMatrix, unknown_zero
from pocketintent_export.layers.lengths import unit


class ContextualModule(nn.Module):
    """:class:`ContextualEncoder`, from the slots of a text to unit sentence vectors.

    Args:
        encoder: The encoder; its tables and its network must be quantised.
        file_format: ``"onnx"`` or ``"tflite"``.
    """

    gate: Tensor

    def __init__(self, encoder: ContextualEncoder, file_format: str) -> None:
        super().__init__()
        self.table = StaticModule(encoder.table)
        self.blocks = nn.ModuleList(BlockModule(block) for block in encoder.network.blocks)
        self.register_buffer("gate", torch.from_numpy(encoder.network.gate.copy()))
        self.gate_bias = encoder.network.gate_bias
        self.word_share = encoder.network.word_share
        self.keep_codes = file_format == "tflite"

    def forward(self, ids: Tensor, weights: Tensor, token_numbers: Tensor) -> Tensor:
        """Sentence vectors.

        Args:
            ids: int32 [batch, length].
            weights: float32 [batch, length]; 0 for padding.
            token_numbers: int32 [batch, length], the number of each slot's token, from 0 to at
                most ``MAX_TOKENS - 1``.

        Returns:
            float32 [batch, dim], of unit length or zeros.
        """
        zero = unknown_zero(ids) if self.keep_codes else None
        x, is_token = self.table.tokens(ids, weights, token_numbers)
        return self.combine(x, is_token, zero)

    def combine(self, x: Tensor, is_token: Tensor, zero: Tensor | None) -> Tensor:
        """Unit vectors of texts, float32 [batch, dim], from those of their tokens.

        Args:
            x: float32 [batch, num_tokens, dim]; zeros for padding.
            is_token: float32 [batch, num_tokens, 1]; 1 for a token and 0 for padding.
            zero: See :class:`WholeMatrix`.
        """
        words = x.sum(1)
        for block in self.blocks:
            x = x + block(normalise(x) * is_token, zero)
        scores = torch.matmul(normalise(x), self.gate) + self.gate_bias
        counts = torch.sigmoid(scores).unsqueeze(-1) * is_token
        total = (counts * x).sum(1)
        return unit(unit(total) + self.word_share * unit(words)) if self.word_share else unit(total)


class BlockModule(nn.Module):
    """The layer of a :class:`ContextBlock`.

    Args:
        block: The block; its matrices must be int8.
    """

    inner_bias: Tensor
    outer_bias: Tensor

    def __init__(self, block: ContextBlock) -> None:
        super().__init__()
        assert isinstance(block.inner, Int8Matrix) and isinstance(block.outer, Int8Matrix)
        self.width, self.dim = block.width, block.dim
        self.inner, self.outer = WholeMatrix([block.inner]), WholeMatrix([block.outer])
        self.register_buffer("inner_bias", torch.from_numpy(block.inner_bias.copy()))
        self.register_buffer("outer_bias", torch.from_numpy(block.outer_bias.copy()))

    def forward(self, normed: Tensor, zero: Tensor | None) -> Tensor:
        """What the block adds to the vectors of tokens.

        Args:
            normed: float32 [batch, num_tokens, dim]; zeros for padding.
            zero: See :class:`WholeMatrix`.

        Returns:
            float32 [batch, num_tokens, dim].
        """
        reach, num_tokens = self.width // 2, normed.shape[1]
        padded = pad(normed, (0, 0, reach, reach))
        places = range(self.width)
        parts = [padded[:, place : place + num_tokens] for place in places]
        hidden = torch.matmul(torch.cat(parts, -1), self.inner(zero).t()) + self.inner_bias
        return torch.matmul(torch.relu(hidden), self.outer(zero).t()) + self.outer_bias


def normalise(x: Tensor) -> Tensor:
    """Vectors [..., dim], divided by the root of their mean square."""
    return x / torch.sqrt((x * x).mean(-1, keepdim=True) + EPSILON)
