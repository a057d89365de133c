"""What the writers share: examples of a graph's inputs, and silence for the converters."""

from __future__ import annotations

import contextlib
import io
import logging
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import torch
from torch import Tensor, nn

from pocketintent_export.formats import GraphTensor

_EXAMPLE_SIZES = {"batch": 2, "length": 5}
"""Sizes of free axes in examples: unlikely to equal the size of another axis of a model."""


Writer = Callable[[nn.Module, Sequence[GraphTensor], Sequence[str], Path], None]
"""Called as ``writer(module, inputs, output_names, path)``."""


def example(tensor: GraphTensor) -> Tensor:
    """A value of an input's type and shape, with which a module is traced."""
    shape = [_EXAMPLE_SIZES[size] if isinstance(size, str) else size for size in tensor.shape]
    return torch.zeros(shape, dtype=torch.int32) if tensor.dtype == "int32" else torch.ones(shape)


QUIET_ENVIRONMENT = {"TF_CPP_MIN_LOG_LEVEL": "1", "TF_ENABLE_ONEDNN_OPTS": "0"}
"""Variables that LiteRT's converter, which logs from C++, reads when it is loaded. The first hides
INFO messages, but neither warnings nor errors. The second disables oneDNN kernels, whose use is
announced at every log level."""


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
