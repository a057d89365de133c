"""The weights of a network as stored in a model file: float32, int8 or codes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import MAX_DIM, MAX_NUMBERS, FloatArray, Parts, read_tensor
from pocketintent.runtime.errors import ModelFileError, shorten
from pocketintent.runtime.quantization.matrices import DenseMatrix, Int8Matrix, QuantizedMatrix
from pocketintent.runtime.quantization.tensors import matrix_from_tensors, matrix_parts

WeightFormat = Literal["float32", "int8", "codebook"]
StoredMatrix = Int8Matrix | QuantizedMatrix | DenseMatrix
Shapes = dict[str, tuple[int, ...]]
"""Shapes of the parameters of a network by name; matrices are ``[outputs, inputs]``."""
Parameters = Mapping[str, FloatArray]
"""Decoded parameters by name."""

_CLASSES: dict[str, type[StoredMatrix]] = {
    "float32": DenseMatrix,
    "int8": Int8Matrix,
    "codebook": QuantizedMatrix,
}


@dataclass(frozen=True, eq=False)
class Weights:
    """All weights of a network, by the names of the network's shapes."""

    format: WeightFormat
    """Storage format of all matrices."""
    matrices: Mapping[str, StoredMatrix]
    """Weights with two axes."""
    vectors: Mapping[str, FloatArray]
    """Weights with one axis, float32: biases, and the weights of layer normalisations."""

    def decode(self) -> dict[str, FloatArray]:
        """All weights as float32, by name."""
        return {name: matrix.decode() for name, matrix in self.matrices.items()} | {
            name: np.asarray(vector, np.float32) for name, vector in self.vectors.items()
        }

    @classmethod
    def of_floats(cls, parameters: Parameters) -> Weights:
        """The weights of decoded parameters, in float32."""
        return cls(
            "float32",
            {name: DenseMatrix(value) for name, value in parameters.items() if value.ndim == 2},
            {name: value for name, value in parameters.items() if value.ndim == 1},
        )

    def check(self, shapes: Shapes) -> None:
        """Raise ModelFileError for weights of an unknown format, or not of a network's shapes."""
        if self.format not in _CLASSES:
            known = f"one of {', '.join(_CLASSES)}"
            raise ModelFileError(f"the format of the weights must be {known}, not {self.format!r}")
        own_shapes: Shapes = {name: _shape(matrix) for name, matrix in self.matrices.items()}
        own_shapes |= {name: vector.shape for name, vector in self.vectors.items()}
        for name in own_shapes | shapes:
            if own_shapes.get(name) != shapes.get(name):
                raise ModelFileError(
                    f"weight {name}: the network requires {_describe(shapes.get(name))}, but the "
                    f"weights have {_describe(own_shapes.get(name))}"
                )
        for name, matrix in self.matrices.items():
            if not isinstance(matrix, _CLASSES[self.format]):
                raise ModelFileError(f"weight {name} is not stored as {self.format}")


def check_sizes(sizes: Mapping[str, object], most: int = MAX_DIM) -> None:
    """Raise ModelFileError for a size of a network that is no whole number from 1 to ``most``."""
    for name, size in sizes.items():
        if type(size) is not int or not 1 <= size <= most:
            wanted = f"a whole number from 1 to {most}, not {shorten(size)}"
            raise ModelFileError(f"{name} of the network must be {wanted}")


def check_memory(sizes: Mapping[str, int]) -> None:
    """Raise ModelFileError for parts of a network with more numbers than memory is meant for."""
    for part, size in sizes.items():
        if size > MAX_NUMBERS:
            raise ModelFileError(
                f"the {part} of the network need {size} numbers in memory; at most {MAX_NUMBERS} "
                "are allowed"
            )


def weights_to_parts(weights: Weights) -> Parts:
    """The manifest's entry ``weights``, and the tensors by name."""
    entry: dict[str, Any] = {"format": weights.format}
    tensors: dict[str, NDArray[Any]] = {
        name: np.asarray(vector, np.float32) for name, vector in weights.vectors.items()
    }
    for name, matrix in weights.matrices.items():
        if isinstance(matrix, Int8Matrix):
            tensors |= matrix.to_tensors(name)
        else:
            settings, of_matrix = matrix_parts(matrix, name)
            entry.setdefault("matrices", {})[name] = settings
            tensors |= of_matrix
    return entry, tensors


def read_weights(entry: object, tensors: Mapping[str, NDArray[Any]], shapes: Shapes) -> Weights:
    """Read the weights of the given shapes that :func:`weights_to_parts` wrote.

    A weight that is missing, or differs from its settings in the entry, is a ModelFileError.
    """
    if not isinstance(entry, dict) or entry.get("format") not in list(_CLASSES):
        raise ModelFileError(f"the manifest's weights must name a format: {', '.join(_CLASSES)}")
    settings = entry.get("matrices")
    settings = settings if isinstance(settings, dict) else {}
    matrices: dict[str, StoredMatrix] = {}
    vectors: dict[str, FloatArray] = {}
    for name, shape in shapes.items():
        if len(shape) == 1:
            vectors[name] = read_tensor(tensors, name, ["float32"])
        elif entry["format"] == "int8":
            matrices[name] = Int8Matrix.from_tensors(tensors, name)
        else:
            matrices[name] = matrix_from_tensors(tensors, name, settings.get(name))
    return Weights(entry["format"], matrices, vectors)


def _shape(matrix: StoredMatrix) -> tuple[int, ...]:
    return matrix.shape if isinstance(matrix, Int8Matrix) else (len(matrix), matrix.dim)


def _describe(shape: tuple[int, ...] | None) -> str:
    return "no such weight" if shape is None else f"shape {list(shape)}"
