"""The network of a contextual encoder as stored: its matrices, its gate, and their tensors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import (
    FloatArray,
    Parts,
    check_numbers,
    read_number,
    read_tensor,
)
from pocketintent.runtime.encoders.sequence import MAX_TOKENS, PREFIX
from pocketintent.runtime.encoders.weights import check_memory, check_sizes
from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.quantization.matrices import Int8Matrix

MAX_WIDTH = 31
MAX_SHARE = 16.0
"""Upper limits of the width, and of the share of the words by themselves."""

WeightFormat = Literal["float32", "int8"]
NetworkMatrix = FloatArray | Int8Matrix
"""A matrix of floats, or one whose rows are 8-bit integers."""


@dataclass(frozen=True, eq=False)
class ContextNetwork:
    """What changes words by their neighbours, and weights them in the sum.

    ModelFileError for a shape that does not fit, a number that is NaN, infinite or too large, and
    matrices of floats and of int8 side by side.
    """

    inner: NetworkMatrix
    """float32 or int8 [hidden, width * dim]: from the vectors of ``width`` words, the leftmost
    first, to the hidden layer of the one in the middle."""
    inner_bias: FloatArray
    """[hidden]."""
    outer: NetworkMatrix
    """float32 or int8 [dim, hidden]: from the hidden layer to the change of the vector."""
    gate: FloatArray
    """[dim]: what the vector of a word says of how much the word counts."""
    hidden_gate: FloatArray
    """[hidden]: what its hidden layer says of it."""
    gate_bias: float = 0.0
    width: int = 3
    """Number of words that are read, an odd number: the word, and as many on either side."""
    word_share: float = 0.0
    """How much the sum of the words by themselves, at unit length, is added to the sum of the
    changed words at unit length; from 0 to ``MAX_SHARE``."""

    def __post_init__(self) -> None:
        if type(self.width) is not int or not 1 <= self.width <= MAX_WIDTH or self.width % 2 == 0:
            allowed = f"an odd number from 1 to {MAX_WIDTH}"
            raise ModelFileError(f"the width of the network must be {allowed}, not {self.width!r}")
        arrays = self.arrays
        for name, shape in tensor_shapes(self.dim, self.hidden, self.width).items():
            if arrays[name].shape != shape:
                raise ModelFileError(
                    f"{name} of the network has the shape {list(arrays[name].shape)}, but "
                    f"{list(shape)} is expected for {self.dim} dimensions, {self.hidden} hidden "
                    f"units and width {self.width}"
                )
        if isinstance(self.inner, Int8Matrix) != isinstance(self.outer, Int8Matrix):
            raise ModelFileError("the matrices of a network must be all float32 or all int8")
        check_numbers({f"{PREFIX}.{name}": decode(array) for name, array in arrays.items()})
        if not 0 <= self.word_share <= MAX_SHARE:
            wanted = f"a number from 0 to {MAX_SHARE}, not {self.word_share!r}"
            raise ModelFileError(f"word_share of the network must be {wanted}")

    @property
    def dim(self) -> int:
        """Size of the vectors."""
        return len(self.gate)

    @property
    def hidden(self) -> int:
        """Size of the hidden layer of a word."""
        return len(self.inner_bias)

    @property
    def format(self) -> WeightFormat:
        """Storage format of all matrices."""
        return "int8" if isinstance(self.inner, Int8Matrix) else "float32"

    @property
    def arrays(self) -> dict[str, NetworkMatrix]:
        """The weights, by the names of :func:`tensor_shapes`."""
        return {
            "inner": self.inner,
            "inner_bias": self.inner_bias,
            "outer": self.outer,
            "gate": self.gate,
            "hidden_gate": self.hidden_gate,
            "gate_bias": np.array([self.gate_bias], np.float32),
        }

    def to_parts(self) -> Parts:
        """The manifest's entry ``network``, and the tensors by name."""
        tensors: dict[str, NDArray[Any]] = {}
        for name, array in self.arrays.items():
            key = f"{PREFIX}.{name}"
            if isinstance(array, Int8Matrix):
                tensors |= array.to_tensors(key)
            else:
                tensors[key] = np.ascontiguousarray(array, np.float32)
        settings = {"hidden": self.hidden, "width": self.width, "word_share": self.word_share}
        return {"weights": self.format, **settings}, tensors


def decode(matrix: NetworkMatrix) -> FloatArray:
    """A stored matrix as float32."""
    return matrix.decode() if isinstance(matrix, Int8Matrix) else np.asarray(matrix, np.float32)


def tensor_shapes(dim: int, hidden: int, width: int) -> dict[str, tuple[int, ...]]:
    """Names and shapes of the weights of a network."""
    return {
        "inner": (hidden, width * dim),
        "inner_bias": (hidden,),
        "outer": (dim, hidden),
        "gate": (dim,),
        "hidden_gate": (hidden,),
        "gate_bias": (1,),
    }


def read_network(entry: object, tensors: Mapping[str, NDArray[Any]], dim: int) -> ContextNetwork:
    """Read the network of :meth:`ContextNetwork.to_parts`; ModelFileError for a damaged part."""
    if not isinstance(entry, Mapping) or entry.get("weights") not in ("float32", "int8"):
        raise ModelFileError("the manifest's network must have weights, 'float32' or 'int8'")
    if "blocks" in entry:
        raise ModelFileError(
            "the network is of an earlier version, with blocks; train or build the model again"
        )
    share = read_number({"word_share": 0.0, **entry}, "word_share", 0, "the network", MAX_SHARE)
    hidden, width = entry.get("hidden"), entry.get("width")
    check_sizes({"hidden": hidden, "width": width, "dim": dim})
    assert isinstance(hidden, int) and isinstance(width, int)  # by the check
    of_words = MAX_TOKENS * (dim + width * hidden)
    check_memory({"weights": hidden * width * dim, "parts of words": of_words})
    arrays: dict[str, Any] = {}
    for name, shape in tensor_shapes(dim, hidden, width).items():
        key, is_matrix = f"{PREFIX}.{name}", len(shape) == 2
        if is_matrix and entry["weights"] == "int8":
            arrays[name] = Int8Matrix.from_tensors(tensors, key)
        else:
            dtypes = ["float32"] if is_matrix else ["float32", "float16"]
            arrays[name] = read_tensor(tensors, key, dtypes, shape).astype(np.float32)
    arrays["gate_bias"] = float(arrays["gate_bias"][0])
    return ContextNetwork(**arrays, width=width, word_share=share)
