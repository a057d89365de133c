"""From a torch module to an ONNX file, by torch's exporter."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from pocketintent.runtime.errors import require
from pocketintent_export.formats import GraphTensor
from pocketintent_export.writers.contract import example, quiet

OPSET = 18
"""Version of the ONNX operators."""


def write_onnx(
    module: nn.Module, inputs: Sequence[GraphTensor], outputs: Sequence[str], path: Path
) -> None:
    """Write a module as an ONNX graph; see :data:`Writer`.

    A MissingExtraError if ``onnx`` or ``onnxscript`` is not installed.
    """
    onnx = require("onnx", "export")
    optimizer = require("onnxscript.optimizer", "export")
    with quiet():
        program = torch.onnx.export(
            _PositionalInputs(module).eval(),
            tuple(example(graph_input) for graph_input in inputs),
            dynamo=True,
            opset_version=OPSET,
            input_names=[graph_input.name for graph_input in inputs],
            output_names=list(outputs),
            dynamic_shapes=(tuple(_free_axes(graph_input.shape) for graph_input in inputs),),
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


class _PositionalInputs(nn.Module):
    """A module with positional inputs, whatever the names of the inner module's parameters."""

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self.module = module

    def forward(self, *inputs: Tensor) -> Any:
        return self.module(*inputs)


def _free_axes(shape: Sequence[str | int]) -> dict[int, Any]:
    """The free axes of an input, as the exporter takes them."""
    return {n: torch.export.Dim.DYNAMIC for n, size in enumerate(shape) if isinstance(size, str)}


def _may_fold(node: Any) -> bool | None:
    """False for codes, whose values would be stored in 32 bits; otherwise the optimiser decides."""
    source = node.inputs[0] if node.inputs else None
    is_codes = node.op_type == "Cast" and source is not None and str(source.dtype) == "INT8"
    return False if is_codes else None


def _name_axes(model: Any, inputs: Sequence[GraphTensor]) -> None:
    """Give the free axes of a graph the names that they have in its inputs."""
    shapes = {graph_input.name: graph_input.shape for graph_input in inputs}
    names: dict[str, str] = {}
    for value in (*model.graph.input, *model.graph.output, *model.graph.value_info):
        for axis, dim in enumerate(value.type.tensor_type.shape.dim):
            if value.name in shapes and dim.dim_param:
                names[dim.dim_param] = str(shapes[value.name][axis])
            if dim.dim_param in names:
                dim.dim_param = names[dim.dim_param]


def _strip_origins(model: Any) -> None:
    """Remove the stack traces that the exporter stores with each node: they contain local paths."""
    graph = model.graph
    for part in (model, graph, *graph.node, *graph.value_info, *graph.input, *graph.output):
        part.ClearField("metadata_props")
