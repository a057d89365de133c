"""The graph ``encoder`` of the kind ``convrr``: the graph of an encoder, and its adapter."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from pocketintent_export.layers.codes import WholeMatrix, unknown_zero
from pocketintent_export.layers.lengths import unit
from pocketintent_lab.encoders.convrr.encoder import ConvrrEncoder
from pocketintent_lab.encoders.convrr.head import ResidualHead
from pocketintent_lab.export.tokens import TokenEncoder


class ConvrrModule(nn.Module):
    """:class:`ConvrrEncoder`, from the slots of a text to unit sentence vectors.

    Args:
        encoder: The encoder; the adapted one must be exportable.
        file_format: ``"onnx"`` or ``"tflite"``.
    """

    def __init__(self, encoder: ConvrrEncoder, file_format: str) -> None:
        super().__init__()
        inner = encoder.inner.graph_modules(file_format, None)["encoder"]
        assert isinstance(inner, TokenEncoder)
        self.inner = inner
        self.head = HeadModule(encoder.head)
        self.keep_codes = file_format == "tflite"

    def forward(self, ids: Tensor, weights: Tensor, token_numbers: Tensor) -> Tensor:
        """Sentence vectors; see :meth:`ContextualModule.forward`."""
        zero = unknown_zero(ids) if self.keep_codes else None
        x, is_token = self.inner.table.tokens(ids, weights, token_numbers)
        base = self.inner.combine(x, is_token, zero)
        return unit(base + self.head(base, x, is_token, zero))


class HeadModule(nn.Module):
    """What a :class:`ResidualHead` adds to the vector of a text.

    Args:
        head: The head.
    """

    bias: Tensor

    def __init__(self, head: ResidualHead) -> None:
        super().__init__()
        self.network, self.width, self.scale = head.network, head.width, head.scale
        self.inner = WholeMatrix([head.inner])
        self.outer = None if head.outer is None else WholeMatrix([head.outer])
        self.register_buffer("bias", torch.from_numpy(head.bias.copy()))

    def forward(self, base: Tensor, x: Tensor, is_token: Tensor, zero: Tensor | None) -> Tensor:
        """The vectors to add.

        Args:
            base: float32 [batch, dim]: the vectors of the texts.
            x: float32 [batch, num_tokens, dim]: the vectors of their tokens; zeros for padding.
            is_token: float32 [batch, num_tokens, 1]: 1 for a token and 0 for padding.
            zero: See :class:`WholeMatrix`.

        Returns:
            float32 [batch, dim]; zeros for a text without tokens.
        """
        if self.network == "fcrr":
            x, is_token = base.unsqueeze(1), is_token.amax(1, keepdim=True)
        reach, num_rows = self.width // 2, x.shape[1]
        padded = pad(x, (0, 0, reach, reach))
        parts = [padded[:, place : place + num_rows] for place in range(self.width)]
        features = torch.relu(torch.matmul(torch.cat(parts, -1), self.inner(zero).t()) + self.bias)
        counts = torch.clamp(is_token.sum(1), min=1.0)
        pooled = (features * is_token).sum(1) / counts
        if self.outer is not None:
            pooled = torch.matmul(pooled, self.outer(zero).t())
        return pooled * self.scale
