"""Loops of TFLite graphs, which torch's export does not have.

While a graph is exported, :func:`repeat` traces one round as a composite, an operator of the
file that has a subgraph of its own; :func:`finish_loops` makes ``WHILE`` of it afterwards. So a
word costs as many rounds as it has characters, and the file holds one round.
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


def repeat(step: Callable[..., Values], carried: Values, kept: Values) -> Values:
    """Repeat a step until the first of what it gives is 0.

    Args:
        step: Called with ``carried`` and ``kept``; gives the next ``carried``, of equal shapes
            and types. It reads all of them, and the caller reads all that comes out: the
            converter does not survive others.
        carried: What changes; the first is int32 [1], how many rounds are left, 0 or more.
        kept: What stays.

    Returns:
        The last ``carried``.
    """
    if torch.compiler.is_exporting():
        builder = require("litert_torch.hlfb", "export").StableHLOCompositeBuilder(_NAME)
        given = builder.mark_inputs(*carried, *kept)
        marked: Values = builder.mark_outputs(*step(*given))
        return marked
    while int(carried[0]) > 0:
        carried = step(*carried, *kept)
    return carried


def finish_loops(content: bytes) -> bytes:
    """Make a loop of each round that :func:`repeat` left in a TFLite file.

    Args:
        content: The file, as the converter writes it.

    Returns:
        The file; the same one when it has no loop.

    Raises:
        MissingExtraError: ``ai-edge-litert`` or ``flatbuffers`` is not installed.
    """
    if _NAME.encode() not in content:
        return content
    schema = require("ai_edge_litert.schema_py_generated", "export")
    model = schema.ModelT.InitFromObj(schema.Model.GetRootAs(content, 0))
    marker = getattr(schema.BuiltinOperator, _MARKER)
    codes = {n for n, code in enumerate(model.operatorCodes) if code.builtinCode == marker}
    for graph in list(model.subgraphs):
        for operator in graph.operators:
            if operator.opcodeIndex in codes:
                _make_while(schema, model, graph, operator)
    for number in codes:
        _set_code(model.operatorCodes[number], schema.BuiltinOperator.WHILE)
    _shorten_names(model.subgraphs)
    return _pack(model)


def _make_while(schema: Any, model: Any, graph: Any, operator: Any) -> None:
    """Turn a composite into ``WHILE``, whose body gives back what stays, too."""
    number = operator.builtinOptions2.decompositionSubgraphIndex
    body = model.subgraphs[number]
    changed = len(body.outputs)
    body.outputs = np.array([*body.outputs, *body.inputs[changed:]], np.int32)
    unread = []
    for place in operator.inputs[changed:]:
        unread.append(len(graph.tensors))
        graph.tensors.append(_tensor_like(schema, graph.tensors[place], b"kept"))
    operator.outputs = np.array([*operator.outputs, *unread], np.int32)
    options = schema.WhileOptionsT()
    options.bodySubgraphIndex = number
    options.condSubgraphIndex = len(model.subgraphs)
    model.subgraphs.append(_condition(schema, model, body))
    operator.builtinOptionsType = schema.BuiltinOptions.WhileOptions
    operator.builtinOptions = options
    operator.builtinOptions2Type = schema.BuiltinOptions2.NONE
    operator.builtinOptions2 = None


def _condition(schema: Any, model: Any, body: Any) -> Any:
    """The subgraph that says whether rounds are left."""
    graph = schema.SubGraphT()
    graph.name = body.name + b".condition"
    inputs = [body.tensors[place] for place in body.inputs]
    graph.tensors = [
        _tensor_like(schema, tensor, b"given%d" % n) for n, tensor in enumerate(inputs)
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
    code.builtinCode, code.version = builtin, 1
    # Where runtimes read it that know fewer than 128 operators.
    code.deprecatedBuiltinCode = min(builtin, 127)


def _tensor_like(schema: Any, tensor: Any, name: bytes) -> Any:
    """A tensor of equal shape and type, which is computed."""
    made = schema.TensorT()
    made.name, made.shape, made.type, made.hasRank = name, tensor.shape, tensor.type, True
    return made


def _shorten_names(graphs: Sequence[Any]) -> None:
    """Number all but inputs and outputs; paths of modules would be a tenth of a small file."""
    kept = {*graphs[0].inputs, *graphs[0].outputs}
    for graph in graphs:
        for number, tensor in enumerate(graph.tensors):
            if graph is not graphs[0] or number not in kept:
                tensor.name = b"%d" % number


def _pack(model: Any) -> bytes:
    """The file of a model."""
    flatbuffers = require("flatbuffers", "export")

    class Builder(flatbuffers.Builder):  # type: ignore[name-defined, misc]
        """A builder that puts bytes where the format wants a buffer's: at multiples of 16."""

        def StartVector(self, size: int, number: int, alignment: int) -> Any:
            return super().StartVector(size, number, 16 if size == 1 else alignment)

    builder = Builder(1 << 20)
    builder.Finish(model.Pack(builder), file_identifier=b"TFL3")
    return bytes(builder.Output())
