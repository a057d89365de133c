"""What the graph of an adapter asks of the graph that it adapts."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from torch import Tensor


class TokenTable(Protocol):
    """A module with the vectors of tokens, such as :class:`StaticModule`."""

    def tokens(self, ids: Tensor, weights: Tensor, token_numbers: Tensor) -> tuple[Tensor, Tensor]:
        """The vectors of tokens, in order; see :meth:`StaticModule.tokens`."""
        ...


@runtime_checkable
class TokenEncoder(Protocol):
    """A module that encodes a text from the vectors of its tokens."""

    @property
    def table(self) -> TokenTable:
        """The vectors of the tokens."""
        ...

    def combine(self, x: Tensor, is_token: Tensor, zero: Tensor | None) -> Tensor:
        """Unit vectors of texts, from those of their tokens."""
        ...
