"""The network of a transformer encoder as stored: its sizes, its weights, and their tensors."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from pocketintent.runtime.arrays import Parts
from pocketintent.runtime.encoders.sequence import MAX_TOKENS, PREFIX
from pocketintent.runtime.encoders.transformer_layers import layer_shapes
from pocketintent.runtime.encoders.weights import (
    Shapes,
    WeightFormat,
    Weights,
    check_memory,
    check_sizes,
    read_weights,
    weights_to_parts,
)
from pocketintent.runtime.errors import ModelFileError

MAX_LAYERS = 64

LAYERS = f"{PREFIX}.layers"
"""Prefix of the names of the layers' parameters."""

_SIZES = "layers", "heads", "feedforward"


@dataclass(frozen=True, eq=False)
class TransformerNetwork:
    """What changes the tokens of a text by each other; ModelFileError for parts that do not fit."""

    dim: int
    """Size of the vectors of tokens and texts."""
    layers: int
    """Number of layers."""
    heads: int
    """Attention heads of a layer; a divisor of ``dim``."""
    feedforward: int
    """Size of the hidden layer of the feed-forward part of a layer."""
    weights: Weights
    """All weights, see :func:`network_shapes`."""

    def __post_init__(self) -> None:
        self.weights.check(network_shapes(self.dim, self.layers, self.heads, self.feedforward))

    @property
    def format(self) -> WeightFormat:
        """Storage format of all matrices."""
        return self.weights.format

    def to_parts(self) -> Parts:
        """The manifest's entry ``network``, and the tensors by name."""
        entry, tensors = weights_to_parts(self.weights)
        sizes = {name: getattr(self, name) for name in _SIZES}
        return {**sizes, "weights": entry}, tensors


def network_shapes(dim: int, layers: int, heads: int, feedforward: int) -> Shapes:
    """Names and shapes of the parameters of a network; matrices are [outputs, inputs].

    ``start`` is read before the first token. A token's place is added to it from ``positions``.
    ModelFileError for sizes out of range, or that need too much memory.
    """
    check_sizes({"layers": layers}, MAX_LAYERS)
    check_sizes({"heads": heads, "feedforward": feedforward, "dim": dim})
    if dim % heads:
        raise ModelFileError(f"the {heads} heads of the network do not divide its {dim} dimensions")
    shapes = {
        f"{PREFIX}.start": (dim,),
        f"{PREFIX}.positions": (MAX_TOKENS, dim),
        f"{PREFIX}.norm.weight": (dim,),
        f"{PREFIX}.norm.bias": (dim,),
        **layer_shapes(LAYERS, dim, layers, feedforward),
    }
    length = MAX_TOKENS + 1
    of_layer = length * max(length * heads, 3 * dim, feedforward)
    check_memory({"weights": sum(map(math.prod, shapes.values())), "layers": of_layer})
    return shapes


def read_network(
    entry: object, tensors: Mapping[str, NDArray[Any]], dim: int
) -> TransformerNetwork:
    """Read the network of :meth:`TransformerNetwork.to_parts`; ModelFileError if it is damaged."""
    if not isinstance(entry, Mapping):
        raise ModelFileError("the manifest has no object 'network'")
    sizes: dict[str, Any] = {"dim": dim, **{name: entry.get(name) for name in _SIZES}}
    weights = read_weights(entry.get("weights"), tensors, network_shapes(**sizes))
    return TransformerNetwork(**sizes, weights=weights)
