"""Vector quantisation over sub-vectors: encode, decode, and similarities from a table.

Each of a vector's ``dim / sub_dim`` sub-vectors becomes the number of its nearest centroid in a
codebook (product quantisation; Jegou, Douze and Schmid 2011). Either each position of a sub-vector
has its own codebook, or all positions share one.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from pocketintent.runtime.arrays import FloatArray, IndexArray
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.quantization.lbg import nearest_centroids

CodeArray = npt.NDArray[np.uint8 | np.uint16]
"""Numbers of centroids."""

MAX_BITS = 16
"""Largest number of bits of a code."""


@dataclass(frozen=True, eq=False)
class Quantizer:
    """Codebooks that turn vectors into codes and back."""

    codebook: FloatArray
    """float32 ``[num_codebooks, codebook_size, sub_dim]``; num_codebooks is 1 or num_sub."""
    dim: int
    """Length of a vector."""
    normalised: bool
    """Whether directions are quantised and norms stored separately in half precision."""
    _table: FloatArray = field(init=False, repr=False)
    _offsets: IndexArray = field(init=False, repr=False)
    _transposed: FloatArray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        shape = self.codebook.shape
        if len(shape) != 3 or 0 in shape or shape[1] > 1 << MAX_BITS:
            raise PocketIntentError(
                f"codebook has shape {list(shape)}; it must be [num_codebooks, codebook_size, "
                f"sub_dim] with at most {1 << MAX_BITS} centroids"
            )
        if self.dim != self.num_sub * self.sub_dim or shape[0] not in (1, self.num_sub):
            raise PocketIntentError(
                f"{shape[0]} codebooks of sub_dim {shape[2]} do not fit vectors of dim {self.dim}"
            )
        table = np.ascontiguousarray(self.codebook, dtype=np.float32).reshape(-1, self.sub_dim)
        step = 0 if shape[0] == 1 else self.codebook_size
        object.__setattr__(self, "_table", table)
        # A row vector times a wide matrix for each position is twice as fast as the reverse.
        transposed = np.ascontiguousarray(self.codebook.transpose(0, 2, 1), dtype=np.float32)
        object.__setattr__(self, "_transposed", transposed)
        object.__setattr__(self, "_offsets", np.arange(self.num_sub, dtype=np.intp) * step)

    @property
    def sub_dim(self) -> int:
        """Length of a sub-vector (the thesis' D_SV)."""
        return int(self.codebook.shape[2])

    @property
    def num_sub(self) -> int:
        """Number of sub-vectors, and so of codes, of a vector."""
        return self.dim // self.sub_dim

    @property
    def codebook_size(self) -> int:
        """Number of centroids of a codebook (the thesis' D_CB)."""
        return int(self.codebook.shape[1])

    @property
    def per_position(self) -> bool:
        """Whether each sub-vector position has its own codebook."""
        return len(self.codebook) == self.num_sub

    @property
    def code_dtype(self) -> type[np.uint8] | type[np.uint16]:
        """uint8 for up to 256 centroids, otherwise uint16."""
        return np.uint8 if self.codebook_size <= 256 else np.uint16

    def assign(self, vectors: FloatArray) -> CodeArray:
        """The codes of the nearest centroids, ``[n, num_sub]``, the first of equally near ones.

        The vectors, float32 ``[n, dim]``, are not normalised here.
        """
        codes = np.empty((len(vectors), self.num_sub), dtype=self.code_dtype)
        for position in range(self.num_sub):
            first = position * self.sub_dim
            part = vectors[:, first : first + self.sub_dim]
            codebook = self.codebook[position if self.per_position else 0]
            codes[:, position] = nearest_centroids(part, codebook)
        return codes

    def decode_codes(self, codes: CodeArray) -> FloatArray:
        """Decode codes ``[k, num_sub]``: float32 ``[k, dim]``."""
        centroids: FloatArray = self._table.take(codes + self._offsets, axis=0)
        return centroids.reshape(len(codes), self.dim)

    def similarity_table(self, query: FloatArray) -> FloatArray:
        """A query's sub-vectors times all centroids: float32 ``[num_sub, codebook_size]``.

        The dot product of the query, float32 ``[dim]``, with a decoded vector of codes ``c`` is the
        sum of ``table[s, c[s]]`` over the positions ``s``, times the vector's norm if it has one.
        """
        parts = query.reshape(self.num_sub, 1, self.sub_dim)
        table: FloatArray = np.matmul(parts, self._transposed)
        return table.reshape(self.num_sub, self.codebook_size)
