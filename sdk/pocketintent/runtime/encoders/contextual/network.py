"""The network of a contextual encoder as stored: its blocks, its gate, and their tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import MAX_DIM, MAX_NUMBERS, FloatArray
from pocketintent.runtime.encoders.sequence import MAX_TOKENS
from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.files.numbers import check_numbers
from pocketintent.runtime.quantization.int8_matrix import Int8Matrix

MAX_BLOCKS = 8
"""Upper limit of the number of blocks."""

MAX_WIDTH = 31
"""Upper limit of a block's width."""

MAX_SHARE = 16.0
"""Upper limit of the share of the words by themselves."""

PREFIX = "network"
"""Manifest entry of the network and, with a dot, prefix of its tensors."""

WeightFormat = Literal["float32", "int8"]
NetworkMatrix = FloatArray | Int8Matrix
"""A matrix of floats, or one whose rows are 8-bit integers."""


@dataclass(frozen=True, eq=False)
class ContextBlock:
    """A block: it adds to each token's vector what a layer reads from the token's neighbours."""

    inner: NetworkMatrix
    """float32 or int8 [hidden, width * dim]: from the vectors of ``width`` neighbours, the leftmost
    first, to the hidden layer."""
    inner_bias: FloatArray
    """[hidden]."""
    outer: NetworkMatrix
    """float32 or int8 [dim, hidden]: from the hidden layer to the change of the vector."""
    outer_bias: FloatArray
    """[dim]."""
    width: int = 3
    """Number of tokens that are read, an odd number: the token, and as many on either side."""

    def __post_init__(self) -> None:
        if type(self.width) is not int or not 1 <= self.width <= MAX_WIDTH or self.width % 2 == 0:
            raise ModelFileError(
                f"the width of a block must be an odd number from 1 to {MAX_WIDTH}, "
                f"not {self.width!r}"
            )
        hidden, dim = self.hidden, self.dim
        for name, shape in block_shapes(hidden, self.width, dim).items():
            if getattr(self, name).shape != shape:
                raise ModelFileError(
                    f"{name} of a block has the shape {list(getattr(self, name).shape)}, but "
                    f"{list(shape)} is expected for {dim} dimensions, {hidden} hidden units and "
                    f"width {self.width}"
                )

    @property
    def dim(self) -> int:
        """Size of the vectors."""
        return len(self.outer_bias)

    @property
    def hidden(self) -> int:
        """Size of the hidden layer."""
        return len(self.inner_bias)

    @property
    def matrices(self) -> dict[str, NetworkMatrix]:
        """``inner`` and ``outer``, by name."""
        return {"inner": self.inner, "outer": self.outer}


