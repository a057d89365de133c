"""Vector quantisation over sub-vectors: encode, decode, and similarities from a table.

A vector of ``dim`` numbers is cut into ``dim / sub_dim`` sub-vectors, and each becomes the number
of its nearest centroid in a codebook (product quantisation; Jegou, Douze and Schmid 2011). The
codebooks come from :mod:`pocketintent.runtime.quantization.lbg`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from pocketintent.runtime.arrays import FloatArray, IndexArray
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.quantization.lbg import check_finite, fit_lbg, nearest_centroids
from pocketintent.runtime.quantization.packing import MAX_BITS, CodeArray

Progress = Callable[[int, int], None]
"""Called as ``progress(done, total)`` after each unit of work."""

_ROWS_AT_ONCE = 16_384
_MIN_SAMPLES_PER_CENTROID = 32


@dataclass(frozen=True, eq=False)
class Quantizer:
    """Codebooks that turn vectors into codes and back."""

    codebook: FloatArray
    """float32 ``[num_codebooks, codebook_size, sub_dim]``; num_codebooks is 1 or num_sub."""
    dim: int
    """Length of a vector."""
    normalised: bool
    """Whether directions are quantised and norms kept apart in half precision."""
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
        # One row vector times a wide matrix for each position is twice as fast as the reverse.
        transposed = np.ascontiguousarray(self.codebook.transpose(0, 2, 1), dtype=np.float32)
        object.__setattr__(self, "_transposed", transposed)
        object.__setattr__(self, "_offsets", np.arange(self.num_sub, dtype=np.intp) * step)

    @property
    def sub_dim(self) -> int:
        """Length of a sub-vector (the thesis' D_SV)."""
        return int(self.codebook.shape[2])

    @property
    def num_sub(self) -> int:
        """Sub-vectors, and so codes, of a vector."""
        return self.dim // self.sub_dim

    @property
    def codebook_size(self) -> int:
        """Centroids of one codebook (the thesis' D_CB)."""
        return int(self.codebook.shape[1])

    @property
    def per_position(self) -> bool:
        """Whether each sub-vector position has a codebook of its own."""
        return len(self.codebook) == self.num_sub

    @property
    def code_dtype(self) -> type[np.uint8] | type[np.uint16]:
        """uint8 up to 256 centroids, else uint16."""
        return np.uint8 if self.codebook_size <= 256 else np.uint16

    @classmethod
    def fit(
        cls,
        vectors: FloatArray,
        *,
        sub_dim: int,
        codebook_size: int,
        per_position: bool = True,
        normalised: bool = True,
        weights: npt.ArrayLike | None = None,
        sample: int = 50_000,
        seed: int = 0,
        progress: Progress | None = None,
    ) -> Quantizer:
        """Fit codebooks to vectors by the Linde-Buzo-Gray algorithm.

        Args:
            vectors: float32 ``[n, dim]``; ``dim`` is a multiple of ``sub_dim``.
            sub_dim: Length of a sub-vector.
            codebook_size: Centroids of a codebook, 1 to 65536.
            per_position: One codebook for each position, else one for all positions.
            normalised: Bring vectors to unit length first and keep their norms apart.
            weights: How much each vector matters, ``[n]``, not negative; the sample is drawn
                in proportion and with replacement. None for all alike.
            sample: Sub-vectors, drawn at random, that a codebook is fitted on; never fewer
                than 32 for each centroid.
            seed: Seed of the draw.
            progress: Called after each codebook.

        Returns:
            The quantizer. Its centroids are rounded to half precision, as in the model file.

        Raises:
            PocketIntentError: The sizes do not fit, there are no vectors, a row holds NaN or
                infinity, or the weights are not usable.
        """
        _check_matrix(vectors, None)
        dim = vectors.shape[1]
        if sub_dim < 1 or dim % sub_dim:
            divisors = [size for size in range(1, dim + 1) if dim % size == 0]
            raise PocketIntentError(
                f"sub_dim {sub_dim} does not divide dim {dim}; choose one of {divisors}"
            )
        if not 1 <= codebook_size <= 1 << MAX_BITS:
            raise PocketIntentError(f"codebook_size {codebook_size} is not in 1..{1 << MAX_BITS}")
        rng = np.random.default_rng(seed)
        sample = max(sample, _MIN_SAMPLES_PER_CENTROID * codebook_size)
        if weights is None:
            drawn = _draw(vectors, sample, rng)
        else:
            drawn = _draw_weighted(vectors, weights, sample, rng)
        if normalised:
            drawn, norms = _normalise(drawn)
            drawn = drawn[norms > 0] if norms.any() else drawn
        if per_position:
            parts = [drawn[:, start : start + sub_dim] for start in range(0, dim, sub_dim)]
        else:
            parts = [_draw(drawn.reshape(-1, sub_dim), sample, rng)]
        codebook = np.empty((len(parts), codebook_size, sub_dim), dtype=np.float32)
        for position, part in enumerate(parts):
            codebook[position] = fit_lbg(part, codebook_size)
            if progress is not None:
                progress(position + 1, len(parts))
        return cls(half_precision(codebook, "codebook").astype(np.float32), dim, normalised)

    def encode(self, vectors: FloatArray, *, progress: Progress | None = None) -> QuantizedMatrix:
        """Quantise vectors.

        With ``normalised`` the norm that is kept is the one with the least squared error,
        ``x . d / d . d`` for the decoded direction ``d``.

        Args:
            vectors: float32 ``[n, dim]``.
            progress: Called with the rows done and the rows in all.

        Returns:
            The codes, and the norms where the quantizer keeps them.

        Raises:
            PocketIntentError: The shape does not fit, a row holds NaN or infinity, or a norm
                is too large for half precision.
        """
        _check_matrix(vectors, self.dim)
        codes = np.empty((len(vectors), self.num_sub), dtype=self.code_dtype)
        norms = np.zeros(len(vectors), dtype=np.float16) if self.normalised else None
        for start in range(0, len(vectors), _ROWS_AT_ONCE):
            rows = slice(start, start + _ROWS_AT_ONCE)
            block = np.asarray(vectors[rows], dtype=np.float32)
            if norms is None:
                codes[rows] = self.assign(block)
            else:
                units, lengths = _normalise(block)
                codes[rows] = self.assign(units)
                scale = _best_scale(units, self.decode_codes(codes[rows]))
                norms[rows] = half_precision(scale * lengths, "norms", start)
            if progress is not None:
                progress(min(start + _ROWS_AT_ONCE, len(vectors)), len(vectors))
        return QuantizedMatrix(codes, norms, self)

    def assign(self, vectors: FloatArray) -> CodeArray:
        """Codes of the nearest centroids, without any normalisation.

        Args:
            vectors: float32 ``[n, dim]``.

        Returns:
            uint8 or uint16 ``[n, num_sub]``; the first of equally near centroids.
        """
        codes = np.empty((len(vectors), self.num_sub), dtype=self.code_dtype)
        for position in range(self.num_sub):
            first = position * self.sub_dim
            part = vectors[:, first : first + self.sub_dim]
            codebook = self.codebook[position if self.per_position else 0]
            codes[:, position] = nearest_centroids(part, codebook)
        return codes

    def decode_codes(self, codes: CodeArray) -> FloatArray:
        """The centroids of codes ``[k, num_sub]``, side by side: float32 ``[k, dim]``."""
        centroids: FloatArray = self._table.take(codes + self._offsets, axis=0)
        return centroids.reshape(len(codes), self.dim)

    def similarity_table(self, query: FloatArray) -> FloatArray:
        """Dot products of a query's sub-vectors with all centroids.

        The dot product of the query with a decoded vector of codes ``c`` is the sum of
        ``table[s, c[s]]`` over the positions ``s``, times the vector's norm where it has one.

        Args:
            query: float32 ``[dim]``.

        Returns:
            float32 ``[num_sub, codebook_size]``.
        """
        parts = query.reshape(self.num_sub, 1, self.sub_dim)
        table: FloatArray = np.matmul(parts, self._transposed)
        return table.reshape(self.num_sub, self.codebook_size)

    def distortion(self, vectors: FloatArray) -> float:
        """Mean squared error of vectors ``[n, dim]`` that are encoded and decoded."""
        decoded = self.encode(vectors).decode()
        return float(np.square(vectors - decoded).sum(axis=1, dtype=np.float64).mean())


@dataclass(frozen=True, eq=False)
class QuantizedMatrix:
    """Vectors kept as codes."""

    codes: CodeArray
    """``[n, num_sub]``; may be a read-only view of a memory map."""
    norms: npt.NDArray[np.float16] | None
    """``[n]``, or None when the quantizer is not normalised."""
    quantizer: Quantizer

    def __post_init__(self) -> None:
        if self.codes.ndim != 2 or self.codes.shape[1] != self.quantizer.num_sub:
            raise PocketIntentError(
                f"codes have shape {list(self.codes.shape)}; they must be "
                f"[n, {self.quantizer.num_sub}]"
            )
        if (self.norms is not None) != self.quantizer.normalised or (
            self.norms is not None and self.norms.shape != self.codes.shape[:1]
        ):
            raise PocketIntentError("norms must be [n] for a normalised quantizer, else None")

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return self.quantizer.dim

    def rows(self, ids: IndexArray) -> FloatArray:
        """Decoded vectors of some rows.

        Args:
            ids: intp ``[k]``.

        Returns:
            float32 ``[k, dim]``, a fresh array.
        """
        rows = self.quantizer.decode_codes(self.codes.take(ids, axis=0))
        if self.norms is not None:
            rows *= self.norms.take(ids).astype(np.float32)[:, None]
        return rows

    def weighted_sum(self, ids: IndexArray) -> FloatArray:
        """The sum of ``rows(ids)`` as float32 ``[dim]``, without scaling each row first."""
        rows = self.quantizer.decode_codes(self.codes.take(ids, axis=0))
        total: FloatArray
        if self.norms is None:
            total = np.add.reduce(rows, axis=0)
        else:
            total = self.norms.take(ids).astype(np.float32) @ rows
        return total

    def select(self, ids: IndexArray | slice) -> QuantizedMatrix:
        """A matrix of some rows, with the same codebook."""
        norms = None if self.norms is None else self.norms[ids]
        return QuantizedMatrix(self.codes[ids], norms, self.quantizer)

    def decode(self) -> FloatArray:
        """All vectors, decoded: float32 ``[n, dim]``."""
        decoded = np.empty((len(self), self.dim), dtype=np.float32)
        for start in range(0, len(self), _ROWS_AT_ONCE):
            stop = min(start + _ROWS_AT_ONCE, len(self))
            decoded[start:stop] = self.rows(np.arange(start, stop))
        return decoded


def _check_matrix(vectors: FloatArray, dim: int | None) -> None:
    if vectors.ndim != 2 or vectors.shape[1] == 0 or (dim is None and len(vectors) == 0):
        raise PocketIntentError(f"vectors must be [n, dim], not {list(vectors.shape)}")
    if dim is not None and vectors.shape[1] != dim:
        raise PocketIntentError(f"vectors have dim {vectors.shape[1]}; the quantizer has {dim}")
    check_finite(vectors)


def _draw(vectors: FloatArray, sample: int, rng: np.random.Generator) -> FloatArray:
    if len(vectors) > sample:
        vectors = vectors[np.sort(rng.choice(len(vectors), sample, replace=False))]
    return np.asarray(vectors, dtype=np.float32)


def _draw_weighted(
    vectors: FloatArray, weights: npt.ArrayLike, sample: int, rng: np.random.Generator
) -> FloatArray:
    shares = np.asarray(weights, dtype=np.float64)
    if shares.shape != (len(vectors),) or not (shares >= 0).all() or not 0 < shares.sum() < np.inf:
        raise PocketIntentError(
            f"weights must be {len(vectors)} finite numbers from 0, not all of them 0"
        )
    rows = rng.choice(len(vectors), sample, p=shares / shares.sum())
    return np.asarray(vectors[np.sort(rows)], dtype=np.float32)


def _normalise(vectors: FloatArray) -> tuple[FloatArray, FloatArray]:
    norms = np.sqrt(np.einsum("nd,nd->n", vectors, vectors))
    return vectors / np.where(norms > 0, norms, 1.0).astype(np.float32)[:, None], norms


def _best_scale(units: FloatArray, decoded: FloatArray) -> FloatArray:
    energy = np.einsum("nd,nd->n", decoded, decoded)
    product = np.einsum("nd,nd->n", units, decoded)
    scale: FloatArray = product / np.where(energy > 0, energy, 1.0).astype(np.float32)
    return scale


def half_precision(values: FloatArray, what: str, first_row: int = 0) -> npt.NDArray[np.float16]:
    """Round to half precision; values past its range are an error, not infinity."""
    with np.errstate(over="ignore"):
        halves = values.astype(np.float16)
    if not np.isfinite(halves).all():
        row = first_row + int(np.argwhere(~np.isfinite(halves))[0][0])
        raise PocketIntentError(f"{what}: row {row} is too large for half precision; scale it down")
    return halves
