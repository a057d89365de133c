"""The option ``--threads`` of commands that compute with NumPy."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager

from pocketintent.cli.options.numbers import THREADS
from pocketintent.runtime.errors import MissingExtraError, require


def add_threads_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--threads``, the argument of :func:`limit_threads`."""
    parser.add_argument(
        "--threads",
        type=THREADS,
        default=1,
        metavar="N",
        help="CPU threads of NumPy's matrix products; needs the extra 'train' or 'evaluate', "
        "otherwise the variable OMP_NUM_THREADS decides (%(default)s)",
    )


@contextmanager
def limit_threads(threads: int) -> Iterator[None]:
    """Limit the threads of NumPy's matrix products.

    The products of quantisation are small: on a busy machine several threads wait for each other
    most of the time. Without threadpoolctl, which the extras bring, nothing is limited.

    Args:
        threads: Largest number of threads.

    Raises:
        MissingExtraError: Several threads are asked for, and threadpoolctl is not installed.
    """
    try:
        library = require("threadpoolctl", "train")
    except MissingExtraError:
        if threads > 1:
            raise
        yield
        return
    with library.threadpool_limits(threads):
        yield