@dataclass(frozen=True, eq=False)
class ContextNetwork:
    """The blocks, and the gate: how much each token counts in the sentence vector.

    Raises:
        ModelFileError: A shape does not fit, a number is NaN, infinite or too large, there are no
            blocks or more than ``MAX_BLOCKS``, or matrices of floats and of int8 are mixed.
    """

    blocks: Sequence[ContextBlock]
    """1 to ``MAX_BLOCKS`` blocks, in the order in which they are applied."""
    gate: FloatArray
    """[dim]: weights of the gate."""
    gate_bias: float = 0.0
    """Bias of the gate."""
    word_share: float = 0.0
    """How much the sum of the words by themselves, at unit length, is added to the sum of the
    changed words at unit length; from 0 to ``MAX_SHARE``."""

    def __post_init__(self) -> None:
        if not 1 <= len(self.blocks) <= MAX_BLOCKS:
            raise ModelFileError(
                f"the network has {len(self.blocks)} blocks; 1 to {MAX_BLOCKS} are allowed"
            )
        if self.gate.ndim != 1:
            raise ModelFileError(f"gate has the shape {list(self.gate.shape)}, not [dim]")
        for number, block in enumerate(self.blocks):
            _check_size(block.hidden, block.width, self.dim)
            if block.dim != self.dim:
                raise ModelFileError(
                    f"block {number} has {block.dim} dimensions, and the gate has {self.dim}"
                )
        formats = {isinstance(m, Int8Matrix) for b in self.blocks for m in b.matrices.values()}
        if len(formats) > 1:
            raise ModelFileError("the matrices of a network must be all float32 or all int8")
        for number, block in enumerate(self.blocks):
            biases = {"inner_bias": block.inner_bias, "outer_bias": block.outer_bias}
            decoded = {name: decode(matrix) for name, matrix in block.matrices.items()} | biases
            check_numbers({_name(number, name): array for name, array in decoded.items()})
        if not 0 <= self.word_share <= MAX_SHARE:
            raise ModelFileError(
                f"word_share of the network must be a number from 0 to {MAX_SHARE}, not "
                f"{self.word_share!r}"
            )
        gate_bias = np.array([self.gate_bias], np.float64)
        check_numbers({f"{PREFIX}.gate": self.gate, f"{PREFIX}.gate_bias": gate_bias})

    @property
    def dim(self) -> int:
        """Size of the vectors."""
        return len(self.gate)

    @property
    def format(self) -> WeightFormat:
        """Storage format of all matrices."""
        return "int8" if isinstance(self.blocks[0].inner, Int8Matrix) else "float32"

    @property
    def reach(self) -> int:
        """Number of tokens that the widest block reads on either side of a token."""
        return max(block.width for block in self.blocks) // 2

    def quantise(self) -> ContextNetwork:
        """The network with int8 matrices; the network itself if it has them already."""
        if self.format == "int8":
            return self
        blocks = [
            replace(
                block,
                inner=Int8Matrix.encode(decode(block.inner)),
                outer=Int8Matrix.encode(decode(block.outer)),
            )
            for block in self.blocks
        ]
        return replace(self, blocks=blocks)

    def rotate(self, rotation: FloatArray) -> ContextNetwork:
        """The network of vectors that are multiplied by an orthogonal matrix.

        A norm does not depend on the basis, so that the vectors that it returns are those of this
        network, multiplied by the same matrix.

        Args:
            rotation: float32 [dim, dim].

        Returns:
            A network with float32 matrices.
        """
        blocks = [
            replace(
                block,
                inner=(decode(block.inner).reshape(-1, self.dim) @ rotation).reshape(
                    block.hidden, -1
                ),
                outer=rotation.T @ decode(block.outer),
                outer_bias=np.asarray(block.outer_bias, np.float32) @ rotation,
            )
            for block in self.blocks
        ]
        return replace(self, blocks=blocks, gate=np.asarray(self.gate, np.float32) @ rotation)

    def to_parts(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """The manifest's entry ``network``, and the tensors by name."""
        tensors: dict[str, NDArray[Any]] = {}
        for number, block in enumerate(self.blocks):
            for name, matrix in block.matrices.items():
                key = _name(number, name)
                if isinstance(matrix, Int8Matrix):
                    tensors |= matrix.to_tensors(key)
                else:
                    tensors[key] = np.ascontiguousarray(matrix, np.float32)
            for name in ("inner_bias", "outer_bias"):
                tensors[_name(number, name)] = np.asarray(getattr(block, name), np.float32)
        tensors[f"{PREFIX}.gate"] = np.asarray(self.gate, np.float32)
        tensors[f"{PREFIX}.gate_bias"] = np.array([self.gate_bias], np.float32)
        blocks = [{"hidden": block.hidden, "width": block.width} for block in self.blocks]
        entry = {"weights": self.format, "blocks": blocks, "word_share": self.word_share}
        return entry, tensors


def decode(matrix: NetworkMatrix) -> FloatArray:
    """A stored matrix as float32."""
    return matrix.decode() if isinstance(matrix, Int8Matrix) else np.asarray(matrix, np.float32)


def read_network(entry: object, tensors: Mapping[str, NDArray[Any]], dim: int) -> ContextNetwork:
    """Read the network that :meth:`ContextNetwork.to_parts` wrote.

    Args:
        entry: The manifest's entry ``network``.
        tensors: The tensors of the model file.
        dim: Size of the vectors.

    Raises:
        ModelFileError: The entry is damaged, or a tensor is missing or differs from it.
    """
    if not isinstance(entry, Mapping) or entry.get("weights") not in ("float32", "int8"):
        raise ModelFileError("the manifest's network must have weights, 'float32' or 'int8'")
    settings = entry.get("blocks")
    if not isinstance(settings, list) or not 1 <= len(settings) <= MAX_BLOCKS:
        raise ModelFileError(f"the manifest's network must have 1 to {MAX_BLOCKS} blocks")
    blocks = [
        _read_block(block, number, entry["weights"], tensors, dim)
        for number, block in enumerate(settings)
    ]
    bias = _vector(tensors, f"{PREFIX}.gate_bias", 1)
    share = entry.get("word_share", 0.0)
    if type(share) not in (int, float):
        raise ModelFileError(
            f"the manifest's network must have a number as word_share, not {share!r}"
        )
    gate = _vector(tensors, f"{PREFIX}.gate", dim)
    return ContextNetwork(blocks, gate, float(bias[0]), float(share))


def _read_block(
    settings: object,
    number: int,
    weights: WeightFormat,
    tensors: Mapping[str, NDArray[Any]],
    dim: int,
) -> ContextBlock:
    entry: Mapping[str, Any] = settings if isinstance(settings, dict) else {}
    hidden, width = entry.get("hidden"), entry.get("width")
    if type(hidden) is not int or type(width) is not int or hidden < 1 or width < 1:
        raise ModelFileError(
            f"block {number} of the manifest's network must have hidden and width, whole numbers "
            "from 1"
        )
    _check_size(hidden, width, dim)
    parts: dict[str, Any] = {}
    for name, shape in block_shapes(hidden, width, dim).items():
        key = _name(number, name)
        if len(shape) == 1:
            parts[name] = _vector(tensors, key, *shape)
        elif weights == "int8":
            parts[name] = Int8Matrix.from_tensors(tensors, key)
        else:
            parts[name] = _tensor(tensors, key, shape, ("float32",))
    try:
        return ContextBlock(width=width, **parts)
    except ModelFileError as error:
        raise ModelFileError(f"block {number} of the network: {error}") from error


def block_shapes(hidden: int, width: int, dim: int) -> dict[str, tuple[int, ...]]:
    """Names and shapes of the weights of a block."""
    return {
        "inner": (hidden, width * dim),
        "inner_bias": (hidden,),
        "outer": (dim, hidden),
        "outer_bias": (dim,),
    }


def _check_size(hidden: int, width: int, dim: int) -> None:
    """Check that the weights of a block, and the largest array of a text, fit into memory."""
    if not 1 <= hidden <= MAX_DIM or not 1 <= dim <= MAX_DIM:
        raise ModelFileError(
            f"a block has {hidden} hidden units and {dim} dimensions; both must be from 1 to "
            f"{MAX_DIM}"
        )
    largest = max(hidden, MAX_TOKENS) * width * dim
    if largest > MAX_NUMBERS:
        raise ModelFileError(
            f"a block of {hidden} hidden units, width {width} and {dim} dimensions needs {largest} "
            f"numbers in memory; at most {MAX_NUMBERS} are allowed"
        )


def _name(number: int, part: str) -> str:
    return f"{PREFIX}.blocks.{number}.{part}"


def _vector(tensors: Mapping[str, NDArray[Any]], name: str, size: int) -> FloatArray:
    return _tensor(tensors, name, (size,), ("float32", "float16")).astype(np.float32)


def _tensor(
    tensors: Mapping[str, NDArray[Any]], name: str, shape: tuple[int, ...], dtypes: Sequence[str]
) -> NDArray[Any]:
    tensor = tensors.get(name)
    if tensor is None:
        raise ModelFileError(f"tensor {name} is missing")
    if tensor.dtype.name not in dtypes or tensor.shape != shape:
        raise ModelFileError(
            f"tensor {name} is {tensor.dtype} {list(tensor.shape)}; it must be "
            f"{' or '.join(dtypes)} {list(shape)}"
        )
    return tensor
