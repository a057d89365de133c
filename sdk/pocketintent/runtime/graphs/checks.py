"""Checks of a graph against the manifest of its folder, when it is opened and when it runs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.graphs.backends import Arrays, Graph, TensorSpec


class CheckedGraph:
    """A graph whose tensors are those of the manifest; any other result is a ModelFileError.

    Args:
        graph: The graph.
        inputs: The inputs in the manifest, by name.
        outputs: The outputs in the manifest, by name.
        source: The graph's file, for messages.

    Raises:
        ModelFileError: The graph has other inputs or outputs.
    """

    def __init__(
        self,
        graph: Graph,
        inputs: Mapping[str, TensorSpec],
        outputs: Mapping[str, TensorSpec],
        source: Path,
    ) -> None:
        for kind, own, expected in (
            ("inputs", graph.inputs, inputs),
            ("outputs", graph.outputs, outputs),
        ):
            if own.keys() != expected.keys() or not all(
                _fits(own[name], expected[name]) for name in own
            ):
                raise ModelFileError(
                    f"{source}: the graph does not fit its manifest: its {kind} are "
                    f"{_describe(own)}, and the manifest has {_describe(expected)}; export again"
                )
        self.inputs, self.outputs = inputs, outputs
        self._graph = graph
        self._source = source

    def run(self, inputs: Arrays) -> dict[str, NDArray[Any]]:
        """The outputs for one text; see :meth:`Graph.run`.

        Raises:
            ModelFileError: The graph fails, or an output has another shape or is not finite.
        """
        try:
            values = self._graph.run(inputs)
        except Exception as error:  # the backends' exceptions have no common base
            raise ModelFileError(f"{self._source}: the graph cannot be run: {error}") from error
        for name, value in values.items():
            shape = self.outputs[name].shape[1:]
            if len(shape) != value.ndim or any(
                size not in (None, own) for size, own in zip(shape, value.shape, strict=True)
            ):
                raise ModelFileError(
                    f"{self._source}: output {name!r} has the shape {list(value.shape)}, and the "
                    f"manifest has {list(shape)}; export again"
                )
            if value.dtype.kind == "f" and not np.isfinite(value).all():
                raise ModelFileError(f"{self._source}: output {name!r} has NaN or infinity")
        return values


def _fits(own: TensorSpec, expected: TensorSpec) -> bool:
    """Whether a tensor of a graph accepts what the manifest describes."""
    return (
        own.dtype == expected.dtype
        and len(own.shape) == len(expected.shape)
        and all(
            size in (None, other) for size, other in zip(own.shape, expected.shape, strict=True)
        )
    )


def _describe(tensors: Mapping[str, TensorSpec]) -> str:
    parts = (f"{name} {tensor.dtype} {list(tensor.shape)}" for name, tensor in tensors.items())
    return ", ".join(sorted(parts)) or "none"
