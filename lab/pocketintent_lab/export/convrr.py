"""The export of the kind ``convrr``: the graph of an encoder, and its adapter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.sequence import MAX_TOKENS, SequenceEncoder
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.graphs.inputs import GraphInputs, Slots
from pocketintent_export.formats import Format
from pocketintent_export.kinds.contract import KindExport
from pocketintent_export.kinds.registry import export_of
from pocketintent_export.kinds.static import SequenceModule, StaticModule, embed_slots
from pocketintent_export.layers.codes import WholeMatrix, unknown_zero
from pocketintent_export.layers.similarities import unit
from pocketintent_lab.encoders.convrr.encoder import ConvrrEncoder
from pocketintent_lab.encoders.convrr.head import ResidualHead


class ConvrrExport(KindExport[ConvrrEncoder]):
    """Numbered slots, and the graph ``encoder``: that of the adapted encoder, and the adapter.

    Args:
        encoder: The encoder; a graph must exist for the adapted one.
    """

    def __init__(self, encoder: ConvrrEncoder) -> None:
        super().__init__(encoder)
        self.inner = export_of(encoder.inner)

    def check(self, source: str, is_bot: bool = False) -> None:
        """Check that the adapted encoder can be exported."""
        self.inner.check(source, is_bot)

    def inputs(self, max_length: int | None = None, max_chars: int | None = None) -> GraphInputs:
        """The function from a text to the slots of its tokens, which are numbered."""
        inner, spec = self.inner.inputs(), self.encoder.tokenizer_spec
        return GraphInputs(spec, inner.vocabulary, inner.ngram_settings, max_length, MAX_TOKENS)

    def modules(self, file_format: Format, max_chars: int | None) -> Mapping[str, nn.Module]:
        """The graph ``encoder``."""
        inner = self.inner.modules(file_format, None)["encoder"]
        return {"encoder": ConvrrModule(self.encoder, inner, file_format)}

    def encode_slots(self, slots: Slots, tokens: Sequence[str]) -> FloatArray:
        """The vector of the tokens that have slots, float32 [dim]."""
        inner = self.encoder.inner
        table = inner.table if isinstance(inner, SequenceEncoder) else inner
        assert isinstance(table, StaticEncoder)
        return self.encoder.combine_tokens(embed_slots(table, slots))


class ConvrrModule(nn.Module):
    """:class:`ConvrrEncoder`, from the slots of a text to unit sentence vectors.

    Args:
        encoder: The encoder.
        inner: The module of the adapted encoder.
        file_format: ``"onnx"`` or ``"tflite"``.
    """

    def __init__(self, encoder: ConvrrEncoder, inner: nn.Module, file_format: str) -> None:
        super().__init__()
        assert isinstance(inner, StaticModule | SequenceModule)
        self.inner: StaticModule | SequenceModule = inner
        self.head = HeadModule(encoder.head)
        self.keep_codes = file_format == "tflite"

    def forward(self, ids: Tensor, weights: Tensor, token_numbers: Tensor) -> Tensor:
        """Sentence vectors; see :meth:`SequenceModule.forward`."""
        zero = unknown_zero(ids) if self.keep_codes else None
        if isinstance(self.inner, StaticModule):
            x, is_token = self.inner.tokens(ids, weights, token_numbers)
            base = unit(x.sum(1))
        else:
            x, is_token = self.inner.table.tokens(ids, weights, token_numbers)
            base = self.inner.combine(x, is_token, zero)
        return unit(base + self.head(base, x, is_token, zero))


class HeadModule(nn.Module):
    """What a :class:`ResidualHead` adds to the vector of a text.

    Args:
        head: The head.
    """

    def __init__(self, head: ResidualHead) -> None:
        super().__init__()
        self.network, self.width, self.scale = head.network, head.width, head.scale
        self.inner = WholeMatrix([head.inner])
        self.outer = None if head.outer is None else WholeMatrix([head.outer])
        self.bias = nn.Buffer(torch.from_numpy(head.bias.copy()))

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
