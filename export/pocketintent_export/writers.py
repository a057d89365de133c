"""From a torch module to a file: ONNX by torch's exporter, TFLite by LiteRT's converter.

``onnx``, ``onnxscript`` and ``litert_torch`` are imported when a file is written; a
MissingExtraError if one is not installed.
"""

from __future__ import annotations

import contextlib
import io
import logging
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.export import Dim

from pocketintent.runtime.errors import require
from pocketintent_export.formats import GraphTensor
from pocketintent_export.loops import finish_loops

_EXAMPLE_SIZES = {"batch": 2, "length": 5}
"""Sizes of free axes in examples: unlikely to equal the size of another axis of a model."""
OPSET = 18
"""Version of the ONNX operators."""
QUIET_ENVIRONMENT = {"TF_CPP_MIN_LOG_LEVEL": "1", "TF_ENABLE_ONEDNN_OPTS": "0"}
"""Variables that LiteRT's converter, which logs from C++, reads when it is loaded. The first hides
INFO messages, but neither warnings nor errors. The second disables oneDNN kernels, whose use is
announced at every log level."""

Writer = Callable[[nn.Module, Sequence[GraphTensor], Sequence[str], Path], None]
"""Called as ``writer(module, inputs, output_names, path)``."""


class _Graph(nn.Module):
    """A module that takes inputs by position or name, and returns its outputs by name."""

    def __init__(self, module: nn.Module, outputs: Sequence[str]) -> None:
        super().__init__()
        self.module, self.outputs = module, tuple(outputs)

    def forward(self, *inputs: Tensor, **named: Tensor) -> dict[str, Tensor]:
        result = self.module(*inputs, *named.values())
        values = (result,) if isinstance(result, Tensor) else result
        return dict(zip(self.outputs, values, strict=True))


def write_onnx(
    module: nn.Module, inputs: Sequence[GraphTensor], outputs: Sequence[str], path: Path
) -> None:
    """Write a module as an ONNX graph; see :data:`Writer`."""
    onnx = require("onnx", "export")
    optimizer = require("onnxscript.optimizer", "export")
    sizes = [enumerate(tensor.shape) for tensor in inputs]
    free_axes = [
        {axis: Dim.DYNAMIC for axis, size in own if isinstance(size, str)} for own in sizes
    ]
    with quiet():
        program = torch.onnx.export(
            _Graph(module, outputs).eval(),
            tuple(map(_example, inputs)),
            dynamo=True,
            opset_version=OPSET,
            input_names=[tensor.name for tensor in inputs],
            output_names=list(outputs),
            dynamic_shapes=(tuple(free_axes),),
            optimize=False,
            verbose=False,
        )
        assert program is not None
        optimizer.optimize_ir(program.model, should_fold=_may_fold)
    model = program.model_proto
    graph = model.graph
    _name_axes(graph, inputs)
    # The stack traces that the exporter stores with each node contain local paths.
    for part in (model, graph, *graph.node, *graph.value_info, *graph.input, *graph.output):
        part.ClearField("metadata_props")
    onnx.checker.check_model(model, full_check=True)
    path.write_bytes(model.SerializeToString())


def _may_fold(node: Any) -> bool | None:
    """False for codes, whose values would be stored in 32 bits; otherwise the optimiser decides."""
    source = node.inputs[0] if node.inputs else None
    is_codes = node.op_type == "Cast" and source is not None and str(source.dtype) == "INT8"
    return False if is_codes else None


def _name_axes(graph: Any, inputs: Sequence[GraphTensor]) -> None:
    """Give the free axes of a graph the names that they have in its inputs."""
    shapes = {tensor.name: tensor.shape for tensor in inputs}
    names: dict[str, str] = {}
    for value in (*graph.input, *graph.output, *graph.value_info):
        for axis, dim in enumerate(value.type.tensor_type.shape.dim):
            if value.name in shapes and dim.dim_param:
                names[dim.dim_param] = str(shapes[value.name][axis])
            if dim.dim_param in names:
                dim.dim_param = names[dim.dim_param]


def write_tflite(
    module: nn.Module, inputs: Sequence[GraphTensor], outputs: Sequence[str], path: Path
) -> None:
    """Write a module as a TFLite graph, whose inputs have no free axes; see :data:`Writer`."""
    with quiet():
        converter = require("litert_torch", "export")  # prints messages on import
        named = _Graph(module, outputs).eval()
        # The converter identifies constants by their address, and copies one that is not stored
        # row by row: the next one may get the address of the copy, and be mistaken for it.
        for constant in (*named.parameters(), *named.buffers()):
            constant.data = constant.data.contiguous()
        examples = {tensor.name: _example(tensor) for tensor in inputs}
        converter.convert(named, sample_kwargs=examples).export(str(path))
        path.write_bytes(finish_loops(path.read_bytes()))


WRITERS: dict[str, Writer] = {"onnx": write_onnx, "tflite": write_tflite}
"""The function that writes a graph of each format."""


def _example(tensor: GraphTensor) -> Tensor:
    """A value of an input's type and shape, with which a module is traced."""
    shape = [_EXAMPLE_SIZES[size] if isinstance(size, str) else size for size in tensor.shape]
    return torch.zeros(shape, dtype=torch.int32) if tensor.dtype == "int32" else torch.ones(shape)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Hide the converters' messages: stdout is for results and stderr for our own messages.

    Variables of ``QUIET_ENVIRONMENT`` that the user has set keep their values.
    """
    level = logging.root.manager.disable
    logging.disable(logging.WARNING)
    additions = QUIET_ENVIRONMENT.keys() - os.environ.keys()
    os.environ.update({name: QUIET_ENVIRONMENT[name] for name in additions})
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(level)
        for name in additions:
            os.environ.pop(name, None)
