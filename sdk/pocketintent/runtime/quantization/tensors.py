"""Matrices as tensors of a model file, with their settings in the manifest.

Codes narrower than a byte are packed without gaps: the layout of ``docs/model-file.md``. They are
stored in row-major order, each as ``bits`` bits, least significant bit first; the stream fills each
byte from its least significant bit. Eight codes take ``bits`` whole bytes, the unit that both
functions process.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from pocketintent.runtime.arrays import MAX_DIM, Parts, half_precision, read_tensor
from pocketintent.runtime.errors import ModelFileError, PocketIntentError
from pocketintent.runtime.quantization.matrices import DenseMatrix, Matrix, QuantizedMatrix
from pocketintent.runtime.quantization.quantizer import MAX_BITS, CodeArray, Quantizer


def bits_for(codebook_size: int) -> int:
    """Number of bits of a code for ``codebook_size`` centroids, at least 1."""
    return max(1, (codebook_size - 1).bit_length())


def packed_size(num_codes: int, bits: int) -> int:
    """Number of bytes of ``num_codes`` codes of ``bits`` bits."""
    return (num_codes * bits + 7) // 8


def pack_codes(codes: CodeArray, bits: int) -> npt.NDArray[np.uint8]:
    """Pack codes of any shape, each of 1 to 16 bits, into a stream of bytes; spare bits are 0.

    PocketIntentError if ``bits`` is out of range, or a code needs more.
    """
    _check_bits(bits)
    flat = codes.reshape(-1)
    if flat.size and int(flat.max()) >> bits:
        raise PocketIntentError(f"code {int(flat.max())} does not fit in {bits} bits")
    groups = np.zeros((-(-flat.size // 8), 8), dtype=np.uint32)
    groups.reshape(-1)[: flat.size] = flat
    # Two bytes to spare: a code spans up to three.
    packed = np.zeros((len(groups), bits + 2), dtype=np.uint8)
    for index in range(8):
        byte, shift = divmod(index * bits, 8)
        window = groups[:, index] << np.uint32(shift)
        for offset in range(3):
            packed[:, byte + offset] |= (window >> np.uint32(8 * offset)).astype(np.uint8)
    stream: npt.NDArray[np.uint8] = packed[:, :bits].reshape(-1)
    return stream[: packed_size(int(flat.size), bits)]


def unpack_codes(packed: npt.NDArray[np.uint8], bits: int, shape: tuple[int, ...]) -> CodeArray:
    """Codes that :func:`pack_codes` packed, uint8 for up to 8 bits, otherwise uint16.

    ModelFileError if the dtype or length of ``packed`` does not fit ``bits`` and ``shape``.
    """
    _check_bits(bits)
    num_codes = math.prod(shape)
    if packed.dtype != np.uint8 or packed.shape != (packed_size(num_codes, bits),):
        raise ModelFileError(
            f"packed codes are {packed.dtype} {list(packed.shape)}; {num_codes} codes of {bits} "
            f"bits take uint8 [{packed_size(num_codes, bits)}]"
        )
    num_groups = -(-num_codes // 8)
    # The last window reads two bytes further.
    padded = np.zeros(num_groups * bits + 2, dtype=np.uint8)
    padded[: packed.size] = packed
    codes: CodeArray = np.empty((num_groups, 8), dtype=np.uint8 if bits <= 8 else np.uint16)
    mask = np.uint32((1 << bits) - 1)
    for index in range(8):
        byte, shift = divmod(index * bits, 8)
        window = padded[byte::bits][:num_groups].astype(np.uint32)
        for offset in range(1, (shift + bits + 7) // 8):
            column = padded[byte + offset :: bits][:num_groups]
            window |= column.astype(np.uint32) << np.uint32(8 * offset)
        codes[:, index] = (window >> np.uint32(shift)) & mask
    return codes.reshape(-1)[:num_codes].reshape(shape)


def _check_bits(bits: int) -> None:
    if not 1 <= bits <= MAX_BITS:
        raise PocketIntentError(f"a code has 1 to {MAX_BITS} bits, not {bits}")


def matrix_parts(matrix: Matrix, prefix: str) -> Parts:
    """The manifest's entry for a matrix, its sizes and how it is coded, and its tensors.

    These are ``<prefix>.embedding`` float32 of dense vectors; of others ``<prefix>.codes`` (packed
    unless they have 8 or 16 bits), ``<prefix>.codebook`` float16, and ``<prefix>.norms`` float16 if
    there are norms.
    """
    settings: dict[str, Any] = {"num": len(matrix), "dim": matrix.dim}
    if isinstance(matrix, DenseMatrix):
        vectors = np.ascontiguousarray(matrix.vectors, dtype=np.float32)
        return settings, {f"{prefix}.embedding": vectors}
    quantizer = matrix.quantizer
    bits = bits_for(quantizer.codebook_size)
    settings |= {
        "sub_dim": quantizer.sub_dim,
        "codebook_size": quantizer.codebook_size,
        "per_position": quantizer.per_position,
        "normalised": quantizer.normalised,
        "code_bits": bits,
    }
    tensors: dict[str, npt.NDArray[Any]] = {
        f"{prefix}.codes": matrix.codes if bits in (8, 16) else pack_codes(matrix.codes, bits),
        f"{prefix}.codebook": half_precision(quantizer.codebook, "codebook"),
    }
    if matrix.norms is not None:
        tensors[f"{prefix}.norms"] = matrix.norms
    return settings, tensors


def matrix_from_tensors(
    tensors: Mapping[str, npt.NDArray[Any]], prefix: str, settings: object
) -> Matrix:
    """Read the matrix of :func:`matrix_parts`; ModelFileError if a part is missing or damaged.

    Codes of 8 and 16 bits are views of the tensors, so a memory map is not copied.
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
        if name not in tensors:
            raise ModelFileError(f"tensor {name} is missing")
        codes = unpack_codes(tensors[name], bits, shape)
    # A code beyond its codebook would read the centroids of the next position.
    if quantizer.codebook_size < 1 << bits and codes.size:
        largest = int(codes.max())
        if largest >= quantizer.codebook_size:
            raise ModelFileError(
                f"{name}: code {largest} is beyond a codebook of {quantizer.codebook_size}"
            )
    return codes
