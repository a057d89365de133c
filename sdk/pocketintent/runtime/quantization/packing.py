"""Codes narrower than a byte, packed without gaps: the layout of ``docs/model-file.md``.

Codes are stored in row-major order, each as ``bits`` bits, least significant bit first; the
stream fills each byte from its least significant bit. Eight codes take ``bits`` whole bytes, the
unit that both functions process.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from pocketintent.runtime.errors import ModelFileError, PocketIntentError

CodeArray = npt.NDArray[np.uint8 | np.uint16]
"""Numbers of centroids."""

MAX_BITS = 16
"""Largest number of bits of a code."""


def bits_for(codebook_size: int) -> int:
    """Number of bits of a code for ``codebook_size`` centroids, at least 1."""
    return max(1, (codebook_size - 1).bit_length())


def packed_size(num_codes: int, bits: int) -> int:
    """Number of bytes of ``num_codes`` codes of ``bits`` bits."""
    return (num_codes * bits + 7) // 8


def pack_codes(codes: CodeArray, bits: int) -> npt.NDArray[np.uint8]:
    """Pack codes into a stream of bits.

    Args:
        codes: Unsigned integers below ``2**bits``, any shape.
        bits: Width of a code, 1 to 16.

    Returns:
        uint8 ``[packed_size(codes.size, bits)]``; the unused bits of the last byte are 0.

    Raises:
        PocketIntentError: ``bits`` is out of range, or a code needs more than ``bits`` bits.
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
    """Unpack codes that :func:`pack_codes` packed.

    Args:
        packed: uint8 ``[packed_size(num_codes, bits)]``.
        bits: Width of a code, 1 to 16.
        shape: Shape of the codes.

    Returns:
        Codes of that shape, uint8 for up to 8 bits, otherwise uint16.

    Raises:
        PocketIntentError: ``bits`` is out of range.
        ModelFileError: The dtype or length of ``packed`` does not fit ``bits`` and ``shape``.
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
