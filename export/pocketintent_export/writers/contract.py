"""The contract of writers: the inputs of a graph, and the function that writes its file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import torch
from torch import Tensor, nn

_EXAMPLE_SIZES = {"batch": 2, "length": 5}
"""Sizes of free axes in examples: unlikely to equal the size of another axis of a model."""


@dataclass(frozen=True)
class GraphInput:
    """An input of a graph."""

    name: str
    """Name of the input."""
    dtype: Literal["int32", "float32"]
    """Type of its values."""
    shape: tuple[str | int, ...]
    """Sizes of the axes; a free axis has a name, ``"batch"`` or ``"length"``."""

    def example(self) -> Tensor:
        """A tensor of the input's type and shape, with which a module is traced."""
        shape = [_EXAMPLE_SIZES[size] if isinstance(size, str) else size for size in self.shape]
        return torch.zeros(shape, dtype=torch.int32) if self.dtype == "int32" else torch.ones(shape)


Writer = Callable[[nn.Module, Sequence[GraphInput], Sequence[str], Path], None]
"""Called as ``writer(module, inputs, output_names, path)``."""
