"""The option ``--threads`` of commands that compute with NumPy."""

from __future__ import annotations

import argparse
from contextlib import AbstractContextManager

from pocketintent.cli.options.numbers import THREADS


def add_threads_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--threads``, the argument of :func:`limit_threads`."""
    parser.add_argument(
        "--threads",
        type=THREADS,
        default=1,
        metavar="N",
        help="CPU threads of NumPy's matrix products (%(default)s)",
    )


def limit_threads(threads: int) -> AbstractContextManager[object]:
    """Limit the threads of NumPy's matrix products, which are small in quantisation.

    On a busy machine several threads wait for each other most of the time.
    """
    from threadpoolctl import threadpool_limits

    limits: AbstractContextManager[object] = threadpool_limits(threads)
    return limits
