"""From a torch module to a TFLite file, by LiteRT's converter."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from torch import Tensor, nn

from pocketintent.runtime.errors import require
from pocketintent_export.formats import GraphTensor
from pocketintent_export.writers.contract import example, quiet
from pocketintent_export.writers.loops import finish_loops


def write_tflite(
    module: nn.Module, inputs: Sequence[GraphTensor], outputs: Sequence[str], path: Path
) -> None:
    """Write a module as a TFLite graph, whose inputs have no free axes; see :data:`Writer`.

    A MissingExtraError if ``litert-torch`` is not installed.
    """
    with quiet():
        converter = require("litert_torch", "export")  # prints messages on import
        named = _NamedOutputs(module, outputs).eval()
        _make_contiguous(named)
        examples = {graph_input.name: example(graph_input) for graph_input in inputs}
        converter.convert(named, sample_kwargs=examples).export(str(path))
        path.write_bytes(finish_loops(path.read_bytes()))


class _NamedOutputs(nn.Module):
    """A module that returns its outputs by name, so that the converter gets the names."""

    def __init__(self, module: nn.Module, outputs: Sequence[str]) -> None:
        super().__init__()
        self.module, self.outputs = module, tuple(outputs)

    def forward(self, **inputs: Tensor) -> dict[str, Tensor]:
        result = self.module(*inputs.values())
        values = (result,) if isinstance(result, Tensor) else result
        return dict(zip(self.outputs, values, strict=True))


def _make_contiguous(module: nn.Module) -> None:
    """Store every constant of a module row by row.

    LiteRT's converter identifies constants by their address, and copies one that is stored
    otherwise: the next constant may get the address of the copy, and be mistaken for it.
    """
    for constant in (*module.parameters(), *module.buffers()):
        constant.data = constant.data.contiguous()
