"""From a torch module to a file: by the ONNX exporter of torch, or by LiteRT's converter."""

from __future__ import annotations

import contextlib
import io
import logging
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import torch
from torch import Tensor, nn

from pocketintent.runtime.errors import require
from pocketintent_export.writers.loops import finish_loops

OPSET = 18
QUIET_ENVIRONMENT = {"TF_CPP_MIN_LOG_LEVEL": "1", "TF_ENABLE_ONEDNN_OPTS": "0"}
"""What LiteRT's converter, which logs from C++, reads when it is loaded: no INFO, but warnings
and errors; and no oneDNN kernels, whose use it announces whatever the level."""
_BATCH, _LENGTH = 2, 5
"""Sizes to trace with for free axes, which no axis of a model is likely to have by chance."""


@dataclass(frozen=True)
class GraphInput:
    """An input of a graph."""

    name: str
    dtype: Literal["int32", "float32"]
    shape: tuple[str | int, ...]
    """Sizes of the axes; a free one has a name, ``batch`` or ``length``."""


Writer = Callable[[nn.Module, Sequence[GraphInput], Sequence[str], Path], None]
"""Called as ``writer(module, inputs, output_names, path)``."""


def write_onnx(
    module: nn.Module, inputs: Sequence[GraphInput], outputs: Sequence[str], path: Path
) -> None:
    """Write a module as an ONNX graph.

    Args:
        module: Takes the inputs in their order.
        inputs: The graph's inputs.
        outputs: Names of what the module returns.
        path: The file to write.

    Raises:
        MissingExtraError: ``onnx`` or ``onnxscript`` is not installed.
        onnx.checker.ValidationError: The graph breaks the ONNX specification.
    """
    onnx = require("onnx", "export")
    optimizer = require("onnxscript.optimizer", "export")
    with _quiet():
        program = torch.onnx.export(
            _Listed(module).eval(),
            tuple(_example(given) for given in inputs),
            dynamo=True,
            opset_version=OPSET,
            input_names=[given.name for given in inputs],
            output_names=list(outputs),
            dynamic_shapes=(tuple(_free_axes(given) for given in inputs),),
            optimize=False,
            verbose=False,
        )
        assert program is not None
        optimizer.optimize_ir(program.model, should_fold=_may_fold)
    model = program.model_proto
    _name_axes(model, inputs)
    _strip_origins(model)
    onnx.checker.check_model(model, full_check=True)
    path.write_bytes(model.SerializeToString())


def write_tflite(
    module: nn.Module, inputs: Sequence[GraphInput], outputs: Sequence[str], path: Path
) -> None:
    """Write a module as a TFLite graph.

    Args:
        module: Takes the inputs in their order.
        inputs: The graph's inputs, without free axes.
        outputs: Names of what the module returns.
        path: The file to write.

    Raises:
        MissingExtraError: ``litert-torch`` is not installed.
    """
    with _quiet():
        converter = require("litert_torch", "export")  # which has much to say when imported
        named = _Named(module, outputs).eval()
        _lay_out(named)
        example = {given.name: _example(given) for given in inputs}
        converter.convert(named, sample_kwargs=example).export(str(path))
        path.write_bytes(finish_loops(path.read_bytes()))


def _lay_out(module: nn.Module) -> None:
    """Store every constant row by row.

    LiteRT's converter makes a copy of one that is not, knows constants by the address of their
    memory, and drops the copy: the next constant of its shape may come to lie there, and is then
    taken for the first one.
    """
    for constant in (*module.parameters(), *module.buffers()):
        constant.data = constant.data.contiguous()


WRITERS: dict[str, Writer] = {"onnx": write_onnx, "tflite": write_tflite}


class _Named(nn.Module):
    """A module whose outputs have names, which is how the converter learns them."""

    def __init__(self, module: nn.Module, outputs: Sequence[str]) -> None:
        super().__init__()
        self.module, self.outputs = module, tuple(outputs)

    def forward(self, **inputs: Tensor) -> dict[str, Tensor]:
        result = self.module(*inputs.values())
        values = (result,) if isinstance(result, Tensor) else result
        return dict(zip(self.outputs, values, strict=True))


class _Listed(nn.Module):
    """A module with one list of inputs, whatever the module's own are called."""

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self.module = module

    def forward(self, *inputs: Tensor) -> Any:
        return self.module(*inputs)


def _example(given: GraphInput) -> Tensor:
    sizes = {"batch": _BATCH, "length": _LENGTH}
    shape = [sizes[size] if isinstance(size, str) else size for size in given.shape]
    return torch.zeros(shape, dtype=torch.int32) if given.dtype == "int32" else torch.ones(shape)


def _free_axes(given: GraphInput) -> dict[int, Any]:
    free = enumerate(given.shape)
    return {axis: torch.export.Dim.DYNAMIC for axis, size in free if isinstance(size, str)}


def _may_fold(node: Any) -> bool | None:
    """Whether a constant may be computed: not from codes, which would then be 32-bit numbers."""
    source = node.inputs[0] if node.inputs else None
    if node.op_type == "Cast" and source is not None and str(source.dtype) == "INT8":
        return False
    return None


def _name_axes(model: Any, inputs: Sequence[GraphInput]) -> None:
    """Call the free axes of inputs and outputs as the inputs do."""
    shapes = {given.name: given.shape for given in inputs}
    names: dict[str, str] = {}
    for value in (*model.graph.input, *model.graph.output, *model.graph.value_info):
        for axis, dim in enumerate(value.type.tensor_type.shape.dim):
            if value.name in shapes and dim.dim_param:
                names[dim.dim_param] = str(shapes[value.name][axis])
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
    added = QUIET_ENVIRONMENT.keys() - os.environ.keys()
    os.environ.update({name: QUIET_ENVIRONMENT[name] for name in added})
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(level)
        for name in added:
            os.environ.pop(name, None)
