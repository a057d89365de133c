"""Loops of TFLite graphs, which torch's exporter does not support.

During an export, :func:`repeat` traces one round as a composite, which is an operator with a
subgraph. :func:`finish_loops` then turns the composite into ``WHILE``. A word thus takes as many
rounds as it has characters, and the file contains one round.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from pocketintent.runtime.errors import require

_NAME = "pocketintent.loop"

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
    operators = schema.BuiltinOperator
    model = schema.ModelT.InitFromObj(schema.Model.GetRootAs(content, 0))
    marker = operators.STABLEHLO_COMPOSITE
    codes = {n for n, code in enumerate(model.operatorCodes) if code.builtinCode == marker}
    for graph in list(model.subgraphs):
        for operator in graph.operators:
            if operator.opcodeIndex in codes:
                _to_while(schema, model, graph, operator)
    for number in codes:
        model.operatorCodes[number] = _operator_code(schema, operators.WHILE)
    # Number all tensors but inputs and outputs: module paths are a tenth of a small file.
    public = {*model.subgraphs[0].inputs, *model.subgraphs[0].outputs}
    for graph in model.subgraphs:
        for number, tensor in enumerate(graph.tensors):
            if graph is not model.subgraphs[0] or number not in public:
                tensor.name = b"%d" % number
    return _pack(model)


def _to_while(schema: Any, model: Any, graph: Any, operator: Any) -> None:
    """Turn a composite into ``WHILE``, whose body must return the constants, too."""
    number = operator.builtinOptions2.decompositionSubgraphIndex
    body = model.subgraphs[number]
    num_variables, num_tensors = len(body.outputs), len(graph.tensors)
    body.outputs = np.array([*body.outputs, *body.inputs[num_variables:]], np.int32)
    constants = operator.inputs[num_variables:]
    graph.tensors += [_tensor_like(schema, graph.tensors[index]) for index in constants]
    unused_outputs = range(num_tensors, len(graph.tensors))
    operator.outputs = np.array([*operator.outputs, *unused_outputs], np.int32)
    operator.builtinOptionsType = schema.BuiltinOptions.WhileOptions
    operator.builtinOptions = schema.WhileOptionsT(
        bodySubgraphIndex=number, condSubgraphIndex=len(model.subgraphs)
    )
    operator.builtinOptions2Type = schema.BuiltinOptions2.NONE
    operator.builtinOptions2 = None
    model.subgraphs.append(_condition(schema, model, body))


def _condition(schema: Any, model: Any, body: Any) -> Any:
    """The subgraph that tests whether rounds are left."""
    inputs = [_tensor_like(schema, body.tensors[index]) for index in body.inputs]
    zero = _tensor_like(schema, inputs[0])
    zero.buffer = len(model.buffers)
    model.buffers.append(schema.BufferT(data=np.zeros(4, np.uint8)))
    left = _tensor_like(schema, inputs[0])
    left.type = schema.TensorType.BOOL
    greater = schema.OperatorT(
        opcodeIndex=len(model.operatorCodes),
        inputs=np.array([0, len(inputs)], np.int32),
        outputs=np.array([len(inputs) + 1], np.int32),
        builtinOptionsType=schema.BuiltinOptions.GreaterOptions,
        builtinOptions=schema.GreaterOptionsT(),
    )
    model.operatorCodes.append(_operator_code(schema, schema.BuiltinOperator.GREATER))
    return schema.SubGraphT(
        name=body.name + b".condition",
        tensors=[*inputs, zero, left],
        inputs=np.arange(len(inputs), dtype=np.int32),
        outputs=greater.outputs,
        operators=[greater],
    )


def _operator_code(schema: Any, builtin: int) -> Any:
    # Runtimes that know fewer than 128 operators read the deprecated field.
    return schema.OperatorCodeT(deprecatedBuiltinCode=builtin, builtinCode=builtin)


def _tensor_like(schema: Any, tensor: Any) -> Any:
    """A computed tensor of the same shape and type as another tensor."""
    return schema.TensorT(shape=tensor.shape, type=tensor.type, hasRank=True)


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
