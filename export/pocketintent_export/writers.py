"""From a torch module to a file: by the ONNX exporter of torch, or by LiteRT's converter."""

from __future__ import annotations

import contextlib
import io
import logging
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from pocketintent.runtime.errors import require

OPSET = 18
INPUTS = ("ids", "weights")
"""Names of the graphs' inputs, int32 and float32, both [batch, length]."""

Writer = Callable[[nn.Module, Sequence[str], Path, "int | None"], None]
"""Called as ``writer(module, output_names, path, length)``."""


def write_onnx(
    module: nn.Module, outputs: Sequence[str], path: Path, length: int | None = None
) -> None:
    """Write a module as an ONNX graph whose batch and length are free.

    Args:
        module: Takes ids and weights.
        outputs: Names of what it returns.
        path: The file to write.
        length: Not used; the length is free.

    Raises:
        MissingExtraError: ``onnx`` or ``onnxscript`` is not installed.
        onnx.checker.ValidationError: The graph breaks the ONNX specification.
    """
    onnx = require("onnx", "export")
    optimizer = require("onnxscript.optimizer", "export")
    free = {0: torch.export.Dim.DYNAMIC, 1: torch.export.Dim.DYNAMIC}
    with _quiet():
        program = torch.onnx.export(
            module.eval(),
            _example(2, 5),  # sizes that no axis of a model is likely to have by chance
            dynamo=True,
            opset_version=OPSET,
            input_names=list(INPUTS),
            output_names=list(outputs),
            dynamic_shapes=(free, free),
            optimize=False,
            verbose=False,
        )
        assert program is not None
        optimizer.optimize_ir(program.model, should_fold=_may_fold)
    model = program.model_proto
    _name_axes(model)
    _strip_origins(model)
    onnx.checker.check_model(model, full_check=True)
    path.write_bytes(model.SerializeToString())


def write_tflite(module: nn.Module, outputs: Sequence[str], path: Path, length: int | None) -> None:
    """Write a module as a TFLite graph for one text of a fixed length.

    Args:
        module: Takes ids and weights.
        outputs: Names of what it returns.
        path: The file to write.
        length: Slots of the inputs.

    Raises:
        MissingExtraError: ``litert-torch`` is not installed.
    """
    assert length is not None
    with _quiet():
        converter = require("litert_torch", "export")  # which has much to say when imported
        named = _Named(module, outputs).eval()
        example = dict(zip(INPUTS, _example(1, length), strict=True))
        converter.convert(named, sample_kwargs=example).export(str(path))


WRITERS: dict[str, Writer] = {"onnx": write_onnx, "tflite": write_tflite}


class _Named(nn.Module):
    """A module whose outputs have names, which is how the converter learns them."""

    def __init__(self, module: nn.Module, outputs: Sequence[str]) -> None:
        super().__init__()
        self.module, self.outputs = module, tuple(outputs)

    def forward(self, ids: Tensor, weights: Tensor) -> dict[str, Tensor]:
        result = self.module(ids, weights)
        values = (result,) if isinstance(result, Tensor) else result
        return dict(zip(self.outputs, values, strict=True))


def _example(batch: int, length: int) -> tuple[Tensor, Tensor]:
    return torch.zeros(batch, length, dtype=torch.int32), torch.ones(batch, length)


def _may_fold(node: Any) -> bool | None:
    """Whether a constant may be computed: not from codes, which would then be 32-bit numbers."""
    source = node.inputs[0] if node.inputs else None
    if node.op_type == "Cast" and source is not None and str(source.dtype) == "INT8":
        return False
    return None


def _name_axes(model: Any) -> None:
    """Call the free axes of inputs and outputs ``batch`` and ``length``."""
    names: dict[str, str] = {}
    for value in (*model.graph.input, *model.graph.output, *model.graph.value_info):
        for axis, dim in enumerate(value.type.tensor_type.shape.dim):
            if value.name in INPUTS:
                names[dim.dim_param] = ("batch", "length")[axis]
            if dim.dim_param in names:
                dim.dim_param = names[dim.dim_param]


def _strip_origins(model: Any) -> None:
    """Remove the stack traces that the exporter leaves with each node: paths of this machine."""
    graph = model.graph
    for part in (model, graph, *graph.node, *graph.value_info, *graph.input, *graph.output):
        part.ClearField("metadata_props")


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep the converters' own words from stdout, which is for results, and from stderr."""
    level = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(level)
