"""Loops of TFLite graphs, which torch's exporter does not support.

During an export, :func:`repeat` traces one round as a composite, which is an operator with a
subgraph. :func:`finish_loops` then turns the composite into ``WHILE``. A word thus takes as many
rounds as it has characters, and the file contains one round.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from pocketintent.runtime.errors import require

_NAME = "pocketintent.loop"
_MARKER = "STABLEHLO_COMPOSITE"

Values = tuple[Tensor, ...]
"""Values of a loop."""


def repeat(step: Callable[..., Values], variables: Values, constants: Values) -> Values:
    """Repeat a step until its first result is 0.

    Args:
        step: Takes variables and constants, and returns the next variables, of the same shapes and
            types. It must read all of its arguments, and the caller must read all results: the
            converter crashes otherwise.
        variables: Values that change. The first is the number of rounds left, int32 [1], from 0.
        constants: Values that do not change.
    """
    if torch.compiler.is_exporting():
        builder = require("litert_torch.hlfb", "export").StableHLOCompositeBuilder(_NAME)
        inputs = builder.mark_inputs(*variables, *constants)
        outputs: Values = builder.mark_outputs(*step(*inputs))
        return outputs
    while int(variables[0]) > 0:
        variables = step(*variables, *constants)
    return variables


def finish_loops(content: bytes) -> bytes:
    """The TFLite file with a loop for each round that :func:`repeat` traced."""
    if _NAME.encode() not in content:
        return content
    schema = require("ai_edge_litert.schema_py_generated", "export")
    model = schema.ModelT.InitFromObj(schema.Model.GetRootAs(content, 0))
    marker = getattr(schema.BuiltinOperator, _MARKER)
    codes = {n for n, code in enumerate(model.operatorCodes) if code.builtinCode == marker}
    for graph in list(model.subgraphs):
        for operator in graph.operators:
            if operator.opcodeIndex in codes:
                _to_while(schema, model, graph, operator)
    for number in codes:
        _set_code(model.operatorCodes[number], schema.BuiltinOperator.WHILE)
    _shorten_names(model.subgraphs)
    return _pack(model)


def _to_while(schema: Any, model: Any, graph: Any, operator: Any) -> None:
    """Turn a composite into ``WHILE``, whose body must return the constants, too."""
    number = operator.builtinOptions2.decompositionSubgraphIndex
    body = model.subgraphs[number]
    num_variables = len(body.outputs)
    body.outputs = np.array([*body.outputs, *body.inputs[num_variables:]], np.int32)
    unused_outputs = []
    for index in operator.inputs[num_variables:]:
        unused_outputs.append(len(graph.tensors))
        graph.tensors.append(_tensor_like(schema, graph.tensors[index], b"constant"))
    operator.outputs = np.array([*operator.outputs, *unused_outputs], np.int32)
    options = schema.WhileOptionsT()
    options.bodySubgraphIndex = number
    options.condSubgraphIndex = len(model.subgraphs)
    model.subgraphs.append(_condition(schema, model, body))
    operator.builtinOptionsType = schema.BuiltinOptions.WhileOptions
    operator.builtinOptions = options
    operator.builtinOptions2Type = schema.BuiltinOptions2.NONE
    operator.builtinOptions2 = None


def _condition(schema: Any, model: Any, body: Any) -> Any:
    """The subgraph that tests whether rounds are left."""
    graph = schema.SubGraphT()
    graph.name = body.name + b".condition"
    inputs = [body.tensors[index] for index in body.inputs]
    graph.tensors = [
        _tensor_like(schema, tensor, b"input%d" % n) for n, tensor in enumerate(inputs)
    ]
    graph.inputs = np.arange(len(inputs), dtype=np.int32)
    zero = _tensor_like(schema, inputs[0], b"zero")
    zero.buffer = len(model.buffers)
    buffer = schema.BufferT()
    buffer.data = np.zeros(4, np.uint8)
    model.buffers.append(buffer)
    left = _tensor_like(schema, inputs[0], b"left")
    left.type = schema.TensorType.BOOL
    graph.tensors += [zero, left]
    greater = schema.OperatorT()
    greater.opcodeIndex = len(model.operatorCodes)
    model.operatorCodes.append(schema.OperatorCodeT())
    _set_code(model.operatorCodes[-1], schema.BuiltinOperator.GREATER)
    greater.inputs = np.array([0, len(inputs)], np.int32)
    greater.outputs = graph.outputs = np.array([len(inputs) + 1], np.int32)
    greater.builtinOptionsType = schema.BuiltinOptions.GreaterOptions
    greater.builtinOptions = schema.GreaterOptionsT()
    graph.operators = [greater]
    return graph


def _set_code(code: Any, builtin: int) -> None:
    """Set the operator of an operator code."""
    code.builtinCode, code.version = builtin, 1
    # Runtimes that know fewer than 128 operators read this field.
    code.deprecatedBuiltinCode = min(builtin, 127)


def _tensor_like(schema: Any, tensor: Any, name: bytes) -> Any:
    """A computed tensor of the same shape and type as another tensor."""
    copy = schema.TensorT()
    copy.name, copy.shape, copy.type, copy.hasRank = name, tensor.shape, tensor.type, True
    return copy


def _shorten_names(graphs: Sequence[Any]) -> None:
    """Number all tensors but inputs and outputs: module paths are a tenth of a small file."""
    public = {*graphs[0].inputs, *graphs[0].outputs}
    for graph in graphs:
        for number, tensor in enumerate(graph.tensors):
            if graph is not graphs[0] or number not in public:
                tensor.name = b"%d" % number


def _pack(model: Any) -> bytes:
    """The bytes of a model's file."""
    flatbuffers = require("flatbuffers", "export")

    class Builder(flatbuffers.Builder):  # type: ignore[name-defined, misc]
        """A builder that aligns vectors of bytes, such as buffers, at multiples of 16."""

        def StartVector(self, size: int, number: int, alignment: int) -> Any:
            return super().StartVector(size, number, 16 if size == 1 else alignment)

    builder = Builder(1 << 20)
    builder.Finish(model.Pack(builder), file_identifier=b"TFL3")
    return bytes(builder.Output())
