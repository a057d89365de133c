"""Matrices as tensors of a model file, with their settings in the manifest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from pocketintent.runtime.arrays import MAX_DIM, half_precision, read_tensor
from pocketintent.runtime.errors import ModelFileError, PocketIntentError
from pocketintent.runtime.quantization.matrices import DenseMatrix, Matrix, QuantizedMatrix
from pocketintent.runtime.quantization.packing import CodeArray, bits_for, pack_codes, unpack_codes
from pocketintent.runtime.quantization.quantizer import Quantizer


def matrix_settings(matrix: Matrix) -> dict[str, Any]:
    """The manifest's entry for a matrix: ``num`` and ``dim``, and the settings of its codes."""
    settings: dict[str, Any] = {"num": len(matrix), "dim": matrix.dim}
    if isinstance(matrix, QuantizedMatrix):
        quantizer = matrix.quantizer
        settings |= {
            "sub_dim": quantizer.sub_dim,
            "codebook_size": quantizer.codebook_size,
            "per_position": quantizer.per_position,
            "normalised": quantizer.normalised,
            "code_bits": bits_for(quantizer.codebook_size),
        }
    return settings


def to_tensors(matrix: Matrix, prefix: str) -> dict[str, npt.NDArray[Any]]:
    """The tensors of a matrix in a model file.

    Returns:
        ``<prefix>.codes`` (packed unless they have 8 or 16 bits), ``<prefix>.codebook`` float16,
        and ``<prefix>.norms`` float16 if there are norms; or for dense vectors
        ``<prefix>.embedding`` float32.
    """
    if isinstance(matrix, DenseMatrix):
        return {f"{prefix}.embedding": np.ascontiguousarray(matrix.vectors, dtype=np.float32)}
    quantizer = matrix.quantizer
    bits = bits_for(quantizer.codebook_size)
    tensors: dict[str, npt.NDArray[Any]] = {
        f"{prefix}.codes": matrix.codes if bits in (8, 16) else pack_codes(matrix.codes, bits),
        f"{prefix}.codebook": half_precision(quantizer.codebook, "codebook"),
    }
    if matrix.norms is not None:
        tensors[f"{prefix}.norms"] = matrix.norms
    return tensors


def matrix_from_tensors(
    tensors: Mapping[str, npt.NDArray[Any]], prefix: str, settings: object
) -> Matrix:
    """Read a matrix that :func:`to_tensors` and :func:`matrix_settings` wrote.

    Codes of 8 and 16 bits are views of the tensors, so a memory map is not copied.

    Args:
        tensors: Tensors of a model file by name.
        prefix: First part of the tensors' names.
        settings: The manifest's entry for this matrix.

    Raises:
        ModelFileError: The entry or a tensor is missing, or a shape, type or value does not match
            the settings.
    """
    if not isinstance(settings, Mapping):
        raise ModelFileError(f"the manifest has no object {prefix!r}")
    try:
        num, dim = _count(settings, "num", least=0), _count(settings, "dim")
        if dim > MAX_DIM:
            raise ModelFileError(f"dim is {dim}; it must be at most {MAX_DIM}")
        if "code_bits" not in settings:
            return DenseMatrix(read_tensor(tensors, f"{prefix}.embedding", ["float32"], (num, dim)))
        sub_dim, size = _count(settings, "sub_dim"), _count(settings, "codebook_size")
        if _count(settings, "code_bits") != bits_for(size):
            raise ModelFileError(f"code_bits must be {bits_for(size)} for {size} centroids")
        num_books = dim // sub_dim if _flag(settings, "per_position") else 1
        shape = num_books, size, sub_dim
        codebook = read_tensor(tensors, f"{prefix}.codebook", ["float16"], shape).astype(np.float32)
        quantizer = Quantizer(codebook, dim, _flag(settings, "normalised"))
        codes = _read_codes(tensors, f"{prefix}.codes", quantizer, num)
        norms = None
        if quantizer.normalised:
            norms = read_tensor(tensors, f"{prefix}.norms", ["float16"], (num,))
        if not np.isfinite(codebook).all() or not (norms is None or np.isfinite(norms).all()):
            raise ModelFileError("a codebook or norm is NaN or infinite")
        return QuantizedMatrix(codes, norms, quantizer)
    except PocketIntentError as error:
        raise ModelFileError(f"{prefix} of the model: {error}") from error


def _count(settings: Mapping[str, Any], key: str, least: int = 1) -> int:
    value = settings.get(key)
    if type(value) is not int or value < least:
        raise ModelFileError(
            f"setting {key!r} is {value!r}; it must be a whole number from {least}"
        )
    return value


def _flag(settings: Mapping[str, Any], key: str) -> bool:
    value = settings.get(key)
    if type(value) is not bool:
        raise ModelFileError(f"setting {key!r} is {value!r}; it must be true or false")
    return value


def _read_codes(
    tensors: Mapping[str, npt.NDArray[Any]], name: str, quantizer: Quantizer, num: int
) -> CodeArray:
    shape = (num, quantizer.num_sub)
    bits = bits_for(quantizer.codebook_size)
    if bits in (8, 16):
        codes: CodeArray = read_tensor(tensors, name, [f"uint{bits}"], shape)
    else:
        packed = tensors.get(name)
        if packed is None:
            raise ModelFileError(f"tensor {name} is missing")
        codes = unpack_codes(packed, bits, shape)
    # A code beyond its codebook would read the centroids of the next position.
    if quantizer.codebook_size < 1 << bits and codes.size:
        largest = int(codes.max())
        if largest >= quantizer.codebook_size:
            raise ModelFileError(
                f"{name}: code {largest} is beyond a codebook of {quantizer.codebook_size}"
            )
    return codes
