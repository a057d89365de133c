"""The head of an adapter: a residual layer over the words or the vector of a text.

Source: Cakaloglu and Xu 2019, "A Multi-Resolution Word Embedding for Document Retrieval from Large
Unstructured Knowledge Bases", equations 5 to 7.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import (
    MAX_DIM,
    MAX_NUMBERS,
    FloatArray,
    check_numbers,
    read_number,
    read_tensor,
    unit_rows,
)
from pocketintent.runtime.encoders.contextual.network import MAX_WIDTH
from pocketintent.runtime.encoders.sequence import MAX_TOKENS
from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.quantization.matrices import Int8Matrix

Network = Literal["convrr", "fcrr"]
"""``convrr`` reads windows of words, ``fcrr`` the vector of the whole text."""

PREFIX = "convrr"
"""Manifest entry of the head and, with a dot, prefix of its tensors."""


@dataclass(frozen=True, eq=False)
class ResidualHead:
    """A residual layer: ReLU of linear kernels, averaged, and added to the vector of a text.

    Raises:
        ModelFileError: A shape does not fit, or a number is out of range.
    """

    network: Network
    """What the kernels read."""
    inner: Int8Matrix
    """[num_kernels, width * dim]: the kernels, from ``width`` words, the leftmost first."""
    bias: FloatArray
    """[num_kernels]."""
    outer: Int8Matrix | None
    """[dim, num_kernels]: from the averaged kernels to the dimensions of the encoder; None with a
    kernel for each dimension, as in the paper."""
    width: int
    """Number of words of a window, odd; 1 for ``fcrr``."""
    scale: float
    """sf: the factor of what is added."""

    def __post_init__(self) -> None:
        widths = range(1, MAX_WIDTH + 1, 2) if self.network == "convrr" else (1,)
        if self.network not in get_args(Network) or self.width not in widths:
            raise ModelFileError(
                f"a head of network {self.network!r} and width {self.width!r} is not possible; "
                f"convrr has an odd width from 1 to {MAX_WIDTH}, fcrr the width 1"
            )
        kernels, columns = self.inner.shape
        dim = columns // self.width
        _check_size(kernels, dim, self.width)
        if columns != self.width * dim or self.bias.shape != (kernels,):
            raise ModelFileError(
                f"the kernels of the head have the shape {[kernels, columns]} and the bias has "
                f"{list(self.bias.shape)}, which do not fit the width {self.width}"
            )
        outer = (kernels, kernels) if self.outer is None else self.outer.shape
        if outer != (dim, kernels):
            raise ModelFileError(
                f"the head maps {kernels} kernels by a matrix of the shape {list(outer)}, but "
                f"{[dim, kernels]} is expected"
            )
        check_numbers({f"{PREFIX}.bias": self.bias})

    @property
    def dim(self) -> int:
        """Size of the vectors."""
        return self.inner.shape[1] // self.width

    def __getstate__(self) -> dict[str, Any]:
        """Copies and pickles decode the matrices again."""
        return {name: value for name, value in self.__dict__.items() if name != "_decoded"}

    @cached_property
    def _decoded(self) -> tuple[FloatArray, FloatArray | None]:
        """The kernels, [width, dim, num_kernels], and the outer matrix, [num_kernels, dim]."""
        inner = self.inner.decode().reshape(-1, self.width, self.dim).transpose(1, 2, 0)
        outer = None if self.outer is None else np.ascontiguousarray(self.outer.decode().T)
        return np.ascontiguousarray(inner), outer

    def move(self, base: FloatArray, words: FloatArray) -> FloatArray:
        """The vector of a text, moved by the head.

        A window that begins or ends outside of the text reads zeros there, so that each word is
        the middle of one window; the paper has no windows for the words at both ends.

        Args:
            base: float32 [dim]: the unit vector of the text, to which the head adds.
            words: float32 [num_words, dim]: the vectors of its words, at least one.

        Returns:
            float32 [dim], of unit length or zeros.
        """
        inner, outer = self._decoded
        rows = words if self.network == "convrr" else base[None]
        reach = self.width // 2
        padded = np.zeros((len(rows) + 2 * reach, self.dim), np.float32)
        padded[reach : reach + len(rows)] = rows
        features = padded[: len(rows)].dot(inner[0])
        for place in range(1, self.width):
            features += padded[place : place + len(rows)].dot(inner[place])
        features += self.bias
        np.maximum(features, 0, out=features)
        pooled = features.mean(axis=0)
        added = pooled if outer is None else pooled.dot(outer)
        moved: FloatArray = unit_rows((base + np.float32(self.scale) * added)[None])[0]
        return moved

    def to_parts(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """The fields of the manifest's entry ``convrr``, and the tensors by name."""
        tensors: dict[str, NDArray[Any]] = self.inner.to_tensors(f"{PREFIX}.inner")
        tensors[f"{PREFIX}.bias"] = np.asarray(self.bias, np.float32)
        if self.outer is not None:
            tensors |= self.outer.to_tensors(f"{PREFIX}.outer")
        entry = {
            "network": self.network,
            "width": self.width,
            "kernels": self.inner.shape[0],
            "mapped": self.outer is not None,
            "scale": self.scale,
        }
        return entry, tensors


def read_head(entry: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]) -> ResidualHead:
    """Read the head that :meth:`ResidualHead.to_parts` wrote.

    Args:
        entry: The manifest's entry ``convrr``.
        tensors: The tensors of the model file.

    Raises:
        ModelFileError: The entry is damaged, or a tensor is missing or differs from it.
    """
    width, mapped = entry.get("width"), entry.get("mapped")
    if type(width) is not int or type(mapped) is not bool:
        raise ModelFileError(
            f"the manifest's {PREFIX} must have a whole number as width, and mapped true or false"
        )
    bias = read_tensor(tensors, f"{PREFIX}.bias", ["float32"])
    head = ResidualHead(
        network=entry.get("network"),  # type: ignore[arg-type]
        inner=Int8Matrix.from_tensors(tensors, f"{PREFIX}.inner"),
        bias=bias,
        outer=Int8Matrix.from_tensors(tensors, f"{PREFIX}.outer") if mapped else None,
        width=width,
        scale=read_number(entry, "scale", 0, PREFIX),
    )
    if entry.get("kernels") != head.inner.shape[0]:
        raise ModelFileError(
            f"the manifest's {PREFIX} has {entry.get('kernels')!r} kernels, but the file has "
            f"{head.inner.shape[0]}"
        )
    return head


def _check_size(kernels: int, dim: int, width: int) -> None:
    """Check that the kernels, and the largest array of a text, fit into memory."""
    if not 1 <= kernels <= MAX_DIM or not 1 <= dim <= MAX_DIM:
        raise ModelFileError(
            f"the head has {kernels} kernels for {dim} dimensions; both must be from 1 to {MAX_DIM}"
        )
    largest = max(kernels * width, MAX_TOKENS) * max(dim, kernels)
    if largest > MAX_NUMBERS:
        raise ModelFileError(
            f"a head of {kernels} kernels, width {width} and {dim} dimensions needs {largest} "
            f"numbers in memory; at most {MAX_NUMBERS} are allowed"
        )
