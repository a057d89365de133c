"""The vectors of the tokens of a text, for graphs that read their order."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import torch
from torch import Tensor

from pocketintent.runtime.encoders.contextual.network import MAX_TOKENS


class TokenTable(Protocol):
    """A module with the rows of slots, such as :class:`StaticModule`."""

    def sums(self, ids: Tensor, weights: Tensor) -> Tensor:
        """Several weighted sums of the same rows; see :meth:`StaticModule.sums`."""
        ...


@runtime_checkable
class TokenEncoder(Protocol):
    """A module that encodes a text from the vectors of its tokens."""

    @property
    def table(self) -> TokenTable:
        """The rows of the slots."""
        ...

    def combine(self, x: Tensor, is_token: Tensor, zero: Tensor | None) -> Tensor:
        """Unit vectors of texts, from those of their tokens; see :func:`read_tokens`."""
        ...


def read_tokens(
    table: TokenTable, ids: Tensor, weights: Tensor, token_numbers: Tensor
) -> tuple[Tensor, Tensor]:
    """Sum up the rows of the slots of each token.

    Args:
        table: The rows.
        ids: int32 [batch, length].
        weights: float32 [batch, length]; 0 for padding.
        token_numbers: int32 [batch, length], the number of each slot's token, from 0 to at most
            ``MAX_TOKENS - 1``.

    Returns:
        The vectors of the tokens, float32 [batch, num_tokens, dim], with zeros for padding; and
        which of them are tokens, 1 or 0, float32 [batch, num_tokens, 1].
    """
    # No text has more tokens than slots.
    numbers = torch.arange(ids.shape[1], dtype=torch.int32)[:MAX_TOKENS]
    belongs = token_numbers.unsqueeze(1) == numbers.reshape(1, -1, 1)
    shares = torch.where(belongs, weights.unsqueeze(1), 0.0)
    x = table.sums(ids, shares)
    is_token = (shares != 0).to(torch.float32).amax(-1, keepdim=True)
    return x, is_token
