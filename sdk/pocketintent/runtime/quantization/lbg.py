"""The Linde-Buzo-Gray algorithm: the codebook of a set of vectors.

Linde, Buzo and Gray, "An algorithm for vector quantizer design", IEEE Transactions on
Communications 28 (1980). It starts from the mean of all vectors, splits each centroid ``c`` into
``c(1 + eps)`` and ``c(1 - eps)``, and runs Lloyd's iteration after each split. It is deterministic:
equal vectors give an equal codebook.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pocketintent.runtime.arrays import FloatArray, IndexArray, check_finite, row_products
from pocketintent.runtime.errors import PocketIntentError

FloatArray64 = npt.NDArray[np.float64]

_BLOCK_BYTES = 1 << 19  # distances computed at once; a block fits the processor's cache
_NO_DISTORTION = 1e-12  # fraction of the total energy below which a distance is rounding
_TOLERANCE = 1e-3  # Lloyd's iteration ends when the distortion falls by less than this fraction
_MAX_ITERATIONS = 20  # after one split


def nearest_centroids(vectors: FloatArray, codebook: FloatArray) -> IndexArray:
    """The nearest centroid of each vector by Euclidean distance, the first of equal ones: intp [n].

    ``vectors`` are float32 ``[n, sub_dim]``, and the codebook ``[codebook_size, sub_dim]``.
    """
    centre = codebook.mean(axis=0)
    return _assign(_augment(vectors - centre), codebook - centre)


def fit_lbg(vectors: FloatArray, codebook_size: int) -> FloatArray:
    """Fit a codebook, float32 ``[codebook_size, sub_dim]``, to vectors, float32 ``[n, sub_dim]``.

    A codebook of twice the size never has a larger distortion: at a split each vector goes to the
    nearer half of its own centroid, whatever ``eps`` is, and no later step raises the distortion.
    If the size is not a power of two, the last round splits only the most distorted clusters. A
    cluster without vectors gets the one farthest from its centroid in the most distorted cluster.
    With fewer distinct vectors than centroids, the vectors themselves are the centroids, and the
    others copies. No vectors, numbers not finite, and a size below 1 are PocketIntentErrors.
    """
    if codebook_size < 1:
        raise PocketIntentError(f"codebook_size is {codebook_size}; it must be at least 1")
    if vectors.ndim != 2 or len(vectors) == 0:
        raise PocketIntentError(f"no vectors to fit a codebook to: shape {list(vectors.shape)}")
    check_finite(vectors)
    mean = vectors.mean(axis=0, dtype=np.float64).astype(np.float32)
    state = _Partition(np.ascontiguousarray(vectors - mean, dtype=np.float32))
    while len(state.centroids) < codebook_size and not state.exact:
        state.split(min(len(state.centroids), codebook_size - len(state.centroids)), mean)
        previous = state.distortion
        for _ in range(_MAX_ITERATIONS):
            state.reassign()
            if previous - state.distortion <= _TOLERANCE * previous:
                break
            previous = state.distortion
    centroids = state.centroids + mean
    missing = codebook_size - len(centroids)
    return np.concatenate([centroids, np.repeat(centroids[:1], missing, axis=0)])


def draw_rows(vectors: FloatArray, size: int, rng: np.random.Generator) -> FloatArray:
    """At most ``size`` random rows of [n, dim], float32, in their order."""
    if len(vectors) > size:
        vectors = vectors[np.sort(rng.choice(len(vectors), size, replace=False))]
    return np.asarray(vectors, dtype=np.float32)


class _Partition:
    """Vectors, the centroid of each, and the sums that give centroids and distortions."""

    def __init__(self, vectors: FloatArray) -> None:
        self._vectors = vectors
        self._augmented = _augment(vectors)
        self._columns = np.ascontiguousarray(vectors.T, dtype=np.float64)
        self._energies = np.square(self._columns).sum(axis=0)
        self._floor = _NO_DISTORTION * float(self._energies.sum())
        self._update(np.zeros(len(vectors), dtype=np.intp), 1)

    @property
    def distortion(self) -> float:
        """Sum of squared distances of the vectors to their centroids."""
        return float(self._distortions.sum())

    @property
    def exact(self) -> bool:
        """Whether every vector equals its centroid, up to rounding."""
        return self.distortion <= self._floor

    def split(self, num_splits: int, origin: FloatArray) -> None:
        """Split the ``num_splits`` most distorted clusters at their centroids.

        The nearer of ``c(1 + eps)`` and ``c(1 - eps)`` to ``x`` is the first when
        ``(x - c) . c > 0``; ``origin`` was subtracted from the vectors.
        """
        chosen = np.sort(np.argsort(-self._distortions, kind="stable")[:num_splits])
        size = len(self.centroids)
        second_half = np.full(size, -1, dtype=np.intp)
        second_half[chosen] = np.arange(size, size + len(chosen))
        direction = (self.centroids + origin)[self._codes]
        side = row_products(self._vectors - self.centroids[self._codes], direction)
        moves = (side < 0) & (second_half[self._codes] >= 0)
        codes = np.where(moves, second_half[self._codes], self._codes)
        self._update(codes, size + len(chosen))

    def reassign(self) -> None:
        """Run one iteration of Lloyd: nearest centroids, then the means of the clusters."""
        self._update(_assign(self._augmented, self.centroids), len(self.centroids))

    def _update(self, codes: IndexArray, size: int) -> None:
        self._codes = codes
        self._sum(size)
        for empty in np.flatnonzero(self._counts == 0):
            worst = int(self._distortions.argmax())
            if self._distortions[worst] <= self._floor:
                break
            self._reseed(int(empty), worst)
        counts = np.maximum(self._counts, 1)[:, None]
        self.centroids = (self._sums / counts).astype(np.float32)
        self.centroids[self._counts == 0] = self.centroids[self._counts.argmax()]

    def _sum(self, size: int) -> None:
        codes = self._codes
        self._counts: IndexArray = np.bincount(codes, minlength=size)
        self._sums = np.stack([np.bincount(codes, column, size) for column in self._columns], 1)
        self._cluster_energies = np.bincount(codes, self._energies, size)
        self._distortions = self._spread(slice(None))

    def _spread(self, clusters: slice | list[int]) -> FloatArray64:
        """Energy about the mean, computed from sums, so that no distances are stored."""
        of_means = np.square(self._sums[clusters]).sum(axis=1)
        of_means /= np.maximum(self._counts[clusters], 1)
        spread: FloatArray64 = np.maximum(self._cluster_energies[clusters] - of_means, 0.0)
        return spread

    def _reseed(self, empty: int, worst: int) -> None:
        """Move the farthest vector of a cluster, and its duplicates, to an empty cluster."""
        members = np.flatnonzero(self._codes == worst)
        points = self._vectors[members]
        centroid = self._sums[worst] / self._counts[worst]
        farthest = points[int(np.square(points - centroid).sum(axis=1).argmax())]
        moved = members[(points == farthest).all(axis=1)]
        self._codes[moved] = empty
        energy = self._energies[moved].sum()
        total = self._columns[:, moved].sum(axis=1)
        for cluster, sign in ((empty, 1), (worst, -1)):
            self._counts[cluster] += sign * len(moved)
            self._sums[cluster] += sign * total
            self._cluster_energies[cluster] += sign * energy
        self._distortions[[empty, worst]] = self._spread([empty, worst])


def _augment(vectors: FloatArray) -> FloatArray:
    """Append a column of ones, so that one matrix product gives ``|c|^2 - 2 x.c``."""
    augmented = np.empty((len(vectors), vectors.shape[1] + 1), dtype=np.float32)
    augmented[:, :-1] = vectors
    augmented[:, -1] = 1.0
    return augmented


def _assign(augmented: FloatArray, codebook: FloatArray) -> IndexArray:
    weights = np.concatenate([-2.0 * codebook.T, np.square(codebook).sum(axis=1)[None]])
    codes = np.empty(len(augmented), dtype=np.intp)
    step = max(1, _BLOCK_BYTES // (4 * len(codebook)))
    block = np.empty((min(step, len(augmented)), len(codebook)), dtype=np.float32)
    for start in range(0, len(augmented), step):
        rows = augmented[start : start + step]
        distances = np.matmul(rows, weights, out=block[: len(rows)])
        distances.argmin(axis=1, out=codes[start : start + step])
    return codes
