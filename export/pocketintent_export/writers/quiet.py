"""Silence for the converters, which print and log while they work."""

from __future__ import annotations

import contextlib
import io
import logging
import os
import warnings
from collections.abc import Iterator

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
