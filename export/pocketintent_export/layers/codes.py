"""Stored matrices as torch modules: a file contains the codes, and row look-ups decode them.

A converter computes every value that depends on no input, and would write the decoded floats. The
ONNX converter has a setting against it. For TFLite, :func:`unknown_zero` is added to the row
numbers: a zero that no converter can compute. Rows are looked up by ``embedding``, which becomes
``Gather`` in ONNX and ``EMBEDDING_LOOKUP`` in TFLite. Other ways of indexing become a gather with
checks in TFLite, which is three times slower.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import embedding

from pocketintent.runtime.arrays import IndexArray
from pocketintent.runtime.encoders.weights import Weights
from pocketintent.runtime.quantization.matrices import Int8Matrix, QuantizedMatrix
from pocketintent.runtime.quantization.quantizer import CodeArray
from pocketintent.runtime.quantization.tensors import bits_for

CodedMatrix = Int8Matrix | QuantizedMatrix

_BLOCK = 64
_BYTE = 128
"""Offset of stored bytes: they are int8, since the converters refuse uint8 constants."""


class Codes(nn.Module):
    """Packed codes of any width, uint8 or uint16 [num_rows, num_sub], read row by row.

    Codes of eight bits are bytes, and codes of four bits are halves of bytes. Other codes are a
    stream of bits in which each row starts at a byte. Float arithmetic extracts them from windows
    of several bytes; it is exact, since a window is below 2**24.
    """

    def __init__(self, codes: CodeArray, codebook_size: int) -> None:
        super().__init__()
        self.bits, self.num_sub = bits_for(codebook_size), codes.shape[1]
        packed = pack_rows(codes, self.bits)
        stored = torch.from_numpy(packed.astype(np.int16) - _BYTE).to(torch.int8)
        self.stored = nn.Buffer(stored)
        starts = np.arange(codes.shape[1]) * self.bits
        num_bytes = (7 + self.bits + 7) // 8  # bytes that a code can span
        columns = starts // 8 + np.arange(num_bytes)[:, None]
        # Bytes beyond the row would only fill bits that are cut off.
        columns = np.minimum(columns, packed.shape[1] - 1).astype(np.int32)
        self.columns = nn.Buffer(torch.from_numpy(columns))
        shifts = np.exp2(starts % 8).astype(np.float32)
        self.shifts = nn.Buffer(torch.from_numpy(shifts)[:, None])

    def forward(self, rows: Tensor) -> Tensor:
        """The codes of rows, int32 [n, num_sub], from their numbers, int32 [n]."""
        stored = embedding(rows, self.stored).to(torch.int32) + _BYTE
        if self.bits == 8:
            return stored
        stored = stored.to(torch.float32)
        if self.bits == 4:
            high = torch.floor(stored / 16.0)
            halves = torch.stack([stored - high * 16.0, high], dim=-1)
            return halves.reshape(stored.shape[0], -1)[:, : self.num_sub].to(torch.int32)
        by_byte = stored.t().contiguous()
        window = embedding(self.columns[0], by_byte)
        for number in range(1, len(self.columns)):
            window = window + embedding(self.columns[number], by_byte) * float(256**number)
        shifted = torch.floor(window / self.shifts)
        size = float(1 << self.bits)
        codes = shifted - torch.floor(shifted / size) * size
        return codes.to(torch.int32).t().contiguous()


class QuantizedRows(nn.Module):
    """The rows of quantised matrices of the same :func:`storage`, one after the other."""

    def __init__(self, matrices: Sequence[QuantizedMatrix]) -> None:
        super().__init__()
        quantizer = matrices[0].quantizer
        codes = np.concatenate([matrix.codes for matrix in matrices])
        self.codes = Codes(codes, quantizer.codebook_size)
        self.num_rows, self.dim = len(codes), quantizer.dim
        self.starts = np.cumsum([len(matrix) for matrix in matrices])[:-1].tolist()
        self.step = len(quantizer.codebook) * quantizer.codebook_size
        books = [m.quantizer.codebook.reshape(-1, quantizer.sub_dim) for m in matrices]
        self.codebook = nn.Buffer(torch.from_numpy(np.concatenate(books)))
        positions = torch.arange(quantizer.num_sub, dtype=torch.int32) * quantizer.codebook_size
        self.positions = nn.Buffer(positions) if quantizer.per_position else None
        norms = [m.norms.astype(np.float32)[:, None] for m in matrices if m.norms is not None]
        self.norms = nn.Buffer(torch.from_numpy(np.concatenate(norms))) if norms else None

    def forward(self, ids: Tensor) -> tuple[Tensor, Tensor | None]:
        """Decoded rows of ids, int32 [n]: float32 [n, dim] without norms; and the norms, [n, 1].

        The norms are None if the matrices have none.
        """
        codes = self.codes(ids)
        if self.positions is not None:
            codes = codes + self.positions
        for start in self.starts:
            codes = codes + ((ids >= start).to(torch.int32) * self.step).unsqueeze(-1)
        rows = embedding(codes.reshape(-1), self.codebook).reshape(-1, self.dim)
        return rows, None if self.norms is None else embedding(ids, self.norms)


class WholeMatrix(nn.Module):
    """All rows of stored matrices with the same columns, one matrix after the other."""

    def __init__(self, matrices: Sequence[CodedMatrix]) -> None:
        super().__init__()
        groups: list[list[Any]] = [list(group) for _, group in groupby(matrices, storage)]
        self.parts = nn.ModuleList(
            _Int8Part(group) if isinstance(group[0], Int8Matrix) else _QuantizedPart(group)
            for group in groups
        )

    def forward(self, zero: Tensor | None) -> Tensor:
        """The decoded rows, float32 [num_rows, columns].

        ``zero`` is an :func:`unknown_zero`; None if the converter keeps codes by itself.
        """
        parts = [part(zero) for part in self.parts]
        return parts[0] if len(parts) == 1 else torch.cat(parts)


class _Int8Part(nn.Module):
    """Matrices of int8 weights, decoded."""

    def __init__(self, matrices: Sequence[Int8Matrix]) -> None:
        super().__init__()
        self.codes = nn.Buffer(torch.from_numpy(np.concatenate([m.codes for m in matrices])))
        scales = np.concatenate([m.scales for m in matrices]).astype(np.float32)
        self.scales = nn.Buffer(torch.from_numpy(scales)[:, None])

    def forward(self, zero: Tensor | None) -> Tensor:
        codes: Tensor = self.codes
        if zero is not None:  # look up all codes as one row, to store no row numbers
            codes = embedding(zero, codes.reshape(1, -1)).reshape(codes.shape)
        return codes.to(torch.float32) * self.scales


class _QuantizedPart(nn.Module):
    """Matrices of codes, decoded."""

    def __init__(self, matrices: Sequence[QuantizedMatrix]) -> None:
        super().__init__()
        self.rows = QuantizedRows(matrices)

    def forward(self, zero: Tensor | None) -> Tensor:
        rows: Tensor
        rows, norms = self.rows(row_numbers(self.rows.num_rows, zero))
        return rows if norms is None else rows * norms


class Linear(nn.Module):
    """A product with a matrix of a network, and a bias; both have this prefix in its weights."""

    def __init__(self, weights: Weights, prefix: str) -> None:
        super().__init__()
        self.matrix = WholeMatrix([coded(weights, f"{prefix}.weight")])
        self.bias = vector(weights, f"{prefix}.bias")

    def forward(self, x: Tensor, zero: Tensor | None) -> Tensor:
        """Float32 [..., outputs], of ``x``, [..., inputs]; see :class:`WholeMatrix`."""
        return torch.matmul(x, self.matrix(zero).t()) + self.bias


def storage(matrix: CodedMatrix) -> tuple[Any, ...]:
    """Properties that matrices share if one :class:`QuantizedRows` can decode them all."""
    if isinstance(matrix, Int8Matrix):
        return ("int8",)
    return *matrix.quantizer.codebook.shape, matrix.norms is None


def unknown_zero(source: Tensor) -> Tensor:
    """A zero, int32 [1], that depends on ``source``, without NaN: no converter computes it."""
    first = source.reshape(-1)[:1]
    return torch.clamp(torch.abs(first), max=0).to(torch.int32)


def row_numbers(count: int, zero: Tensor | None) -> Tensor:
    """The numbers from 0 to ``count - 1``, int32 [count].

    With an :func:`unknown_zero` the file stores fewer of them; without it they are constants.
    """
    if zero is None:
        return torch.arange(count, dtype=torch.int32)
    starts = torch.arange(0, count, _BLOCK, dtype=torch.int32) + zero
    numbers = starts.unsqueeze(1) + torch.arange(_BLOCK, dtype=torch.int32)
    return numbers.reshape(-1)[:count]


def coded(weights: Weights, name: str, rows: IndexArray | slice = slice(None)) -> CodedMatrix:
    """Rows of a matrix of a network, which must not be float32; by default all."""
    matrix = weights.matrices[name]
    assert isinstance(matrix, CodedMatrix), name
    if isinstance(matrix, Int8Matrix):
        return Int8Matrix(matrix.codes[rows], matrix.scales[rows])
    return matrix.select(rows)


def vector(weights: Weights, name: str) -> Tensor:
    """A weight of a network with one axis, as a buffer."""
    return nn.Buffer(torch.from_numpy(weights.vectors[name].copy()))


def pack_rows(codes: CodeArray, bits: int) -> CodeArray:
    """Codes [n, num_sub] as bytes, uint8 [n, row_bytes]; every row starts at a byte."""
    if bits == 8:
        return codes
    separate = codes[:, :, None] >> np.arange(bits, dtype=codes.dtype) & 1
    return np.packbits(separate.reshape(len(codes), -1), axis=1, bitorder="little")
