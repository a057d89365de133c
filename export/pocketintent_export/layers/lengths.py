"""Vectors at unit length."""

from __future__ import annotations

import torch
from torch import Tensor


def unit(vectors: Tensor) -> Tensor:
    """Vectors [n, dim] at unit length; zeros stay zeros."""
    squares = (vectors * vectors).sum(-1, keepdim=True)
    return vectors / torch.sqrt(torch.where(squares > 0, squares, 1.0))
